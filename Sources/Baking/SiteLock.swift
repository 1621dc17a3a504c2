import FetchCache
import Files
import Locks
import Pages
package import Pictures
package import Reports
import Secrets
package import Sites

/// Writes the lockfile of a site, or says what would change in it.
package struct SiteLock: Sendable {
    /// A line that another image got.
    package struct Change: Codable, Hashable, Sendable {
        package var url: String
        package var before: Lockfile.Image
        package var after: Lockfile.Image
    }

    package struct Result: Codable, Sendable {
        /// The number of documents.
        package var documents = 0
        /// The number of locked images.
        package var images = 0
        /// Whether the file was written, or would be.
        package var isChanged = false
        package var added: [Lockfile.Image] = []
        package var changed: [Change] = []
        package var removed: [Lockfile.Image] = []
        package var diagnostics: [Diagnostic] = []
    }

    private let site: Site
    private let skipped: [String]
    /// The options of the bake that the images are for.
    private var bake: BakeOptions
    private let lockfile: (name: String, path: String)
    private let updated: [Glob]
    private let isCheck: Bool

    private let work = Locked((done: 0, total: 0))
    private let transferCounter = TransferCounter()

    /// The URLs that were asked for so far, for the progress display; 0 of 0 while documents are read.
    package var counts: (done: Int, total: Int) { work.withLock(\.self) }

    /// The transfers that are running, for the progress display.
    package var transfers: TransferCounts { transferCounter.now }

    /// - Parameters:
    ///   - input: The site.
    ///   - bake: The options of the bake that the images are for.
    ///   - lockfile: The path of the lockfile, in messages and absolute.
    ///   - updated: The URLs whose images are locked anew; a `*` matches any characters.
    ///   - isCheck: Whether nothing is written and no new image is requested.
    /// - Throws: ``BakeError`` if the folder does not exist.
    package init(
        _ input: SiteInput, for bake: BakeOptions, lockfile: (name: String, path: String),
        updating updated: [Glob], isCheck: Bool
    ) throws(BakeError) {
        site = try input.site()
        skipped = input.skipped
        (self.bake, self.lockfile) = (bake, lockfile)
        self.bake.publishes = false
        // Who locks wants to know what the server answers now.
        self.bake.retryFailed = true
        (self.updated, self.isCheck) = (updated, isCheck)
    }

    /// Locks the images that the documents name, if a bake can make them.
    ///
    /// The image of a URL that is locked stays, unless it is to be updated. Lines that no document
    /// needs are removed, if all documents could be read. A URL whose image cannot be fetched or made
    /// keeps its line.
    ///
    /// - Parameter tell: Called with each diagnostic.
    /// - Returns: The changes of the lockfile.
    /// - Throws: ``FatalProblem`` if the lockfile cannot be used or written; ``BakeError``;
    ///   `CancellationError`.
    package func run(tell: @escaping (Diagnostic) -> Void) async throws -> Result {
        let old = try Lockfile.read(lockfile.path, named: lockfile.name)
        var result = Result()
        let policy = bake.messagePolicy
        func add(_ diagnostics: [Diagnostic]) {
            let judged = diagnostics.compactMap(policy.judged)
            result.diagnostics += judged
            judged.forEach(tell)
        }
        var site = site
        site.reading.data = try await SiteReferences.data(of: site, without: Set(skipped))
        let found = try await references(of: site).run { add([$0]) }
        result.documents = found.documents
        let remote = found.places.filter { $0.source.url != nil }
        let places = Dictionary(grouping: remote, by: \.source.key)
        let urls = places.keys.sorted()
        let requests = Dictionary(found.images.map { ($0.source.key, $0) }) { first, _ in first }
        // Which files a style sheet names is known once it is read.
        let sheets = urls.filter { requests[$0]?.kind == .style }
        let known = old?.file ?? Lockfile()
        try requireUsed(sheets.isEmpty ? urls : urls + known.images.keys)
        let wanted = urls.filter { url in
            if isUpdated(url) { return true }
            return known.image(of: url) == nil ? !isCheck : sheets.contains(url)
        }.compactMap { requests[$0] }
        let files = try await load(wanted, places, known: known)
        add(files.diagnostics)
        // A document or a sheet that cannot be read may name any of the files.
        let isComplete = found.isComplete && sheets.allSatisfy(files.loaded.contains)
        var new = isComplete ? Lockfile() : known
        for name in (urls + files.asked).map(lockedURL) { new.images[name] = known.images[name] }
        for image in files.new { new.images[image.url] = image }
        if isCheck {
            for url in urls where new.images[lockedURL(url)] == nil {
                add(diagnostics(.notLocked, url, places))
            }
        }
        compare(known, new, &result)
        if isCheck {
            for image in result.removed {
                let place = Diagnostic.Place(
                    lockfile.name, line: known.lines[image.url])
                let problem = Problem(.unusedLock, "no document names this URL any more")
                add([Diagnostic(problem, .error, at: place, url: image.url)])
            }
        }
        result.images = new.images.count
        result.isChanged = old?.bytes != new.encoded
        if result.isChanged, !isCheck {
            try CommittedFile(path: lockfile.path, name: lockfile.name)
                .write(new.encoded)
        }
        result.diagnostics = result.diagnostics.merged()
        return result
    }

    private func references(of site: Site) -> SiteReferences {
        // In place, the URLs of images that were baked are in the list of their origins.
        SiteReferences(
            site: site, skipped: skipped, severity: .warning,
            variants: bake.variants, origins: SiteOrigins.undoingAll)
    }

    private func isUpdated(_ url: String) -> Bool {
        updated.contains { $0.matches(url) || $0.matches(lockedURL(url)) }
    }

    /// - Throws: ``BakeError`` if no document names a URL that is to be updated.
    private func requireUsed(_ urls: [String]) throws(BakeError) {
        for pattern in updated
        where !urls.contains(where: { pattern.matches($0) || pattern.matches(lockedURL($0)) }) {
            throw BakeError(
                "no document names the URL \(withoutSecrets(pattern.pattern)) of '--update'")
        }
    }

    /// What was loaded for a lockfile.
    private struct LoadedFiles {
        /// The URLs of documents that gave a file.
        var loaded: Set<String> = []
        /// All URLs, with those that style sheets name.
        var asked: [String] = []
        /// The lines of files that a bake can use and that were not locked.
        var new: [Lockfile.Image] = []
        var diagnostics: [Diagnostic] = []
    }

    /// Requests files as a bake does, with those that style sheets name.
    private func load(
        _ requests: [ImageRequest], _ places: [String: [SiteReferences.Place]], known: Lockfile
    ) async throws -> LoadedFiles {
        var files = LoadedFiles()
        if requests.isEmpty { return files }
        let record = LockRecord { [self] in isUpdated($0) ? .refresh : isCheck ? nil : .normal }
        var options = bake
        options.lock = Lockfile(known.images.values.filter { !isUpdated($0.url) })
        options.lock?.record = record
        let warnings = Locked<[Diagnostic]>([])
        let setup = BakeSetup(options: options, tally: Tally())
        let cache = try setup.openCache()
        let pool = setup.pool { warning in warnings.withLock { $0.append(warning) } }
        defer { pool.stop() }
        let images = setup.images(
            of: site, cache: cache, pool: pool, output: try OutputFolder(site.root))
        work.withLock { $0.total = requests.count }
        let watch = transferCounter.follow(cache)
        var results: [(url: String, outcome: ImageOutcome)] = []
        try await withTaskCancellationHandler {
            try await inOrder(requests, maximumInFlight: bake.imagesInFlight) { request in
                defer { work.withLock { $0.done += 1 } }
                let request = ImageRequest(
                    source: request.source, options: request.options, kind: request.kind,
                    isDraft: request.kind == .image)
                return await images.outcome(for: request, remembered: nil, .normal)
            } each: { request, result in
                results.append((request.source.key, try result.get()))
            }
        } onCancel: {
            pool.stop()
        }
        await cache.close()
        await watch.value
        files.diagnostics = warnings.withLock(\.self)
        files.asked = record.urls
        var made: [String: Lockfile.Image] = [:]
        for (url, outcome) in results {
            switch outcome {
            case .stopped: throw CancellationError()
            case .failed(let problem): files.diagnostics += diagnostics(problem, url, places)
            case .baked(let file, let warning):
                files.loaded.insert(url)
                for image in ([file] + file.parts).compactMap({ record.file(of: $0.url) }) {
                    if let other = made[image.url], other != image {
                        let reason =
                            "another URL that is locked in the same line gives another image"
                        files.diagnostics += diagnostics(
                            Problem(.ambiguousLock, reason), url, places)
                    } else {
                        made[image.url] = image
                    }
                }
                if let warning {
                    files.diagnostics += diagnostics(
                        warning, url, places, warning.code == .notLocked ? .error : .warning)
                }
            }
        }
        files.new = Array(made.values)
        return files
    }

    /// A diagnostic for each place that names a URL.
    private func diagnostics(
        _ problem: Problem, _ url: String, _ places: [String: [SiteReferences.Place]],
        _ severity: Diagnostic.Severity = .error
    ) -> [Diagnostic] {
        (places[url] ?? []).map { place in
            let isNoImage = place.isGuess && problem.code == .notAnImage
            return Diagnostic(
                problem, isNoImage ? .warning : severity, at: place.place, url: url)
        }
    }

    private func compare(_ old: Lockfile, _ new: Lockfile, _ result: inout Result) {
        for name in Set(old.images.keys).union(new.images.keys).sorted() {
            switch (old.images[name], new.images[name]) {
            case (nil, let image?): result.added.append(image)
            case (let image?, nil): result.removed.append(image)
            case (let before?, let after?) where before != after:
                result.changed.append(Change(url: name, before: before, after: after))
            default: break
            }
        }
    }
}
