extension DiagnosticTable {
    static let lockfile = [
        Row(
            .notLocked,
            """
            With --locked, a bake uses only images that are in imgbake.lock, and there is none for \
            this URL. 'imgbake lock --check' reports such URLs too.
            """, "run 'imgbake lock' and commit imgbake.lock"),
        Row(
            .lockedImageChanged,
            """
            The cache does not have the image in imgbake.lock, and the URL gives another one. The \
            message names the sizes and hashes of both. Its server may have replaced the image, or somebody may have \
            tampered with it.
            """,
            "look at the image; if it is right, run 'imgbake lock --update URL' and commit "
                + "imgbake.lock"),
        Row(
            .ambiguousLock,
            """
            Two URLs differ only in parts that are not stored, such as signatures, and give \
            different images. The lockfile can hold one of them.
            """, "give the images different paths, or host one of them yourself"),
        Row(
            .unusedLock, "No document names this URL of imgbake.lock any more.",
            "run 'imgbake lock' and commit imgbake.lock"),
        Row(
            .invalidLockfile,
            """
            A line of imgbake.lock cannot be used: it is damaged, has marks of a merge conflict, or \
            is of a newer version of imgbake. The file is left as it is.
            """, "restore the file from version control, or delete it and run 'imgbake lock'"),
        Row(
            .publishedImageDamaged,
            "The bytes of a published image do not match the hash in its name.",
            "delete the file and bake the site again"),
        Row(
            .publishedImageUnknown,
            """
            Nothing says that a published image was made of an image in imgbake.lock: it is made of \
            another one, or the file is not in the list of its image folder.
            """,
            "bake the site again with --locked --prune; if the message stays, delete the file and do "
                + "so once more"),
        Row(
            .mixedShards,
            """
            The folder is a union of the outputs of 'imgbake --shard', but not of all shards of one \
            site: one is missing, or they were made of different files, settings, lockfiles or \
            versions of imgbake.
            """, "bake all shards again, and join them in an empty folder"),
    ]
}
