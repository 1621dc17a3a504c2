import ArgumentParser
import Baking
import FetchCache
import Files
import Locks
import Pages
import Pictures
import Reports
import Sites

struct PrefetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefetch",
        abstract: "Load the images of lists or sites into the cache.",
        discussion: """
            A list has a URL on each line; blank lines and lines that begin with '#' are ignored. \
            For a site, loads the images that a bake would fetch, and changes nothing. With \
            --transform, a bake with the same options then needs no request and decodes no image. \
            --styles, --media and --scripts do the same, if one site is given: which files a style \
            sheet names is known once it is made.

            With --list, nothing is loaded: the URLs are written as they are in the documents, with \
            signatures and passwords, for another machine to load.

            Exit codes: 0 success; 1 some failed; 2 bad usage or configuration; \
            \(Interrupts.exitCodes).
            """
    )

    @Argument(
        help: ArgumentHelp("A list, '-' for one on standard input, or a site.", valueName: "file"),
        completion: .file(), transform: nonEmpty)
    var files: [String]

    @Flag(help: "Also make the images that a bake of the site would make, into the cache.")
    var transform = false

    @Flag(help: "Write the URLs, one on each line, and load nothing.")
    var list = false

    @OptionGroup(title: "Site") var reading: SettingOptions<SiteGroup>
    @OptionGroup(title: "Site") var part: SelectionArguments
    @OptionGroup(title: "Images") var images: SettingOptions<ImageGroup>
    @OptionGroup(title: "Images") var sizes: SizesArguments
    @OptionGroup(title: "Fetching") var mode: RetryArguments
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Cache") var otherMachines: SettingOptions<OtherMachineGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments
    @OptionGroup(title: "Reporting") var policy: SettingOptions<ReportGroup>
    @OptionGroup(title: "Reporting") var reporting: ReportArguments

    func validate() throws {
        if transform, files.count != 1 || files[0] == "-" {
            throw ValidationError("'--transform' needs one site")
        }
        if sizes.sizesFile != nil, !transform {
            throw ValidationError("'--sizes-file' needs '--transform'")
        }
        if list, transform || reporting.json {
            throw ValidationError(
                "'--list' writes URLs: leave out '--transform' and '--json'")
        }
    }

    func run() async throws {
        let start = ContinuousClock.now
        let settings = try settings(in: .current)
        // Which files a style sheet names is known once it is made.
        if transform || !settings.reading.others.roles.isEmpty {
            return try await makeImages(settings, in: .current)
        }
        let severity = settings.failures.severity
        let list = try await self.list(settings, severity)
        // Nil before the first URL is done.
        let known = Locked<Prefetcher.Totals?>(nil)
        let transfers = TransferCounter()
        let reporter = Reporter(reporting) {
            let done = known.withLock { $0?.doneCount } ?? 0
            return Progress(done: done, of: list.urls.count, transfers.now)
        }
        if self.list { return try write(list, reporter) }
        let command = self
        let options = try bakeOptions(settings, in: .current)
        let log = DiagnosticLog(judge: options.judged) { reporter.tell($0) }
        let (totals, store) = try await reporter.run(
            ifInterrupted: "the images loaded so far are in the cache"
        ) {
            try await withCache(settings.fetching) { cache in
                let watch = transfers.follow(cache)
                defer { watch.cancel() }
                return try await command.load(list, settings, into: cache, log) { totals in
                    known.withLock { $0 = totals }
                }
            }
        }
        await log.flush()
        let summary = PrefetchSummary(
            urls: totals.totalCount + list.badLineCount, fetched: totals.downloadedCount,
            unchanged: totals.revalidatedCount, cached: totals.skippedCount,
            failed: totals.failedCount + list.badLineCount, bytes: totals.downloadedBytes,
            uploaded: store?.uploadCount ?? 0,
            seconds: (ContinuousClock.now - start) / .seconds(1), diagnostics: log.all.merged())
        reporter.finish(summary.line, summary)
        if reporter.hasErrors { throw ExitCode(1) }
    }

    /// Writes the URLs instead of loading them.
    private func write(_ list: PrefetchList, _ reporter: Reporter) throws {
        list.errors.forEach(reporter.tell)
        reporter.stop()
        Console.output.write(list.urls.map { $0 + "\n" }.joined())
        if reporter.hasErrors { throw ExitCode(1) }
    }

    /// The part of a site that is read.
    func selection(
        of site: String, in environment: ProcessEnvironment
    ) throws -> DocumentSelection {
        try part.selection(
            of: BakeTarget(site, in: environment), lockfile: nil, configuration, in: environment)
    }

    private func load(
        _ list: PrefetchList, _ settings: Settings, into cache: FetchManager,
        _ log: DiagnosticLog, note: @escaping @Sendable (Prefetcher.Totals) -> Void
    ) async throws -> (totals: Prefetcher.Totals, store: RemoteLevel?) {
        log.add(list.errors)
        let severity = settings.failures.severity
        var level: RemoteLevel?
        if mode.mode != .offline, var store = settings.store(in: .current) {
            store.fill()
            level = try store.add(to: cache, settings.fetching) {
                log.add([Diagnostic($0, .warning)])
            }
        }
        let requests = list.urls.map { url in
            var request = FetchRequest(url, mode: mode.mode)
            request.retryFailed = mode.retryFailed
            return request
        }
        let totals = try await Prefetcher(cache).prefetch(requests: requests) {
            request, result, totals in
            note(totals)
            switch result {
            case .success(let resource):
                guard let problem = resource.problem else { return }
                log.add(list.diagnostics(.warning, request.url, problem))
            case .failure(let error):
                log.add(list.diagnostics(severity, request.url, error.problem))
            }
        }
        return (totals, level)
    }

    func settings(in environment: ProcessEnvironment) throws -> Settings {
        let site = files.first {
            $0 != "-" && resolvedPath(environment.absolute($0) + "/.") != nil
        }
        var settings = try Settings(
            configuration, reading, images, fetching, cache, otherMachines, policy, site: site,
            isQuiet: reporting.quiet, isVerbose: reporting.verbose, in: environment)
        settings.fetching.refuseImages(over: settings.limits)
        if !transform { settings.reading.includesLocal = false }
        if list || site == nil || files.count > 1 { settings.reading.others = OtherFiles() }
        return settings
    }

    private func list(
        _ settings: Settings, _ severity: Diagnostic.Severity
    ) async throws -> PrefetchList {
        var list = PrefetchList()
        for file in files {
            let path = ProcessEnvironment.current.absolute(file)
            if file != "-", resolvedPath(path + "/.") != nil {
                let site = try SiteReferences(
                    SiteInput(file, settings, in: .current), severity: severity,
                    selection: selection(of: file, in: .current))
                list.add(try await site.run { list.add(error: $0) })
            } else {
                let bytes =
                    file == "-"
                    ? try readStandardInput()
                    : try? readFile(path, ofAnyKind: true).bytes
                guard let bytes else {
                    throw UsageError("the list \(file) does not exist or cannot be read")
                }
                if part.isGiven {
                    throw UsageError(
                        "'--shard' and '--changed-since' need a site, and \(file) is a list")
                }
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw UsageError("the list \(file) is not UTF-8")
                }
                list.add(list: text, named: file, severity)
            }
        }
        return list
    }
}

extension PrefetchCommand {
    /// The options of a bake of the first site or list.
    private func bakeOptions(
        _ settings: Settings, in environment: ProcessEnvironment
    ) throws -> BakeOptions {
        var options = BakeOptions(settings, site: files[0], in: environment)
        options.baseline = try settings.knownFailures(in: environment)
        return options
    }

    /// Makes the images of a site, into the cache alone.
    func makeImages(_ settings: Settings, in environment: ProcessEnvironment) async throws {
        guard resolvedPath(environment.absolute(files[0]) + "/.") != nil else {
            throw UsageError("'--transform' needs a site, and \(files[0]) is not a folder")
        }
        var options = try bakeOptions(settings, in: environment)
        options.publishes = false
        options.manifest = nil
        options.output = nil
        options.remote?.fill()
        try sizes.add(to: &options, configuration, site: files[0], in: environment)
        options.mode = mode.mode
        options.retryFailed = mode.retryFailed
        options.selection = try selection(of: files[0], in: environment)
        let bake = try Bake(options)
        let reporter = Reporter(reporting) { Progress(bake.counts, bake.transfers) }
        let summary = try await reporter.run(
            ifInterrupted: "the images made so far are in the cache"
        ) {
            try await bake.run { reporter.tell($0) }
        }
        reporter.finish(summary.text(options.reading), summary)
        if summary.hasErrors { throw ExitCode(1) }
    }
}

/// The result of a prefetch, for its last line and for `--json`.
struct PrefetchSummary: Encodable {
    /// The URLs, each counted once, and the lines of lists that are no URLs, which have failed.
    var urls: Int
    var fetched: Int
    var unchanged: Int
    var cached: Int
    var failed: Int
    var bytes: Int
    /// The objects that were uploaded to a store.
    var uploaded: Int
    /// Wall-clock seconds.
    var seconds: Double
    var diagnostics: [Diagnostic]

    /// The totals as one line.
    var line: String {
        let parts = [
            "\(fetched.grouped) fetched", "\(unchanged.grouped) unchanged",
            "\(cached.grouped) from cache", "\(failed.grouped) failed",
        ]
        let sent = uploaded > 0 ? "\(uploaded.of("object")) uploaded, " : ""
        return "\(urls.of("URL")) (\(parts.joined(separator: ", "))), \(bytes.asBytes) fetched, "
            + sent + seconds.asSeconds
    }
}
