/// The transfers of the cache's downloader.
extension FetchManager {
    /// A snapshot of the current transfers.
    public var activity: FetchActivity { downloader.activity }

    /// The maximum number of concurrent transfers; a change applies to transfers that start later.
    ///
    /// At least 1. The initial value is ``DownloaderConfiguration/Limits-swift.struct/transfers``.
    public var maximumTransfers: Int {
        get { downloader.maximumTransfers }
        set { downloader.maximumTransfers = newValue }
    }

    /// Whether new transfers are suspended.
    public var isSuspended: Bool { downloader.isSuspended }

    /// Suspends new transfers; running ones continue.
    public func suspend() { downloader.suspend() }

    /// Allows new transfers again.
    public func resume() { downloader.resume() }
}
