import ArgumentParser
import Baking
import Foundation
import Recipes
import Synchronization

/// Bakes a site.
struct BakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bake",
        abstract: "Bake a site: the default, 'imgbake site/' does the same.",
        discussion: """
            data-imgbake-format, -quality and -max-width on an element go before the options for its \
            images. data-imgbake="off" leaves the element alone; in place it stays in the document, \
            or the next bake would take the image, and with '-o' it is taken out of the copy.

            Exit codes: 0 all well; 1 some image or document was not baked; 2 bad usage or \
            configuration; 130 interrupted.
            """
    )

    @Argument(help: "The folder to bake.", completion: .directory)
    var site: String

    @OptionGroup(title: "Output") var output: OutputArguments
    @OptionGroup(title: "Site") var reading: ReadingArguments
    @OptionGroup(title: "Images") var images: ImageArguments
    @OptionGroup(title: "Fetching") var fetching: FetchArguments
    @OptionGroup(title: "Cache") var cache: CacheArguments
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments
    @OptionGroup(title: "Reporting") var reporting: ReportArguments

    func validate() throws {
        // An unset variable in a script must not come to mean the current folder.
        if site.isEmpty { throw ValidationError("The folder to bake is an empty name.") }
    }

    func run() async throws {
        let bake = Bake(try options(in: .current))
        let reporter = Reporter(reporting) { Progress(bake.counts, bake.transfers) }
        if let layout = try bake.options.layoutReport() { reporter.note(layout.line) }
        if output.dryRun { return try await dryRun(bake.options, reporter) }
        reporter.start()
        defer { reporter.stop() }
        do {
            let summary = try await Interrupts.cancelling {
                try await bake.run { reporter.tell($0) }
            }
            try reporter.finish(summary.line, summary)
            if summary.hasErrors { throw ExitCode(1) }
        } catch is CancellationError {
            reporter.interrupted("every file is whole, run again to bake the rest")
            throw ExitCode(Interrupts.exitCode)
        }
    }

    private func dryRun(_ options: BakeOptions, _ reporter: Reporter) async throws {
        let hasErrors = Mutex(false)
        let plan = try await DryRun(options).run { diagnostic in
            reporter.tell(diagnostic)
            hasErrors.withLock { $0 = $0 || diagnostic.severity == .error }
        }
        try reporter.finish(plan.text, plan)
        if hasErrors.withLock(\.self) { throw ExitCode(1) }
    }

    /// The arguments as options; here alone the surroundings play a part.
    private func options(in surroundings: Surroundings) throws -> BakeOptions {
        var settings = try Settings(
            configuration, cache, site: site, isQuiet: reporting.quiet, in: surroundings)
        try settings.apply(fetching, in: surroundings)
        settings.apply(reading)
        settings.apply(images)
        settings.apply(output, in: surroundings)
        settings.log(verbose: reporting.verbose)
        settings.dropMissingCaches(isQuiet: reporting.quiet)
        var options = BakeOptions(
            input: surroundings.absolute(site), worker: surroundings.worker,
            workerCount: settings.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            fetching: settings.fetching)
        options.displayName = site
        options.output = settings.output
        options.isSynced = settings.isSynced
        options.copiesHidden = settings.copiesHidden
        options.reading = settings.reading
        options.variants = settings.variants
        options.limits.pixels = settings.maximumPixels
        options.limits.seconds = settings.imageTimeout / .seconds(1)
        options.allowsWeakSandbox = settings.allowsWeakSandbox
        options.failureSeverity = (reporting.onError ?? settings.onError).severity
        options.mode = fetching.mode
        options.retryFailed = fetching.retryFailed
        return options
    }
}

extension ErrorPolicy {
    /// What it counts as that an image cannot be had.
    var severity: Diagnostic.Severity { self == .fail ? .error : .warning }
}
