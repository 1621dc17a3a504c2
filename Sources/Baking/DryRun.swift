import FetchCache
import Files
import URLs

/// Lists the changes that a bake would make, without a request and without a write to the site.
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
        /// Leave the reference as it is: the URL failed recently and is not requested again yet.
        case skip
        /// Use the site's own image.
        case local
    }

    /// A reference that a bake would rewrite.
    package struct Reference: Codable, Sendable {
        package var document: String
        package var line: Int
        package var column: Int
        package var url: String
        package var action: Action
    }

    package struct Result: Codable, Sendable {
        /// The number of documents.
        package var documents = 0
        package var references: [Reference] = []
        /// The layout of the site; nil if it has none.
        package var layout: LayoutReport?
    }

    private let options: BakeOptions

    package init(_ options: BakeOptions) {
        self.options = options
    }

    /// Lists the actions, in the order of documents and places.
    ///
    /// - Parameter tell: Called with a diagnostic for each reference that would be left as it is.
    /// - Returns: The references that would be rewritten, and the number of documents.
    /// - Throws: ``BakeFault`` if there is nothing to bake.
    package func run(tell: (Diagnostic) -> Void) async throws -> Result {
        let site = try options.site()
        let found = try SiteReferences(
            site: site, skipped: options.skippedFolders, severity: options.failureSeverity,
            variants: options.variants
        ).run(tell: tell)
        if options.output != nil {
            let files = SiteScan(
                root: site.root, skipped: options.skippedFolders, reading: site.reading,
                hidden: options.hiddenFiles(of: site)
            ).run().files
            _ = try options.outputMark(for: files)
        }
        let cache = existingCache()
        let failures = Set((try? await cache?.failures())?.map(\.key) ?? [])
        var result = Result(documents: found.documents, layout: LayoutReport(site.reading))
        for place in found.places {
            result.references.append(
                Reference(
                    document: place.document, line: place.line, column: place.column,
                    url: place.source.name,
                    action: await action(for: place.source, cache, failures))
            )
        }
        await cache?.close()
        return result
    }

    /// The cache, if it exists; a dry run does not create one.
    private func existingCache() -> FetchCache? {
        guard FileStatus(options.fetching.cacheDirectory.string, followingLinks: true) != nil else {
            return nil
        }
        var configuration = options.fetching
        configuration.cleansByItself = false
        return try? FetchCache(configuration)
    }

    private func action(
        for source: ImageSource, _ cache: FetchCache?, _ failures: Set<String>
    ) async -> Action {
        guard case .remote(let url) = source else { return .local }
        guard let cache,
            let stored = try? await cache.load(FetchRequest(url, mode: .offline))
        else {
            if options.mode == .offline { return .leave }
            let isSkipped =
                options.mode == .normal && !options.retryFailed && failures.contains(url)
            return isSkipped ? .skip : .fetch
        }
        switch options.mode {
        case .offline: return .reuse
        case .refresh: return .revalidate
        case .normal:
            let isFresh = (try? cache.resources(for: [stored.url]))?.isEmpty == false
            return isFresh ? .reuse : .revalidate
        }
    }
}

extension ImageSource {
    /// The source, for the user to read.
    fileprivate var name: String {
        switch self {
        case .remote(let url): withoutSecrets(url)
        case .local(let path): path
        }
    }
}
