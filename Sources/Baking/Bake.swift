import Documents
import FetchCache
import Files
import FoundationEssentials
import Locks
import Pages
package import Pictures
package import Reports
package import Sites
import WorkerSandbox

/// One run over a site: scan, fetch, transform, rewrite.
///
/// ```text
/// documents ──scan──▶ references ──resolve──▶ URLs, each once
///                                                │ FetchCache
///                                                ▼
/// documents ◀─splice── paths ◀──name── variants ◀─transform─ sources
/// ```
package final class Bake: Sendable {
    package let options: BakeOptions
    private let tally = Tally()
    private let transferCounter = TransferCounter()
    /// The images of the run; nil before the first document is baked.
    private let images = Locked<SharedImages?>(nil)
    private let made = Locked<BakeReport?>(nil)
    /// The remote store; nil if there is none.
    private let remote = Locked<RemoteLevel?>(nil)
    /// The site before the scan.
    let site: Site

    /// - Throws: ``BakeError`` if the folder cannot be used, or its layout cannot be determined.
    package init(_ options: BakeOptions) throws(BakeError) {
        self.options = options
        var site = try options.site()
        site.reading.recordsURLs = site.isInPlace && options.rewrites && options.publishes
        self.site = site
    }

    /// The work done so far, for the progress display.
    package var counts: Counts { tally.now }

    /// What ``BakeOptions/report`` asks for; nil before the bake has ended.
    package var report: BakeReport? { made.withLock(\.self) }

    /// The transfers that are running, for the progress display.
    package var transfers: TransferCounts { transferCounter.now }

    /// The site's layout; nil if it has none.
    package var layout: LayoutReport? { LayoutReport(site.reading) }

    /// Runs the bake.
    ///
    /// The caller must not run the same value twice.
    ///
    /// - Parameter tell: Called with each diagnostic as soon as it is known, from any thread.
    /// - Returns: The summary. A failed image is not an error: it is in the summary's diagnostics.
    /// - Throws: ``BakeError`` if there is nothing to bake or no place to write to.
    ///   ``FatalProblem`` if the image worker cannot be started.
    ///   `CancellationError` if the task was cancelled; each file that was written until then is
    ///   complete.
    package func run(tell: @escaping @Sendable (Diagnostic) -> Void) async throws -> Summary {
        let log = DiagnosticLog(
            judge: { [policy = options.messagePolicy] in policy.judged($0) }, tell: tell)
        do {
            let summary = try await run(log)
            await log.flush()
            return summary
        } catch {
            await log.flush()
            throw error
        }
    }

    /// The time that ``stop()`` waits for work that has begun.
    package static let stopTimeout = RemoteLevel.stopTimeout

    /// Starts no more images and waits for those that are being fetched or made, for at most
    /// ``stopTimeout``.
    ///
    /// Documents whose images are ready by then are written. To end the run, cancel its task after
    /// this call. Incomplete downloads are kept, and the next run continues them.
    package func stop() async {
        remote.withLock(\.self)?.limitDrain(to: Self.stopTimeout)
        await images.withLock(\.self)?.stop(within: Self.stopTimeout)
    }

    private func run(_ log: DiagnosticLog) async throws -> Summary {
        let start = (instant: ContinuousClock.now, time: options.fetching.now())
        let input = try BakeInput(options, site)
        // Nothing is written before this.
        ResourceLimits.raiseOpenFiles()
        let setup = BakeSetup(options: options, tally: tally)
        let cache = try setup.openCache()
        return try await closing(cache) {
            try await run(input, setup, cache, log, since: start)
        }
    }

    private func run(
        _ input: BakeInput, _ setup: BakeSetup, _ cache: FetchManager, _ log: DiagnosticLog,
        since start: (instant: ContinuousClock.Instant, time: Int64)
    ) async throws -> Summary {
        var memory = await SiteMemory(of: input.site, cache: cache)
        var site = input.site
        log.add(site.complete(with: input.scan, &memory))
        site.reading.data = try await SiteReferences.data(of: site, without: options.skippedFolders)
        let files = try await options.selection.files(of: input.scan.files, in: site)
        let mark = try await options.outputMark(for: files, of: input.scan.files, in: site)
        tally.add { $0.documents = files.count(where: \.isDocument) }
        let watch = transferCounter.follow(cache)
        let published = try setup.addSite(site, to: cache, log)
        let store = try setup.addRemote(to: cache, log)
        remote.withLock { $0 = store }
        let pool = setup.pool { log.add([$0]) }
        let baker = try await setup.baker(of: site, cache: cache, pool: pool, mark)
        images.withLock { $0 = baker.images }
        // A machine whose cache is empty needs the index, and has to start a worker meanwhile.
        if let published, await !baker.images.pipeline.programs.areKnown() { published.prepare() }
        let result = await bake(files, baker, pool, log)
        let loaded = baker.images.remoteURLs(unasked: baker.state?.unasked ?? [])
        log.add(
            site.unreadFileDiagnostics(files, besides: loaded, as: .warning, &memory))
        // Pictures of a report do not count as work of the bake.
        let counts = tally.now
        let pictures = await pictures(of: baker, if: result)
        pool.stop()
        baker.images.forgetAll()
        if case .success = result { await protectUses(since: start.time, of: site, baker, cache) }
        await finish(baker, log)
        await memory.save()
        await cache.close()
        await watch.value
        try result.get()
        let removed = try await prune(site, input, baker, mark, log)
        addNotes(input, baker, cache, log)
        log.add(cache.damageWarnings + cache.sizeWarnings)
        let summary = summary(counts, removed, of: site, log, since: start.instant)
        if options.report != .nothing {
            let report = BakeReport(
                documents: files.filter(\.isDocument).map { site.name($0.path) },
                totals: summary, uses: baker.collector?.all ?? [],
                seconds: tally.imageSeconds(transferCounter.now.seconds),
                pictures: pictures)
            made.withLock { $0 = report }
        }
        return summary
    }

    private func bake(
        _ files: [SiteFile], _ baker: DocumentBaker, _ pool: WorkerPool, _ log: DiagnosticLog
    ) async -> Result<Void, any Error> {
        let result: Result<Void, any Error>
        do {
            try await withTaskCancellationHandler {
                try await SiteBaker(baker: baker, tally: tally).bake(files) { log.add($0) }
            } onCancel: {
                pool.stop()
                baker.images.cancel()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        if let state = baker.state { baker.images.countUnasked(in: state) }
        return result
    }

    /// The pictures that a report shows.
    private func pictures(
        of baker: DocumentBaker, if result: Result<Void, any Error>
    ) async -> [String: ImagePictures] {
        guard options.report == .pictures, case .success = result else { return [:] }
        let maker = baker.images.pictureMaker(for: baker.output)
        return (try? await maker.pictures(of: baker.collector?.all ?? [])) ?? [:]
    }

    /// Writes what the next bake reads.
    private func finish(_ baker: DocumentBaker, _ log: DiagnosticLog) async {
        do throws(FileError) {
            try baker.origins?.finish()
        } catch {
            log.add([Diagnostic(error.problem, .error)])
        }
        do throws(FileError) {
            try await baker.images.save()
        } catch {
            log.add([Diagnostic(error.problem, .error)])
        }
        await baker.state?.save()
    }

    /// Keeps what this bake has used in the cache until the next bake of the same site.
    ///
    /// The use of an image was recorded earlier if its documents were left alone.
    private func protectUses(
        since start: Int64, of site: Site, _ baker: DocumentBaker, _ cache: FetchManager
    ) async {
        let isPart = options.reading.documents.only != nil || options.selection.changes != nil
        if isPart { return }
        let time = baker.state?.hasSkipped == true ? start - BuildState.longestTrust : start
        let shard = options.selection.shard.map { " \($0.number)/\($0.count)" } ?? ""
        try? await cache.protect(
            usesSince: Date(timeIntervalSince1970: Double(time) / 1000),
            by: "\(site.root) \(baker.output.root)\(shard)")
    }

    /// Adds the messages that only the end of a bake knows.
    private func addNotes(
        _ input: BakeInput, _ baker: DocumentBaker, _ cache: FetchManager, _ log: DiagnosticLog
    ) {
        log.add(tally.kept.diagnostics)
        if tally.now.documentsRead == tally.now.documents {
            log.add(
                options.effectNotes(
                    baker.site, input.scan.files, hasLists: baker.origins?.hasLists == true,
                    hosts: cache.unusedHosts))
        }
        log.add(options.sizesNotes(tally.kept))
        if let manifest = input.manifest {
            log.add(manifest.write(baker.collector?.manifest ?? ImageManifest([])))
        }
        if options.isWhole, let baseline = options.baseline {
            log.addJudged(baseline.finish(judging: Baseline.isOfBake))
        }
    }

    private func summary(
        _ counts: Counts, _ removed: Int, of site: Site, _ log: DiagnosticLog,
        since start: ContinuousClock.Instant
    ) -> Summary {
        let sources = log.all.isEmpty ? nil : SourcePages(of: site)
        var summary = Summary(
            counts, seconds: (ContinuousClock.now - start) / .seconds(1),
            diagnostics: log.all.map { sources?.adding(to: $0) ?? $0 })
        summary.layout = LayoutReport(site.reading)
        summary.slowest = tally.slowestImages(transferCounter.now.seconds)
        summary.largest = tally.largestImages
        summary.removed = removed
        summary.uploaded = remote.withLock(\.self)?.uploadCount ?? 0
        return summary
    }

    /// Removes what nothing names any more, if that is wanted.
    ///
    /// - Returns: The number of removed files.
    private func prune(
        _ site: Site, _ input: BakeInput, _ baker: DocumentBaker, _ mark: OutputMark?,
        _ log: DiagnosticLog
    ) async throws -> Int {
        let output = baker.output
        guard let pruning = options.pruning(of: site, in: output.root, mark) else { return 0 }
        if let error = input.scan.errors.first {
            log.add(SitePruning.nothing(error.description).diagnostics)
            return 0
        }
        let plan = try await pruning.plan(
            used: baker.images.hashes, stems: baker.images.failedStems)
        log.add(plan.diagnostics)
        let removed = pruning.run(plan, in: output)
        do throws(FileError) {
            if !plan.copies.isEmpty { try mark?.write(in: output, replacing: Set(plan.copies)) }
            if let named = plan.named { try baker.origins?.finish(naming: named) }
        } catch {
            log.add([Diagnostic(error.problem, .error)])
        }
        return removed
    }
}

/// What a bake reads and checks before it writes anything.
private struct BakeInput {
    let site: Site
    let scan: SiteScan.Result
    let manifest: ManifestFile?

    init(_ options: BakeOptions, _ site: Site) throws {
        var site = site
        scan = SiteScan(
            root: site.root, skipped: options.skippedFolders, reading: site.reading,
            hidden: options.hiddenFiles(of: site)
        ).run()
        try Task.checkCancellation()
        try site.adopt(scan)
        self.site = site
        manifest = options.manifest.map { ManifestFile(path: $0) }
        try manifest?.check(against: scan.files, copiedTo: site.isInPlace ? nil : options.root)
        try SiteOrigins.requireKnownVersions(of: site)
    }
}
