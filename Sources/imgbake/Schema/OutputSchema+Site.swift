import Baking

/// The outputs of commands that read a site.
extension OutputSchema {
    static let bake = OutputSchema(
        "bake", "imgbake bake --json", "One object, when the bake has ended.", bakeMembers)

    private static let bakeMembers: [Member] = [
        documents,
        Member("rewritten", .count, "The documents whose references were replaced."),
        Member("references", .count, "The references to images that are baked."),
        Member(
            "images",
            .record([
                Member("total", .count, "The distinct images."),
                fetched,
                Member("unchanged", .count, "Confirmed by a conditional request."),
                Member(
                    "cached", .count,
                    "Taken from the cache without a request, or since the server failed."),
                Member("local", .count, "Images of the site itself."),
                Member("failed", .count, "Not fetched, not decoded or refused."),
                Member("transformed", .count, "Made by a transform in this bake."),
            ]), "The numbers of images."),
        Member(
            "bytes",
            .record([
                Member("before", .count, "Of the images as they were fetched."),
                Member("after", .count, "Of the images as they were written."),
            ]), "The sizes of all images that did not fail."),
        Member("removed", .count, "The files that --prune removed."),
        uploaded,
        Member("seconds", .seconds, "The time that the bake took."),
        Member(
            "slowest",
            .records([
                url, host,
                Member("seconds", .seconds, "The time that the network took."),
            ]), "The images that were waited for the longest; at most five."),
        Member(
            "largest",
            .records([
                imageURL,
                Member("before", .count, "The bytes as fetched."),
                Member("after", .count, "The bytes of all files that were made of it."),
                quality,
            ]), "The largest images; at most five."),
        Member(
            "failures",
            .records([
                host, code, reason,
                Member("images", .count, "The number of images."),
            ]), "The failed images, by host and reason."),
        diagnostics, layout,
    ]

    static let report = OutputSchema(
        "report", "imgbake bake --report FILE.json", "The content of the file.",
        [
            Member("generator", ["const": .string(ReportFile.mark)], "Always the same."),
            Member("documents", .list(of: .text), "The documents, in order."),
            Member("totals", .record(bakeMembers), "The totals, as with --json."),
            Member(
                "images",
                .records(
                    imageMembers + [
                        .optional("host", .text, "The host; missing for an image of the site."),
                        Member(
                            "seconds", .seconds, "The time of its transfers, decoding and encoding."
                        ),
                    ]), "The images that were baked, in the order of their URLs."),
            Member(
                "pages",
                .records([
                    document, Member("images", .count, "The different images."),
                    Member("before", .count, "The bytes of their sources."),
                    Member("after", .count, "The bytes of the files that it names."),
                ]), "The documents with images, the largest first."),
        ])

    static let dryRun = OutputSchema(
        "dry-run", "imgbake bake --dry-run --json", "One object.",
        [
            documents,
            Member(
                "references",
                .records(
                    exactPlace + [
                        Member("url", .text, "The URL or the path of the image."),
                        Member(
                            "action", .words(DryRun.Action.allCases.map(\.rawValue)),
                            """
                            What a bake would do: fetch it, ask whether the cached image is \
                            current, reuse the cached image, leave the reference since the image \
                            is not in the cache, refuse it because of a limit or a policy, skip \
                            it since it failed lately, or use the site's local image.
                            """),
                    ]), "The references that a bake would rewrite, in order."),
            Member(
                "totals",
                .record([
                    Member(
                        "references", .count, "All references, with those that stay as they are."),
                    Member("images", .count, "The distinct images."),
                    Member("fetch", .count, "To fetch."),
                    Member("revalidate", .count, "To confirm by a conditional request."),
                    Member("cached", .count, "In the cache, or fetched for another variant."),
                    Member("local", .count, "Images of the site itself."),
                    Member("left", .count, "Not in the cache, or failed lately."),
                ]), "The numbers that a bake would report."),
            Member("removed", .list(of: .text), "The files that --prune would remove."),
            layout,
        ])

    static let check = OutputSchema(
        "check", "imgbake check --json", "One object.",
        [
            documents,
            Member(
                "references",
                .records(
                    exactPlace + [
                        Member("url", .text, "The URL of the image."),
                        Member("kind", .text, "The kind of place, such as 'Markdown image'."),
                        pageSource,
                    ]), "The references to images of other hosts, in order."),
            diagnostics, layout,
        ])

    static let restore = OutputSchema(
        "restore", "imgbake restore --json", "One object.",
        [
            documents,
            Member("restored", .count, "The documents that were changed, or would be."),
            Member(
                "references",
                .records(exactPlace + [Member("url", .text, "The URL that was put back.")]),
                "The references whose URLs were put back, or would be, in order."),
            Member("left", .count, "The references whose URLs could not be put back."),
            Member("removedImages", .count, "The files of images that were removed."),
            diagnostics,
        ])

    static let prefetch = OutputSchema(
        "prefetch", "imgbake prefetch --json", "One object, when all URLs are done.",
        [
            Member("urls", .count, "The URLs, each counted once."),
            fetched,
            Member("unchanged", .count, "Confirmed by a conditional request."),
            Member("cached", .count, "Fresh in the cache."),
            Member("failed", .count, "Not fetched."),
            Member("bytes", .count, "The bytes that were downloaded."),
            uploaded,
            Member("seconds", .seconds, "The time that the command took."),
            diagnostics,
        ])

    static let manifest = OutputSchema(
        "manifest", "imgbake bake --manifest FILE", "The content of the file.",
        [
            Member("images", .records(imageMembers), "The images, in the order of their URLs.")
        ])

    private static let imageMembers = [
        imageURL,
        Member("source", source, "The image as it was fetched."),
        Member("variants", .list(of: variant), "The files that were made of it."),
        Member("uses", .list(of: place), "The places that name it, in order."),
    ]

    private static let source: JSONValue = .record(
        [
            Member("sha256", .digest, "The SHA-256 of its bytes."),
            ownBytes,
            Member("format", .text, "Its format, such as jpeg."),
        ] + size("In pixels, as shown; 0 for an SVG without a size."))

    private static let variant: JSONValue = .record(
        [
            Member("file", .text, "Its path, relative to the root of the output."),
            Member("format", .text, "Its format, such as webp."),
        ] + size("In pixels; 0 for an SVG without a size.") + [ownBytes, quality])

    static let quality = Member.optional(
        "quality", .count, "The encoder's number, from 1 to 100, if the encoding is lossy.")

    private static func size(_ help: String) -> [Member] {
        [Member("width", .count, help), Member("height", .count, help)]
    }

    private static let ownBytes = Member("bytes", .count, "Its size.")
}
