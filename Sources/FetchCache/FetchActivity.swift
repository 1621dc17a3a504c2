/// What a cache's transfers are doing, at one moment.
public struct FetchActivity: Sendable, Hashable {
    /// Transfers that are under way.
    public var runningCount = 0
    /// Transfers that wait for their turn.
    public var waitingCount = 0
    /// Requests that were sent since the cache was opened, each redirect counted.
    public var requestCount = 0
    /// Downloads that were tried again since the cache was opened.
    public var retryCount = 0
    /// Bytes of bodies that have arrived since the cache was opened.
    public var receivedBytes = 0
}
