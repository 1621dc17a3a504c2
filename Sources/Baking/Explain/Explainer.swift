package import FetchCache
import Files
package import FoundationEssentials
import HTTPTypes
import Pages
package import Pictures
import Recipes
import Reports
import Secrets
import Sites

/// Finds out what is known about images of a site.
///
/// It sends no request and changes nothing.
package struct Explainer: Sendable {
    /// What to explain.
    package enum Subject: Sendable {
        case url(String)
        /// The images that a document names, relative to the site; all, or those of one line.
        case document(String, line: Int?)
        /// The absolute path of a file in an image folder.
        case imageFile(String)
    }

    private let options: BakeOptions
    private let lockfile: Lockfile?

    /// - Parameters:
    ///   - options: The options of a bake of the site.
    ///   - lockfile: The lockfile; nil for none.
    package init(_ options: BakeOptions, lockfile: Lockfile?) {
        self.options = options
        self.lockfile = lockfile
    }

    /// What is known about the images of a subject, in the order of their first places.
    ///
    /// - Throws: ``BakeError`` if there is no such image; ``FetchError``.
    package func explain(_ subject: Subject) async throws -> [ImageExplanation] {
        let site = try options.site()
        let found = try await SiteReferences(
            site: site, skipped: Array(options.skippedFolders), severity: .warning,
            variants: options.variants, explainsElements: true,
            origins: SiteOrigins.undoingAll
        ).run { _ in }
        let cache = options.fetching.existingCache()
        return try await closing(cache) {
            let sources = try await sources(of: subject, found, site, cache)
            return try await explain(sources, found, site, cache)
        }
    }

    /// The images of a subject.
    private func sources(
        of subject: Subject, _ found: SiteReferences.Result, _ site: Site, _ cache: FetchManager?
    ) async throws -> [ImageLocation] {
        switch subject {
        case .url(let url):
            guard let key = try? FetchManager.normalized(url: url) else {
                throw BakeError("'\(withoutSecrets(url))' is not an http or https URL")
            }
            return [.remote(key)]
        case .document(let path, let line):
            let name = site.name(path)
            let places = found.places.filter {
                $0.place.document == name && (line == nil || $0.place.line == line)
            }
            if places.isEmpty {
                let place = line.map { "line \($0) of \(name)" } ?? name
                throw BakeError("\(place) names no image that a bake would make")
            }
            return unique(places.map(\.source))
        case .imageFile(let path): return try await sources(ofFile: path, found, site, cache)
        }
    }

    /// The images that a file in an image folder was made of.
    private func sources(
        ofFile path: String, _ found: SiteReferences.Result, _ site: Site, _ cache: FetchManager?
    ) async throws -> [ImageLocation] {
        let (folder, name) = folderAndName(of: path)
        guard let source = ImageFileList(inFolder: folder).files[name] else {
            throw BakeError(
                "\(name) is not in the list \(ImageFileList.name) of its folder, so it is not known "
                    + "what it was made of")
        }
        var sources: [ImageLocation] = []
        if source.isLocal {
            for case .local(let local) in unique(found.places.map(\.source)) {
                guard let file = try? locateLocalImage(local, root: site.root),
                    (try? BlobDigest.ofFile(file).digest) == source.digest
                else { continue }
                sources.append(.local(local))
            }
        } else if let cache {
            for try await entry in cache.entries where entry.digest == source.digest {
                sources.append(.remote(entry.url))
            }
        }
        if sources.isEmpty {
            if source.isDrawn(as: name) {
                throw BakeError("imgbake has drawn \(name) itself; it is made of no image")
            }
            throw BakeError(
                "\(name) was made of an image with the SHA-256 \(source.digest), which is not in "
                    + "the cache")
        }
        return unique(sources)
    }

    private func unique<Item: Hashable>(_ items: [Item]) -> [Item] {
        var seen: Set<Item> = []
        return items.filter { seen.insert($0).inserted }
    }

    /// The rules that are for an image in documents, which are given by their names in messages.
    private func overrides(
        of source: ImageLocation, in documents: [String], _ found: SiteReferences.Result,
        _ site: Site
    ) -> [ImageExplanation.Override] {
        let all = site.reading.overrides
        if all.rules.isEmpty { return [] }
        let paths = Dictionary(found.files.map { (site.name($0.path), $0.path) }) { $1 }
        return all.rules.compactMap { rule in
            var single = ImageOverrides()
            single.rules = [rule]
            let matching = documents.filter { name in
                paths[name].map { !single.rules(for: source, in: $0).isEmpty } == true
            }
            if matching.isEmpty { return nil }
            return ImageExplanation.Override(
                origin: rule.origin, set: rule.change.values, documents: matching)
        }
    }

    private func explain(
        _ sources: [ImageLocation], _ found: SiteReferences.Result, _ site: Site,
        _ cache: FetchManager?
    ) async throws -> [ImageExplanation] {
        let pool = WorkerPool(executable: options.worker, options: options.workers) { _ in }
        defer { pool.stop() }
        let failures = (try? await cache?.failures()) ?? []
        var offline = options
        offline.mode = .offline
        offline.publishes = false
        let images = try cache.map { cache in
            BakeSetup(options: offline, tally: Tally()).images(
                of: site, cache: cache, pool: pool, output: try OutputFolder(site.root))
        }
        var result: [ImageExplanation] = []
        for source in sources {
            let places = found.places.filter { $0.source == source }
            var image = ImageExplanation(
                url: source.name(for: .author), uses: places.map(\.place), variants: [])
            image.elements = places.filter { !$0.decisions.isEmpty }.map { place in
                ImageExplanation.Element(
                    document: place.place.document, line: place.place.line ?? 1,
                    column: place.place.column ?? 1, decisions: place.decisions)
            }
            image.overrides = overrides(
                of: source, in: unique(places.map(\.place.document)), found, site)
            if let url = source.url {
                image.locked = lockfile?.images[lockedURL(url)]
                let failure = failures.first { $0.key == url }
                image.failure = failure.map { textWithoutSecrets($0.error.problem.reason) }
            }
            let requests = found.images.filter { $0.source == source }
            if let cache, let images {
                if let url = source.url {
                    do throws(FetchError) {
                        var request = FetchRequest(url, mode: .offline)
                        request.acceptsAnyContent = true
                        image.stored = stored(try await cache.load(request))
                    } catch {
                        // A limit or a policy forbids the stored image.
                        if error.code != .offline { image.failure = error.problem.reason }
                    }
                }
                if let sheet = requests.first(where: { $0.kind == .style }) {
                    image.names = unique(await images.names(inSheet: sheet)).map {
                        withoutSecrets($0, for: .author)
                    }
                }
                if image.stored?.mediaType.hasPrefix("image/") ?? true,
                    let bytes = try? await images.pipeline.loader.load(source)
                {
                    let usual = ImageRequest(source: source, options: options.variants)
                    let explainer = try await VariantExplainer(
                        of: source, bytes, images.pipeline.maker)
                    for request in requests.isEmpty ? [usual] : requests {
                        image.variants += try await explainer?.variants(request) ?? []
                    }
                    image.variants = unique(image.variants)
                }
            }
            result.append(image)
        }
        return result
    }

    private func stored(_ resource: Resource) -> ImageExplanation.Stored {
        let response = resource.response
        let ttl = options.fetching.policy.timeToLive
        return ImageExplanation.Stored(
            status: response.status, bytes: resource.byteCount, sha256: resource.digest.hex,
            mediaType: resource.mediaType.rawValue, age: response.age().components.seconds,
            freshFor: response.freshSeconds(at: .now, timeToLive: ttl),
            freshness: ttl == nil ? reason(of: response) : "the setting fetch.ttl",
            warning: resource.problem?.reason)
    }

    /// The part of a response that says how long it is fresh (RFC 9111, section 4.2.1).
    private func reason(of response: StoredResponse) -> String {
        let fields = response.fields
        let control = fields[values: .cacheControl].joined(separator: ", ")
        if !control.isEmpty { return printable(textWithoutSecrets("Cache-Control: \(control)")) }
        if let expires = fields[.expires] { return printable("Expires: \(expires)") }
        if response.lastModified != nil {
            return "a tenth of the time since its last change, at most a day"
        }
        return "the server says nothing about it"
    }
}

extension StoredResponse {
    /// The number of seconds for which the response may be used without a request, rounded up; 0 if
    /// it is stale.
    package func freshSeconds(at date: Date, timeToLive: Duration?) -> Int64 {
        let until = timeToLive.map { responseTime + $0 / .seconds(1) } ?? freshUntil
        // Dates have a precision of milliseconds; smaller fractions are rounding errors.
        let rest = ((until.timeIntervalSince(date) * 1000).rounded() / 1000).rounded(.up)
        return rest <= 0 ? 0 : Int64(min(rest, 0x1p53))
    }
}
