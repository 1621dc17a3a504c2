/// A snapshot of a cache's transfers.
public struct FetchActivity: Sendable, Hashable {
    /// The number of running transfers.
    public var runningCount = 0
    /// The number of transfers that wait in the queue.
    public var waitingCount = 0
    /// The number of requests sent since the cache was opened.
    ///
    /// Each redirect counts.
    public var requestCount = 0
    /// The number of retries since the cache was opened.
    public var retryCount = 0
    /// The number of body bytes received since the cache was opened.
    public var receivedBytes = 0
}
