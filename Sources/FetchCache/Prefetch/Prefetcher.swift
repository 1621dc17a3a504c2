/// Loads many URLs into a cache before anyone asks for them, behind everything else that is loaded.
///
/// ```swift
/// let totals = try await Prefetcher(cache).prefetch(urls) { print($0.doneCount, $0.totalCount) }
/// ```
///
/// Cancelling the task that awaits it cancels what is under way.
public struct Prefetcher: Sendable {
    /// How far it is; at the end, what it came to.
    public struct Totals: Sendable, Hashable {
        /// The URLs to load.
        public var totalCount = 0
        /// Those that were downloaded.
        public var downloadedCount = 0
        /// Those of which the server said that they have not changed.
        public var revalidatedCount = 0
        /// Those that were there already, or are used though stale.
        public var skippedCount = 0
        /// Those that could not be loaded.
        public var failedCount = 0
        /// The bytes of what was downloaded.
        public var downloadedBytes = 0

        /// Makes totals of nothing.
        public init(totalCount: Int = 0) {
            self.totalCount = totalCount
        }

        /// Those that have come to any end.
        public var doneCount: Int {
            downloadedCount + revalidatedCount + skippedCount + failedCount
        }

        mutating func count(_ result: Result<Resource, FetchError>) {
            guard case .success(let resource) = result else {
                failedCount += 1
                return
            }
            switch resource.origin {
            case .network:
                downloadedCount += 1
                downloadedBytes += resource.byteCount
            case .revalidated: revalidatedCount += 1
            case .memory, .disk, .stale: skippedCount += 1
            }
        }
    }

    private let cache: any ResourceCache
    private let maximumInFlight: Int

    /// Makes a prefetcher.
    ///
    /// - Parameters:
    ///   - cache: Where to load into; its limits hold.
    ///   - maximumInFlight: How many URLs are looked up or waiting at one time, at least 1, so that a
    ///     list of any length takes no more memory than its text.
    public init(_ cache: any ResourceCache, maximumInFlight: Int = 128) {
        self.cache = cache
        self.maximumInFlight = max(1, maximumInFlight)
    }

    /// Loads all of some URLs, with plain requests.
    ///
    /// - Parameters:
    ///   - urls: As in a ``FetchRequest``.
    ///   - progress: Called after each URL, one call after the other.
    /// - Returns: What it came to.
    /// - Throws: `CancellationError`; a URL that fails is counted and no error.
    @discardableResult
    public func prefetch(
        _ urls: some Collection<String> & Sendable,
        progress: @Sendable (Totals) -> Void = { _ in }
    ) async throws(CancellationError) -> Totals {
        try await prefetch(requests: urls, request: { FetchRequest($0) }) { _, _, totals in
            progress(totals)
        }
    }

    /// Loads all of some requests.
    ///
    /// - Parameters:
    ///   - requests: Their priority is not looked at.
    ///   - each: Called after each request with what it came to, one call after the other.
    /// - Returns: What it came to.
    /// - Throws: `CancellationError`; a request that fails is counted and no error.
    @discardableResult
    public func prefetch(
        requests: some Collection<FetchRequest> & Sendable,
        each: @Sendable (FetchRequest, Result<Resource, FetchError>, Totals) -> Void
    ) async throws(CancellationError) -> Totals {
        try await prefetch(requests: requests, request: { $0 }, each: each)
    }

    /// Makes each request only when its turn has come: a list of any length takes no more memory than
    /// it has.
    private func prefetch<Item>(
        requests: some Collection<Item> & Sendable, request: (Item) -> FetchRequest,
        each: @Sendable (FetchRequest, Result<Resource, FetchError>, Totals) -> Void
    ) async throws(CancellationError) -> Totals {
        typealias Outcome = (request: FetchRequest, result: Result<Resource, FetchError>)
        let totals = await withTaskGroup(of: Outcome.self) { group -> Totals? in
            var totals = Totals(totalCount: requests.count)
            var rest = requests.makeIterator()
            var inFlight = 0
            while totals.doneCount < totals.totalCount {
                while inFlight < maximumInFlight, let item = rest.next() {
                    var request = request(item)
                    request.priority = .low
                    group.addTask { [cache, request] in
                        do throws(FetchError) {
                            return (request, .success(try await cache.load(request)))
                        } catch {
                            return (request, .failure(error))
                        }
                    }
                    inFlight += 1
                }
                guard let (request, result) = await group.next() else { break }
                if Task.isCancelled {
                    group.cancelAll()
                    return nil
                }
                inFlight -= 1
                totals.count(result)
                each(request, result, totals)
            }
            return totals
        }
        guard let totals else { throw CancellationError() }
        return totals
    }
}
