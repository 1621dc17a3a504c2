import Baking

/// The output of `imgbake explain`.
extension OutputSchema {
    static let explain = OutputSchema(
        "explain", "imgbake explain URL --json", "One object.",
        [
            Member(
                "images",
                .records([
                    imageURL,
                    Member("uses", .list(of: place), "The places that name it, in order."),
                    Member(
                        "elements",
                        .records(
                            exactPlace + [
                                Member(
                                    "decisions", .list(of: .text),
                                    "The widths, formats and placeholder, each with its reason.")
                            ]),
                        "The elements of --responsive and --placeholder, in the order of 'uses'."),
                    Member(
                        "overrides",
                        .records([
                            Member("origin", .text, "Where the rule is written."),
                            Member(
                                "set", ["type": "object", "additionalProperties": .text],
                                "The settings, as written."),
                            Member(
                                "documents", .list(of: .text),
                                "The documents in which it counts for the image."),
                        ]),
                        """
                        The rules of 'overrides' for the image, in the order of the file; a later one \
                        counts more.
                        """),
                    .optional("locked", lockedImage, "The image in the lockfile."),
                    .optional("stored", storedImage, "The answer in the cache."),
                    .optional(
                        "failure", .text,
                        "Why the URL is not requested at present, or the stored answer is not used."
                    ),
                    Member(
                        "variants",
                        .records([
                            Member(
                                "use",
                                .words(ImageExplanation.Variant.Use.allCases.map(\.rawValue)),
                                """
                                What it is for: the image itself, a srcset, or a source of a \
                                <picture>.
                                """),
                            Member(
                                "decisions", .list(of: .text),
                                "The format, width and quality, each with its reason."),
                            .optional("file", .text, "The name of the file, if it is made."),
                            .optional("format", .text, "Its format, such as webp."),
                            .optional("width", .count, "In pixels; 0 for an SVG without a size."),
                            .optional("height", .count, "In pixels; 0 for an SVG without a size."),
                            .optional("bytes", .count, "Its size."), quality,
                        ]), "The files that a bake makes of it, if its header is known."),
                ]), "The images, in the order of their first places.")
        ])

    private static let storedImage: JSONValue = .record([
        Member("status", .status, "The status of the answer."),
        Member("bytes", .count, "The size of the content."),
        Member("sha256", .digest, "The SHA-256 of the content."),
        Member("mediaType", .text, "The media type, detected from the first bytes."),
        Member("age", .count, "The age of the answer in seconds."),
        Member("freshFor", .count, "For how many seconds it is fresh; 0 if it is stale."),
        Member("freshness", .text, "Why it is fresh for that long."),
        .optional("warning", .text, "The problem in spite of which it is used."),
    ])
}
