/// Loads many URLs into a cache in advance, at a lower priority than all other loads.
///
/// ```swift
/// let totals = try await Prefetcher(cache).prefetch(urls) { print($0.doneCount, $0.totalCount) }
/// ```
///
/// Cancelling the task that awaits it cancels the running loads.
public struct Prefetcher: Sendable {
    /// The progress of a prefetch and, at the end, its result.
    public struct Totals: Sendable, Hashable {
        /// The number of URLs to load.
        public var totalCount = 0
        /// The number of URLs that were downloaded.
        public var downloadedCount = 0
        /// The number of URLs that the server confirmed as unchanged.
        public var revalidatedCount = 0
        /// The number of URLs that were stored already, including stale ones that are used.
        public var skippedCount = 0
        /// The number of URLs that could not be loaded.
        public var failedCount = 0
        /// The number of downloaded bytes.
        public var downloadedBytes = 0

        /// Creates totals with no result yet.
        public init(totalCount: Int = 0) {
            self.totalCount = totalCount
        }

        /// The number of URLs that are finished, successfully or not.
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

    /// Creates a prefetcher.
    ///
    /// - Parameters:
    ///   - cache: The cache to load into; its limits apply.
    ///   - maximumInFlight: The maximum number of URLs that are looked up or waiting at one time,
    ///     at least 1. It bounds the memory for lists of any length.
    public init(_ cache: any ResourceCache, maximumInFlight: Int = 128) {
        self.cache = cache
        self.maximumInFlight = max(1, maximumInFlight)
    }

    /// Loads all URLs of a list with plain requests.
    ///
    /// - Parameters:
    ///   - urls: URLs as in a ``FetchRequest``.
    ///   - progress: Called after each URL, never concurrently.
    /// - Returns: The totals.
    /// - Throws: `CancellationError`. A URL that fails is counted and is not an error.
    @discardableResult
    public func prefetch(
        _ urls: some Collection<String> & Sendable,
        progress: @Sendable (Totals) -> Void = { _ in }
    ) async throws(CancellationError) -> Totals {
        try await prefetch(requests: urls) { _, _, totals in progress(totals) }
    }

    /// Loads all requests of a list.
    ///
    /// Each request is created only when it is started, which bounds the memory for lists of any
    /// length.
    ///
    /// - Parameters:
    ///   - requests: The requests; their priority is ignored.
    ///   - each: Called after each request with its result, never concurrently.
    /// - Returns: The totals.
    /// - Throws: `CancellationError`. A request that fails is counted and is not an error.
    @discardableResult
    public func prefetch<Request: FetchRequestConvertible>(
        requests: some Collection<Request> & Sendable,
        each: @Sendable (FetchRequest, Result<Resource, FetchError>, Totals) -> Void
    ) async throws(CancellationError) -> Totals {
        typealias Outcome = (request: FetchRequest, result: Result<Resource, FetchError>)
        let totals = await withTaskGroup(of: Outcome.self) { group -> Totals? in
            var totals = Totals(totalCount: requests.count)
            var rest = requests.makeIterator()
            var inFlight = 0
            while totals.doneCount < totals.totalCount {
                while inFlight < maximumInFlight, let item = rest.next() {
                    var request = item.fetchRequest
                    request.priority = .low
                    // The tasks of the group may begin in another order.
                    request = (cache as? FetchManager)?.inTurn(request) ?? request
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
