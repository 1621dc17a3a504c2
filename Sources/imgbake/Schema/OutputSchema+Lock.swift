/// The output of `imgbake lock`.
extension OutputSchema {
    static let lock = OutputSchema(
        "lock", "imgbake lock --json", "One object.",
        [
            documents,
            Member("images", .count, "The images in the lockfile."),
            Member(
                "isChanged", .flag, "Whether the file was written, or with --check would be."),
            Member("added", .list(of: lockedImage), "The images that were not locked before."),
            Member(
                "changed",
                .records([
                    Member("url", .text, "The URL, as in the lockfile."),
                    Member("before", lockedImage, "The image that was locked."),
                    Member("after", lockedImage, "The image that is locked now."),
                ]), "The URLs that give another image."),
            Member("removed", .list(of: lockedImage), "The images that no document needs."),
            diagnostics,
        ])

    static let lockedImage: JSONValue = .record([
        Member("url", .text, "The URL, as in the lockfile."),
        Member("sha256", .digest, "The SHA-256 of the image."),
        Member("bytes", .count, "The size of the image."),
        Member("mediaType", .text, "The media type, detected from the first bytes."),
    ])
}
