import ArgumentParser
import Baking
import Files
import Sites

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Bake a site whenever it changes, until Ctrl-C.",
        discussion: """
            Bakes once, and again after each change of a file, with one line for each bake. Errors \
            are shown after each bake until they are mended. Files of editors that exist only while \
            they save, and all that a bake writes, start no bake.

            With --exec, a command such as a generator runs before each bake; with --on, changes \
            of these folders count instead of those of the site. Without it, a file that changes \
            in two runs of the command is taken for its output.

            Exit codes: 2 bad usage or configuration; \(Interrupts.exitCodes).
            """
    )

    @Option(
        help: ArgumentHelp("Run this shell command before each bake.", valueName: "command"),
        transform: nonEmpty)
    var exec: String?

    @Option(
        help: ArgumentHelp(
            "Bake when this folder changes, instead of the site; may be given again.",
            valueName: "folder"),
        completion: .directory, transform: nonEmpty)
    var on: [String] = []

    @Flag(
        help: """
            Walk the folders every two seconds instead of waiting for events, which network file \
            systems do not send.
            """)
    var poll = false

    @OptionGroup var bake: BakeCommand

    func validate() throws {
        let unsuitable = [
            (bake.dryRun, "--dry-run"), (bake.baseline.updateBaseline, "--update-baseline"),
            (!bake.reports.report.isEmpty, "--report"), (bake.reporting.json, "--json"),
        ]
        if let (_, name) = unsuitable.first(where: \.0) {
            throw ValidationError("'\(name)' is for one bake, and 'watch' does many")
        }
    }

    func run() async throws {
        let environment = ProcessEnvironment.current
        let options = try bake.options(in: environment)
        if options.reading.documents.only != nil {
            throw UsageError("'watch' needs a folder, and \(bake.site) is a document")
        }
        let roots = on.isEmpty ? [options.input] : on.map(environment.absolute)
        for (root, name) in zip(roots, on.isEmpty ? [bake.site] : on)
        where exec == nil && !isFolder(root) {
            throw UsageError("there is no folder \(name)")
        }
        let report = WatchReport(bake.reporting)
        let watch = SiteWatch(
            WatchedFolders(roots, of: options), walks: poll
        ) { report.tell($0) }
        let session = WatchSession(
            bake: bake, exec: exec, guessesOutputs: on.isEmpty, watch: watch, report: report)
        do {
            try await Interrupts.cancelling(finishing: session.stop) { try await session.run() }
        } catch is CancellationError {
            throw ExitCode(Interrupts.exitCode)
        }
    }
}
