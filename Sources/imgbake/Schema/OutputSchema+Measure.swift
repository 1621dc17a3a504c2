/// The output of `imgbake measure`.
extension OutputSchema {
    static let measure = OutputSchema(
        "measure", "imgbake measure --json", "One object.",
        [
            documents,
            Member("pages", .count, "The pages that were measured."),
            Member("images", .count, "The images that were measured."),
            Member("groups", .count, "The groups with a width."),
            Member(
                "isChanged", .flag,
                "Whether the file was written; with --check, whether a width differs."),
            .optional(
                "largestDifference",
                .record([
                    Member("page", .text, "The path of the page."),
                    Member("place", .text, "The place of the image in its page."),
                    Member("window", .count, "The width of the window in pixels."),
                    Member("width", .seconds, "The width of the image in pixels."),
                    Member("predicted", .seconds, "The width of its group in pixels."),
                    Member(
                        "percent", .seconds,
                        "The difference in percent of the width; 0 for two pixels and less."),
                ]), "The image that differs most from its group; without --check."),
            diagnostics,
        ])
}
