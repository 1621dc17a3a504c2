import ArgumentParser
import FetchCache

/// The arguments of a bake that removes files.
struct PruneArguments: ParsableArguments {
    @Flag(
        help: """
            Remove images of earlier bakes that no file names any more, and with '-o' copies of files \
            that are gone.
            """)
    var prune = false

    @Option(
        help: ArgumentHelp(
            """
            As --prune, but keep an image until no file has named it for this time, for cached pages: \
            30d.
            """,
            valueName: "time"),
        transform: { text in
            guard let span = TimeSpan(text) else {
                throw ValidationError("'\(text)' is not \(TimeSpan.notation)")
            }
            return span.duration
        })
    var pruneAfter: Duration?

    /// After how many seconds an image is removed; nil for never.
    var seconds: Int64? { pruneAfter?.components.seconds ?? (prune ? 0 : nil) }
}
