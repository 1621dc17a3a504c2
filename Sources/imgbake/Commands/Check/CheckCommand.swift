import ArgumentParser
import Baking
import FetchCache
import Pictures
import Sites

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List the images, or all files, that a site loads from other hosts.",
        discussion: """
            Changes nothing and sends no requests. Images are not listed if data-imgbake="off", \
            imgbake-off comments, 'ignore' or 'ignore-urls' exclude them. Images that a rule of \
            'failures' or the baseline allows are warnings.

            With --all, everything else that a page requests from another host is listed too: style \
            sheets, fonts, scripts, media, frames, connections and beacons, with a table by kind and \
            host. What scripts, and files of other hosts, request themselves is not known.

            With --built, images of the site that do not exist are listed too. A path from the root \
            of the host is resolved with the base path of --site-url, or of the project around the \
            folder. With --lock too, the bytes of each published image must have the hash in its \
            name, and it must be made of an image of the lockfile.

            Exit codes: 0 no such images; 1 there are some, or a document cannot be read; 2 bad \
            usage or configuration.
            """
    )

    /// The output format of the findings.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json, github

        init?(argument: String) { self.init(rawValue: argument.lowercased()) }
    }

    @Argument(
        help: "The folder to check, or one document.", completion: .file(), transform: nonEmpty)
    var site: String

    @Option(
        help: ArgumentHelp(
            "The format; github writes annotations of a GitHub workflow. (default: text)",
            valueName: "format"))
    var format: Format?

    @Flag(help: "The folder is a built site: list the images that lead nowhere too.")
    var built = false

    @Flag(help: "List all requests to other hosts, not only those for images.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "With --built: the lockfile that says what published images are made of.",
            valueName: "file"),
        completion: .file(extensions: ["lock"]))
    var lock: String?

    @Flag(help: "Write one JSON object: the same as '--format json'.")
    var json = false

    @Flag(name: [.short, .long], help: "Write only errors.")
    var quiet = false

    @OptionGroup var reports: ReportFileArguments
    @OptionGroup var part: SelectionArguments
    @OptionGroup var policy: SettingOptions<BaselineGroup>
    @OptionGroup var baseline: BaselineArguments

    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments

    func validate() throws {
        if json, let format, format != .json {
            throw ValidationError("give one of '--json' and '--format \(format.rawValue)'")
        }
        if lock != nil, !built { throw ValidationError("'--lock' needs '--built'") }
    }

    func run() async throws {
        let environment = ProcessEnvironment.current
        let target = BakeTarget(site, in: environment)
        var settings = try Settings(
            configuration, reading, policy, cache, site: target.folder, isQuiet: quiet,
            in: environment, makesRequests: false)
        settings.reading.documents.only = target.document
        var check = try SiteCheck(
            SiteInput(target.folder, settings, in: environment), isBuilt: built,
            readsRequests: all,
            failures: settings.failures.rules,
            baseline: baseline.baseline(
                settings, isWhole: target.document == nil && !part.isGiven, in: environment))
        try await check.select(
            part.selection(of: target, lockfile: lock, configuration, in: environment))
        let files = try reports.files(
            for: environment.absolute(target.folder), in: environment, formats: [.sarif, .xml])
        var report = CheckReport(
            json ? .json : format ?? .text, isQuiet: quiet, isBuilt: built, listsAll: all)
        report.begin(
            documents: check.documents.count, check.errors + check.shardProblems, check.layout)
        var loaded: Set<String> = []
        try await inOrder(check.documents) { [check] file in
            check.findings(in: file)
        } each: { _, result in
            let findings = try result.get()
            loaded.formUnion(findings.loaded)
            report.add(findings)
        }
        if let lock {
            let path = environment.absolute(lock)
            guard let file = try Lockfile.read(path, named: lock)?.file else {
                throw UsageError("there is no lockfile \(lock)")
            }
            report.add(try await check.publishedImages(lockedBy: file))
        }
        report.add(check.finish(loaded: loaded, hasLockfile: lock != nil))
        let findings = report.findings(in: check.documentNames)
        for file in files { try file.write(findings.text(as: file.format)) }
        report.finish()
        if report.hasFailed { throw ExitCode(1) }
    }
}
