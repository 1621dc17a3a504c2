import ArgumentParser
import Baking
import Synchronization

/// The command: arguments in, an exit code out.
///
/// Exit codes: 0 all well, 1 something was not baked, 2 bad usage, 130 interrupted.
struct ImgBake: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "imgbake",
        abstract: "Make a static site own its images.",
        usage: """
            imgbake site/                   bake in place
            imgbake content/ -o public/     leave the input alone, write a baked copy
            """,
        discussion: """
            Finds every image that the Markdown, HTML and CSS below a folder take from other hosts, \
            fetches each once, scales and encodes it, and rewrites the references to local files \
            named by their content. What was fetched is kept in a cache and only asked for again \
            when it is stale.

            Exit codes: 0 all well; 1 some image or document was not baked; 2 bad usage; 130 \
            interrupted.
            """,
        version: version
    )

    @Argument(help: "The folder to bake.", completion: .directory)
    var site: String

    @OptionGroup(title: "Output") var output: OutputArguments
    @OptionGroup(title: "Images") var images: ImageArguments
    @OptionGroup(title: "Fetching") var fetching: FetchArguments
    @OptionGroup(title: "Reporting") var reporting: ReportArguments

    func validate() throws {
        // An unset variable in a script must not come to mean the current folder.
        if site.isEmpty { throw ValidationError("The folder to bake is an empty name.") }
        try output.check()
        try images.check()
        try fetching.check()
        try reporting.check()
    }

    func run() async throws {
        let bake = Bake(try options(in: .current))
        let reporter = Reporter(reporting) { Progress(bake.counts, bake.activity) }
        if output.dryRun {
            let hasErrors = Mutex(false)
            let plan = try await DryRun(bake.options).run { diagnostic in
                reporter.tell(diagnostic)
                hasErrors.withLock { $0 = $0 || diagnostic.severity == .error }
            }
            try reporter.finish(plan)
            if hasErrors.withLock(\.self) { throw ExitCode(1) }
            return
        }
        reporter.start()
        defer { reporter.stop() }
        do {
            let summary = try await Interrupts.cancelling {
                try await bake.run { reporter.tell($0) }
            }
            try reporter.finish(summary)
            if summary.hasErrors { throw ExitCode(1) }
        } catch is CancellationError {
            reporter.interrupted()
            throw ExitCode(Interrupts.exitCode)
        }
    }
}
