import FetchCache
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

        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    }

    private let site: Site
    private let skipped: [String]
    /// The options of the bake that the images are for.
    private let bake: BakeOptions
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
        var input = input
        // A lockfile has images only.
        input.reading.others = OtherFiles()
        site = try input.site()
        skipped = input.skipped
        (self.bake, self.lockfile) = (bake, lockfile)
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
        let found = try await references().run { add([$0]) }
        result.documents = found.documents
        let remote = found.places.filter { $0.source.url != nil }
        let places = Dictionary(grouping: remote, by: \.source.key)
        let urls = places.keys.sorted()
        let locked = Dictionary(grouping: urls, by: lockedURL)
        try requireUsed(urls)
        let requests = Dictionary(found.images.map { ($0.source.key, $0) }) { first, _ in first }
        let wanted = urls.filter { url in
            isUpdated(url) || !isCheck && old?.file.images[lockedURL(url)] == nil
        }.compactMap { requests[$0] }
        var new = Lockfile()
        // A document that cannot be read may name any of the images.
        if !found.isComplete { new.images = old?.file.images ?? [:] }
        for name in locked.keys { new.images[name] = old?.file.images[name] }
        add(try await load(wanted, places, into: &new))
        if isCheck {
            for url in urls where new.images[lockedURL(url)] == nil {
                add(diagnostics(.notLocked, url, places))
            }
        }
        compare(old?.file ?? Lockfile(), new, &result)
        if isCheck {
            for image in result.removed {
                let place = Diagnostic.Place(
                    lockfile.name, line: old?.file.lines[image.url])
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

    private func references() -> SiteReferences {
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

    /// Requests images, and locks those that a bake can make.
    private func load(
        _ requests: [ImageRequest], _ places: [String: [SiteReferences.Place]],
        into locked: inout Lockfile
    ) async throws -> [Diagnostic] {
        if requests.isEmpty { return [] }
        let warnings = Locked<[Diagnostic]>([])
        let setup = BakeSetup(options: bake, tally: Tally())
        let cache = try setup.openCache()
        let pool = setup.pool { warning in warnings.withLock { $0.append(warning) } }
        defer { pool.stop() }
        let maker = ImageMaker(
            cache: cache, pool: pool, programs: ProgramIdentity(bake, cache, pool),
            options: bake.pictures, tally: setup.tally)
        work.withLock { $0.total = requests.count }
        let watch = transferCounter.follow(cache)
        var results: [(url: String, result: Swift.Result<Resource, any Error>)] = []
        try await withTaskCancellationHandler {
            try await inOrder(requests, maximumInFlight: bake.imagesInFlight) { request in
                defer { work.withLock { $0.done += 1 } }
                return try await resource(for: request, from: cache, maker)
            } each: { request, result in
                results.append((request.source.key, result))
            }
        } onCancel: {
            pool.stop()
        }
        await cache.close()
        await watch.value
        var told = warnings.withLock(\.self)
        var made: [String: Lockfile.Image] = [:]
        for (url, result) in results {
            do {
                let resource = try result.get()
                let image = Lockfile.Image(resource)
                if let other = made[image.url], other != image {
                    let reason = "another URL that is locked in the same line gives another image"
                    told += diagnostics(Problem(.ambiguousLock, reason), url, places)
                    continue
                }
                made[image.url] = image
                locked.images[image.url] = image
                if let problem = resource.problem {
                    told += diagnostics(problem, url, places, .warning)
                }
            } catch {
                guard let problem = Problem(ofImage: error) else { throw CancellationError() }
                told += diagnostics(problem, url, places)
            }
        }
        return told
    }

    /// What a URL gives, after its variant was made as in a bake.
    private func resource(
        for request: ImageRequest, from cache: FetchManager, _ maker: ImageMaker
    ) async throws -> Resource {
        let url = request.source.key
        var fetch = FetchRequest(url, mode: isUpdated(url) ? .refresh : .normal)
        // Who locks wants to know what the server answers now.
        fetch.retryFailed = true
        var resource = try await cache.load(fetch)
        do {
            _ = try await maker.image(of: LoadedImage(resource), request.options)
        } catch let problem as Problem where problem.isOfBytes && resource.origin != .network {
            // The cache may have the first part of an image, whose transfer broke off.
            fetch.mode = .reload
            resource = try await cache.load(fetch)
            _ = try await maker.image(of: LoadedImage(resource), request.options)
        }
        if resource.held == nil { try cache.confirm(resource.digest, of: fetch) }
        return resource
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
