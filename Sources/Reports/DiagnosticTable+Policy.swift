extension DiagnosticTable {
    static let policies = [
        Row(
            .imageOverBudget,
            "A baked image is larger than 'budget: {image: …}' in imgbake.yml allows.",
            "lower --max-width or --quality, give the image attributes of its own, or raise the "
                + "budget"),
        Row(
            .pageOverBudget,
            """
            The baked images of one document are together larger than 'budget: {page: …}' in \
            imgbake.yml allows. An image that is named twice counts once, and of a srcset each \
            image.
            """, "use fewer or smaller images on the page, or raise the budget"),
        Row(
            .invalidBaseline,
            """
            A line of the baseline cannot be used: it is damaged, has marks of a merge conflict, or \
            is of a newer version of imgbake. The file is left as it is.
            """, "restore the file from version control, or delete it and give --update-baseline"),
        Row(
            .failureFixed, "A failure that the baseline knows did not happen any more.",
            "remove the line from the baseline, or give --update-baseline"),
        Row(
            .noEffect,
            """
            A setting changes nothing: no file, URL or host of the site matches its pattern, or it is \
            for documents that the site does not have. Told by bakes that read every document.
            """, "correct the setting, or remove it"),
    ]
}

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

extension DiagnosticTable {
    static let measuring = [
        Row(
            .browserMissing,
            """
            'imgbake measure' needs Chromium or Chrome, and none was found in the folders of PATH. \
            It downloads nothing.
            """, "install Chromium, or give --browser with the path of one"),
        Row(
            .browserFailed,
            """
            The browser did not start, ended, or did not answer in time. The file of sizes is as it \
            was.
            """, "start the browser by hand to see what it says, or give --browser with another one"
        ),
        Row(
            .pageNotLoaded,
            """
            The browser did not finish loading a page in time, or the page crashed it. Scripts of \
            other hosts do not run, which a script of the page may wait for. The file of sizes is \
            as it was.
            """, "open the page in a browser, raise --page-timeout, or leave it out with --ignore"),
        Row(
            .pageNotMeasured,
            """
            A page needs a style sheet that is not in the folder, so the widths of its images are \
            not known. 'imgbake measure' requests nothing from other hosts.
            """, "put the style sheet into the site"),
        Row(
            .imageNotMeasured,
            """
            The browser could not show an image: it is missing, damaged, or on another host and not \
            in the cache.
            """, "run 'imgbake prefetch' before, or measure the baked site"),
        Row(
            .sizesDiffer,
            "Images are more than 5 % wider or narrower than imgbake.sizes.json says.",
            "run 'imgbake measure' and commit imgbake.sizes.json"),
        Row(
            .unmeasuredPlace,
            """
            imgbake.sizes.json has no width for images in these places of their pages. They get the \
            sizes that they would get without the file.
            """, "run 'imgbake measure' and commit imgbake.sizes.json"),
        Row(
            .unusedSizes, "No image stands in these places of imgbake.sizes.json any more.",
            "run 'imgbake measure' and commit imgbake.sizes.json"),
        Row(
            .invalidSizes,
            """
            imgbake.sizes.json cannot be used: it is damaged, has marks of a merge conflict, or is \
            of a newer version of imgbake. A bake leaves it as it is; 'imgbake measure' replaces it.
            """, "restore the file from version control, or run 'imgbake measure'"),
    ]
}
