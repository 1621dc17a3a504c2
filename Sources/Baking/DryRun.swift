import Documents
import FetchCache
import Files
import Pages
import Pictures
package import Reports
package import Sites
import StyleSizing

/// Lists the changes that a bake would make, without a request and without a write to the site.
///
/// It counts with the plan of a bake and not with the references that it lists, because a bake also
/// counts references that it leaves and images that it makes twice.
package struct DryRun: Sendable {
    /// The action that a bake would take for an image.
    package enum Action: String, Codable, Sendable, CaseIterable {
        case fetch
        /// Ask the server whether the cached image is still current.
        case revalidate
        /// Use the cached image.
        case reuse
        /// Leave the reference as it is: offline, and the image is not in the cache.
        case leave
        /// Leave the reference as it is: a limit or a policy forbids the image.
        case refuse
        /// Leave the reference as it is: the URL failed recently and is not requested again yet.
        case skip
        /// Use the site's own image.
        case local
    }

    /// A reference that a bake would rewrite.
    package struct PlannedReference: Codable, Sendable {
        package var document: String
        package var line: Int
        package var column: Int
        package var url: String
        package var action: Action
    }

    package struct Result: Codable, Sendable {
        /// The numbers that a bake would report.
        package struct Totals: Codable, Sendable {
            /// All references, with those that cannot be rewritten.
            package var references = 0
            /// All images, each URL once.
            package var images = 0
            package var fetch = 0
            package var revalidate = 0
            package var cached = 0
            package var local = 0
            /// Images that would be left as they are.
            package var left = 0
        }

        /// The number of documents.
        package var documents = 0
        package var references: [PlannedReference] = []
        package var totals = Totals()
        /// The files that `--prune` would remove.
        package var removed: [String] = []
        /// The layout of the site; nil if it has none.
        package var layout: LayoutReport?
    }

    private let bake: Bake
    private var options: BakeOptions { bake.options }

    /// - Parameter bake: The bake, which need not run.
    package init(_ bake: Bake) { self.bake = bake }

    /// Lists the actions, in the order of documents and places.
    ///
    /// - Parameter report: Called with a diagnostic for each reference that would be left as it is.
    /// - Returns: The references that would be rewritten, and the number of documents.
    /// - Throws: ``BakeError`` if there is nothing to bake.
    package func run(tell report: (Diagnostic) -> Void) async throws -> Result {
        let policy = options.messagePolicy
        func tell(_ diagnostic: Diagnostic) { policy.judged(diagnostic).map(report) }
        var site = bake.site
        site.reading.data = try await SiteReferences.data(of: site, without: options.skippedFolders)
        let found = try await SiteReferences(
            site: site, skipped: Array(options.skippedFolders),
            hidden: options.hiddenFiles(of: site),
            severity: options.failures.severity, variants: options.variants,
            selection: options.selection,
            origins: { [options] in options.origins(of: $0) }
        ).run(tell: tell)
        let mark = try await options.outputMark(for: found.files, of: found.all, in: site)
        let cache = options.fetching.existingCache(refusingOver: options.limits)
        let failed = (try? await cache?.failures()) ?? []
        let failures = Dictionary(failed.map { ($0.key, $0.error) }, uniquingKeysWith: { $1 })
        let rules = RequestPolicy(options.fetching)
        var result = Result(documents: found.documents, layout: LayoutReport(site.reading))
        var plans: [ImageLocation: Planned] = [:]
        for image in found.images where plans[image.source] == nil {
            var planned = await plan(for: image, of: site, cache, failures, rules)
            planned.name = image.source.name()
            // What a style sheet names is known only once it is read.
            if image.kind == .style { planned.sha256 = nil }
            plans[image.source] = planned
        }
        for place in found.places {
            guard let planned = plans[place.source], let problem = planned.problem else { continue }
            tell(
                Diagnostic(
                    problem, options.failures.severity, at: place.place, url: planned.name))
        }
        await cache?.close()
        options.effectNotes(
            site, found.files, hasLists: found.hasLists, hosts: rules.unusedHosts
        ).forEach(tell)
        result.references = found.places.compactMap { place in
            guard let planned = plans[place.source] else { return nil }
            return PlannedReference(
                document: place.place.document, line: place.place.line ?? 1,
                column: place.place.column ?? 1, url: planned.name, action: planned.action)
        }
        result.totals = totals(of: found, plans)
        let removals = try await removals(site, mark, found, plans)
        removals.diagnostics.forEach(tell)
        result.removed = removals.removed
        return result
    }

    /// What `--prune` would remove.
    ///
    /// The names of images that are not fetched yet are not known. So the present output of a document
    /// with such images counts as it is.
    private func removals(
        _ site: Site, _ mark: OutputMark?, _ found: SiteReferences.Result,
        _ plans: [ImageLocation: Planned]
    ) async throws -> (removed: [String], diagnostics: [Diagnostic]) {
        guard let output = resolvedPath(options.root),
            let pruning = options.pruning(of: site, in: output, mark)
        else { return ([], []) }
        var rewritten: Set<String> = []
        if !site.isInPlace {
            let unknown = Set(
                found.places.filter { plans[$0.source]?.sha256 == nil }.map(\.place.document))
            rewritten = Set(
                found.files.filter { $0.isDocument && !unknown.contains(site.name($0.path)) }
                    .map(\.path))
        }
        var planned = Set(plans.values.compactMap(\.sha256))
        if site.reading.describesImages { planned.insert(AddedSheet.digest.hex) }
        let plan = try await pruning.plan(used: [], planned: planned, without: rewritten)
        let copies = plan.copies.map { pruning.display(output + "/" + $0) }
        return (copies + plan.images.map(pruning.display), plan.diagnostics)
    }

    private func totals(
        of found: SiteReferences.Result, _ plans: [ImageLocation: Planned]
    ) -> Result.Totals {
        var totals = Result.Totals()
        totals.references = found.references
        totals.images = plans.count
        for planned in plans.values {
            switch planned.action {
            case .fetch: totals.fetch += 1
            case .revalidate: totals.revalidate += 1
            case .reuse: totals.cached += 1
            case .local: totals.local += 1
            case .leave, .skip, .refuse: totals.left += 1
            }
        }
        return totals
    }

    /// The plan for an image.
    private struct Planned {
        var action: Action
        /// The reason why the image would be left; nil if it would not.
        var problem: Problem?
        /// Of the source, in hexadecimal; nil if it is not known.
        var sha256: String?
        /// The name of the source in messages, kept because to find the secrets in a URL takes long.
        var name = ""
    }

    private func plan(
        for image: ImageRequest, of site: Site, _ cache: FetchManager?,
        _ failures: [String: FetchError], _ rules: RequestPolicy
    ) async -> Planned {
        let source = image.source
        guard let url = source.url else {
            guard options.pruneAfter != nil,
                let file = try? locateLocalImage(source.name(), root: site.root)
            else { return Planned(action: .local) }
            return Planned(action: .local, sha256: try? BlobDigest.ofFile(file).digest.hex)
        }
        var request = FetchRequest(url, mode: .offline)
        request.acceptsAnyContent = image.kind != .image
        do throws(FetchError) {
            if let refusal = rules.refusal(of: url) { throw refusal }
            if let lock = options.lock {
                guard let locked = lock.image(of: url) else {
                    return Planned(action: .refuse, problem: .notLocked)
                }
                guard let cache, try await lock.stored(locked, request, in: cache) != nil else {
                    return withoutEntry(url, failures[url])
                }
                return Planned(action: .reuse, sha256: locked.sha256)
            }
            guard let stored = try await cache?.load(request) else {
                return withoutEntry(url, failures[url])
            }
            let action = action(for: stored, failures[stored.url] != nil)
            return Planned(action: action, sha256: stored.digest.hex)
        } catch {
            if error.code == .offline { return withoutEntry(url, failures[url]) }
            return Planned(action: .refuse, problem: error.problem)
        }
    }

    /// The plan for an image that is not in the cache.
    private func withoutEntry(_ url: String, _ failure: FetchError?) -> Planned {
        if options.mode == .offline {
            let problem = Problem(.notInCache, "no response is stored, and no request is allowed")
            return Planned(action: .leave, problem: problem)
        }
        guard let failure, options.mode == .normal, !options.retryFailed else {
            return Planned(action: .fetch)
        }
        return Planned(action: .skip, problem: failure.problem)
    }

    private func action(for stored: Resource, _ hasFailed: Bool) -> Action {
        switch options.mode {
        case .offline: return .reuse
        case .refresh, .reload: return .revalidate
        case .normal:
            // The stored image of a URL that failed recently is used without a request.
            if hasFailed, !options.retryFailed { return .reuse }
            let freshUntil = LoadedImage(stored).freshUntil ?? 0
            return freshUntil > options.fetching.now() ? .reuse : .revalidate
        }
    }
}
