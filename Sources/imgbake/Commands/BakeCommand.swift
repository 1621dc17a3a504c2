import ArgumentParser
import Baking
import FetchCache
import Pages
import Pictures
import Sites

struct BakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bake",
        abstract: "Bake a site. This is the default: 'imgbake site/' does the same.",
        discussion: """
            The attributes data-imgbake-format, -quality, -max-width and -frames of an element \
            override the options of its images. data-imgbake="off" excludes the element. In place, \
            it stays in the document, so that the next bake excludes it too; with '-o' it is \
            removed from the copy.

            Exit codes: 0 success; 1 an image or a document was not baked; 2 bad usage or \
            configuration; \(Interrupts.exitCodes).
            """
    )

    @Argument(
        help: "The folder to bake, or one document.", completion: .file(), transform: nonEmpty)
    var site: String

    @Flag(help: "List the planned actions; change nothing and send no requests.")
    var dryRun = false

    @Flag(help: "Replace files in the output folder that no bake has written.")
    var force = false

    @OptionGroup(title: "Output") var output: SettingOptions<OutputGroup>
    @OptionGroup(title: "Output") var removal: PruneArguments
    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Site") var part: SelectionArguments
    @OptionGroup(title: "Images") var images: SettingOptions<ImageGroup>
    @OptionGroup(title: "Images") var sizes: SizesArguments
    @OptionGroup(title: "Fetching") var mode: RetryArguments
    @Flag(
        help: """
            Ask no server of an image: what this machine lacks is in cache.remote or cache.site, or is \
            not baked.
            """)
    var fromStore = false
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Lockfile") var lock: LockArguments
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Cache") var otherMachines: SettingOptions<OtherMachineGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments
    @OptionGroup(title: "Reporting") var policy: SettingOptions<ReportGroup>
    @OptionGroup(title: "Reporting") var baseline: BaselineArguments
    @OptionGroup(title: "Reporting") var reporting: ReportArguments
    @OptionGroup(title: "Reporting") var reports: ReportFileArguments

    func validate() throws {
        if dryRun, !reports.report.isEmpty {
            throw ValidationError("'--report' needs a bake: leave out '--dry-run'")
        }
        if fromStore, mode.mode != .normal || mode.retryFailed {
            throw ValidationError(
                "'--from-store' goes with none of '--refresh', '--offline' and '--retry-failed'")
        }
    }

    func run() async throws {
        var options = try options(in: .current)
        let files = try reports.files(for: options.input, in: .current)
        options.report = files.detail
        let bake = try Bake(options)
        let reporter = Reporter(reporting) { Progress(bake.counts, bake.transfers) }
        if let layout = bake.layout { reporter.note(layout.line) }
        if dryRun { return try await dryRun(bake, reporter) }
        let limit = Bake.stopTimeout.components.seconds
        let summary = try await reporter.run(
            ifInterrupted: "every file is complete; run again to bake the rest"
        ) {
            Console.error.write(
                "imgbake: stopping within \(limit) s; a second signal stops at once\n"
            )
            await bake.stop()
        } _: {
            try await bake.run { reporter.tell($0) }
        }
        try bake.report?.write(to: files, of: site)
        reporter.finish(text(of: summary, options.reading), summary)
        if summary.hasErrors { throw ExitCode(1) }
    }

    /// The totals; above them many failures by host, and with `--verbose` what took the most time
    /// and space.
    private func text(of summary: Summary, _ reading: ReadingOptions) -> String {
        let columns = Console.output.isTerminal ? Console.output.columns : nil
        let details = summary.details(
            isVerbose: reporting.verbose, columns: columns, isASCII: !Console.showsUnicode)
        return details + summary.text(reading)
    }

    private func dryRun(_ bake: Bake, _ reporter: Reporter) async throws {
        let plan = try await DryRun(bake).run { reporter.tell($0) }
        reporter.finish(plan.text(bake.options.reading), plan)
        if reporter.hasErrors { throw ExitCode(1) }
    }

    /// The options of the bake, from the arguments and the environment.
    func options(in environment: ProcessEnvironment) throws -> BakeOptions {
        let target = BakeTarget(site, in: environment)
        var settings = try Settings(
            configuration, output, reading, images, fetching, cache, otherMachines, policy,
            site: target.folder,
            isQuiet: reporting.quiet, isVerbose: reporting.verbose, in: environment)
        if settings.failures.hasPlaceholders, settings.output == nil {
            let name =
                settings.failures.usual == .placeholder
                ? "'--on-error placeholder'" : "a rule of 'failures' with 'action: placeholder'"
            throw UsageError(
                "\(name) needs '-o': in place, the URLs of the images would be lost")
        }
        if let document = target.document, settings.output != nil {
            throw UsageError(
                "'-o' writes a copy of a folder, and \(document) is a document: give its folder, or "
                    + "bake it in place")
        }
        settings.reading.documents.only = target.document
        try settings.requireFolder()
        var options = BakeOptions(settings, site: target.folder, in: environment)
        options.mode = mode.mode
        options.retryFailed = mode.retryFailed
        if fromStore {
            guard options.remote != nil || options.publishedSite != nil else {
                throw UsageError("'--from-store' needs 'cache.remote' or 'cache.site'")
            }
            options.mode = .offline
            options.asksOrigins = false
        }
        options.replacesOtherFiles = force
        options.selection = try part.selection(
            of: target, lockfile: lock.lockfile.lock, configuration, in: environment)
        if part.shard != nil, options.output == nil, !dryRun {
            throw UsageError(
                "'--shard' needs '-o FOLDER': parts that are baked in place cannot be joined")
        }
        let isPart = target.document != nil || options.selection.isPartial
        options.baseline = try baseline.baseline(
            settings, isWhole: !isPart && !dryRun, in: environment)
        try sizes.add(to: &options, configuration, site: target.folder, in: environment)
        options.pruneAfter = removal.seconds
        if removal.seconds != nil, isPart {
            throw UsageError(
                "'--prune' needs a bake of the whole site: other documents may name the images")
        }
        options.lock = try lock.read(configuration, site: target.folder, in: environment)
        return options
    }
}
