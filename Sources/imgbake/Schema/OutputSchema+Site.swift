import Baking

/// The outputs of commands that read a site.
extension OutputSchema {
    static let bake = OutputSchema(
        "bake", "imgbake bake --json", "One object, when the bake has ended.",
        [
            Member("documents", .count, "The documents that were found."),
            Member("rewritten", .count, "The documents that were written."),
            Member("references", .count, "The references to images that are baked."),
            Member(
                "images",
                .record([
                    Member("total", .count, "The distinct images."),
                    Member("fetched", .count, "Downloaded completely."),
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
            Member("seconds", .seconds, "The time that the bake took."),
            Member(
                "slowest",
                .list(
                    of: .record([
                        Member("url", .text, "The URL."),
                        Member("host", .text, "The host, with its port if the URL has one."),
                        Member("seconds", .seconds, "The time that the network took."),
                    ])), "The images that were waited for the longest; at most five."),
            Member(
                "largest",
                .list(
                    of: .record([
                        Member("url", .text, "The URL, or the path of an image of the site."),
                        Member("before", .count, "The bytes as fetched."),
                        Member("after", .count, "The bytes of all files that were made of it."),
                    ])), "The largest images; at most five."),
            Member(
                "failures",
                .list(
                    of: .record([
                        Member("host", .text, "The host, with its port if the URL has one."),
                        code,
                        Member("reason", .text, "The event and its cause."),
                        Member("images", .count, "The number of images."),
                    ])), "The failed images, by host and reason."),
            diagnostics, layout,
        ])

    static let dryRun = OutputSchema(
        "dry-run", "imgbake bake --dry-run --json", "One object.",
        [
            Member("documents", .count, "The documents that were found."),
            Member(
                "references",
                .list(
                    of: .record([
                        documentOfPlace, lineOfPlace, columnOfPlace,
                        Member("url", .text, "The URL or the path of the image."),
                        Member(
                            "action", .words(DryRun.Action.allCases.map(\.rawValue)),
                            """
                            What a bake would do: fetch it, ask whether the cached image is \
                            current, reuse the cached image, leave the reference since the image \
                            is not in the cache, skip it since it failed lately, or use the \
                            site's local image.
                            """),
                    ])), "The references that a bake would rewrite, in order."),
            layout,
        ])

    static let check = OutputSchema(
        "check", "imgbake check --json", "One object.",
        [
            Member("documents", .count, "The documents that were found."),
            Member(
                "references",
                .list(
                    of: .record([
                        documentOfPlace, lineOfPlace, columnOfPlace,
                        Member("url", .text, "The URL of the image."),
                        Member("kind", .text, "The kind of place, such as 'Markdown image'."),
                    ])), "The references to images of other hosts, in order."),
            diagnostics, layout,
        ])

    static let prefetch = OutputSchema(
        "prefetch", "imgbake prefetch --json", "One object, when all URLs are done.",
        [
            Member("urls", .count, "The URLs, each counted once."),
            Member("fetched", .count, "Downloaded completely."),
            Member("unchanged", .count, "Confirmed by a conditional request."),
            Member("cached", .count, "Fresh in the cache."),
            Member("failed", .count, "Not fetched."),
            Member("bytes", .count, "The bytes that were downloaded."),
            Member("seconds", .seconds, "The time that the command took."),
            diagnostics,
        ])

    static let manifest = OutputSchema(
        "manifest", "imgbake bake --manifest FILE", "The content of the file.",
        [
            Member(
                "images",
                .list(
                    of: .record([
                        Member("url", .text, "The URL, or the path of an image of the site."),
                        Member("source", source, "The image as it was fetched."),
                        Member("variants", .list(of: variant), "The files that were made of it."),
                        Member("uses", .list(of: place), "The places that name it, in order."),
                    ])), "The images, in the order of their URLs.")
        ])

    private static let source: JSONValue = .record([
        Member("sha256", .digest, "The SHA-256 of its bytes."),
        Member("bytes", .count, "Its size."),
        Member("format", .text, "Its format, such as jpeg."),
        Member("width", .count, "In pixels, as shown; 0 for an SVG without a size."),
        Member("height", .count, "In pixels, as shown; 0 for an SVG without a size."),
    ])

    private static let variant: JSONValue = .record([
        Member("file", .text, "Its path, relative to the root of the output."),
        Member("format", .text, "Its format, such as webp."),
        Member("width", .count, "In pixels; 0 for an SVG without a size."),
        Member("height", .count, "In pixels; 0 for an SVG without a size."),
        Member("bytes", .count, "Its size."),
    ])
}

/// Parts of several outputs.
extension OutputSchema {
    static let documentOfPlace = Member(
        "document", .text, "The path of the document, in the form in which it was given.")
    static let lineOfPlace = Member("line", .position, "Counted from 1.")
    static let columnOfPlace = Member("column", .position, "Counted from 1, in characters.")

    /// A place of a diagnostic; a list has no columns, and an unreadable document not even lines.
    static let place: JSONValue = .record([
        documentOfPlace, .optional("line", .position, "Counted from 1."),
        .optional("column", .position, "Counted from 1, in characters."),
    ])

    static let code = Member(
        "code", .words(DiagnosticCode.allCases.map(\.rawValue)),
        "The kind of problem: see 'imgbake explain CODE'.")

    static let diagnostics = Member(
        "diagnostics",
        .list(
            of: .record([
                code,
                Member("severity", .words(["warning", "error"]), "Errors change the exit code."),
                Member("places", .list(of: place), "The places that name the image."),
                .optional(
                    "url", .text, "The URL or the path of the image, without credentials."),
                Member("reason", .text, "The event and its cause."),
                Member("remedy", .text, "The action that solves the problem."),
            ])), "The messages, one for each image and cause.")

    static let layout = Member.optional(
        "layout",
        .record([
            Member(
                "generator", .words(Generator.Name.allCases.map(\.rawValue)),
                "The generator of the project."),
            .optional(
                "configuration", .text,
                "The configuration that was found, relative to the input folder."),
            Member("imageDirectory", .text, "The image folder, relative to the input folder."),
            .optional("publicPath", .text, "The URL of the image folder, if it is known."),
        ]), "The layout of a project that a generator builds; missing for any other folder.")
}
