internal import Files
import Locks
internal import Logging
public import SystemPackage

/// A cache folder and the downloads that fill it.
///
/// ```swift
/// let cache = try FetchCache(FetchConfiguration(cacheDirectory: "/var/cache/images"))
/// let cat = try await cache.load(FetchRequest("https://example.org/cat.png"))
/// print(cat.path, cat.mediaType, cat.origin)
/// await cache.close()
/// ```
///
/// A URL is looked up in memory, then on disk, and then requested from its server. A stale stored
/// response is revalidated with a conditional request. Each URL is downloaded once, however many
/// callers request it at the same time, even if several caches in one or several processes use the
/// same folder.
public final class FetchCache: Sendable {
    /// The configuration that the cache was opened with.
    public let configuration: FetchConfiguration

    let index: Index
    let blobs: BlobStore
    let fallbacks: [Fallback]
    let builder: RequestBuilder
    let policy: UsePolicy
    let downloader: Downloader
    let memory: Locked<MemoryCache>
    let pressure = Locked(MemoryPressure())
    let locks: KeyLocks
    let loads = SharedWork<String, Resource>()
    /// Loads of single callers.
    ///
    /// They share no work; the table exists to cancel them.
    let callers = SharedWork<UInt64, Resource>()
    let transforms = SharedWork<String, StoredVariant>()
    let flights = Locked(FlightTable())
    let hub = EventHub()
    let background = BackgroundTasks()
    let engine: CurlEngine
    let transferLimit: Locked<TransferLimit>
    private let closed = Flag()

    /// Opens a cache folder, or creates it, and removes files that dead processes left incomplete.
    ///
    /// Only the owner has access to the folder, whatever the process's mask is. An existing folder
    /// of this user becomes private too, unless it contains other things than the cache.
    ///
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage``, if the folder cannot be
    ///   used, or if the file of certificate authorities cannot be read. An index that is damaged,
    ///   that a newer version of this library or another program has written, that cannot be read
    ///   or is not a file, is not an error: an empty one replaces it, and the logger gets an error.
    ///   Except for a damaged one, it is kept under a name with `.aside`. A read-only cache that
    ///   does not exist is not an error either: it is left out, and the logger gets a warning.
    public init(_ configuration: FetchConfiguration) throws(FetchError) {
        let configuration = configuration.withAbsoluteFolders
        self.configuration = configuration
        let layout = try Self.prepareFolder(configuration)
        index = try Index(in: layout.root) { reason in
            configuration.logger.error(
                """
                the index of the cache at \(layout.root) \(reason) and has been replaced by an \
                empty one; what it knew is fetched again
                """)
        }
        let blobs = BlobStore(layout: layout)
        self.blobs = blobs
        fallbacks = configuration.readOnlyCaches.compactMap { root in
            do throws(FetchError) {
                return try Fallback(root: root.string, namespace: configuration.namespace)
            } catch {
                configuration.logger.warning("a read-only cache is ignored: \(error)")
                return nil
            }
        }
        var authorities: String?
        if let file = configuration.certificateAuthorityFile {
            authorities = try CurlSession.joinAuthorities(
                with: file.string, at: blobs.temporary.newPath())
        }
        engine = try CurlEngine(configuration, authorities: authorities) {
            isNoStore throws(FetchError) in
            try blobs.temporary.newWriter(isNoStore: isNoStore)
        }
        locks = KeyLocks(path: layout.locks)
        builder = RequestBuilder(configuration)
        policy = UsePolicy(builder: builder)
        downloader = Downloader(
            engine: engine, builder: builder,
            partials: PartialStore(layout: layout, temporary: blobs.temporary))
        memory = Locked(
            MemoryCache(
                countLimit: configuration.memoryCountLimit,
                costLimit: configuration.memoryCostLimit))
        transferLimit = Locked(TransferLimit(maximum: configuration.maximumTransfers))
        if configuration.cleansByItself { cleanInBackground() }
    }

    private static func layout(
        _ configuration: FetchConfiguration
    ) throws(FetchError) -> CacheLayout {
        guard configuration.cacheDirectory.isAbsolute else {
            throw FetchError(.storage, "", "the path of the folder is empty")
        }
        if let options = configuration.hosts["*"], options.allowsInvalidCertificate == true {
            throw FetchError(
                .forbidden, "*", "invalid certificates can be allowed for named hosts only")
        }
        guard CacheLayout.isName(configuration.namespace) else {
            throw FetchError(
                .storage, configuration.cacheDirectory.string,
                "'\(configuration.namespace)' is not a valid namespace")
        }
        return CacheLayout(
            root: configuration.cacheDirectory.string, namespace: configuration.namespace)
    }

    private static func prepareFolder(
        _ configuration: FetchConfiguration
    ) throws(FetchError) -> CacheLayout {
        let layout = try layout(configuration)
        if !configuration.namespace.isEmpty {
            CacheLayout(root: configuration.cacheDirectory.string).makeRootPrivate()
        }
        for path in try layout.makeFolders() {
            configuration.logger.error(
                "something else had the name of a file of the cache; it is now \(path)")
        }
        TemporaryFolder.sweep(layout.temporary)
        return layout
    }

    /// Whether a cache exists in the folder of a configuration.
    ///
    /// Nothing is created, opened or changed.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the path or the namespace is not valid.
    public static func exists(_ configuration: FetchConfiguration) throws(FetchError) -> Bool {
        IndexFile.latest(in: try layout(configuration).root) != nil
    }

    /// The path of the blob that is stored under a key of ``entries(_:)``.
    ///
    /// If there are several responses, the latest is used.
    ///
    /// - Returns: nil if nothing is stored under the key, or its blob is missing or incomplete.
    /// - Throws: ``FetchError/Code/storage``.
    public func path(forKey key: String) async throws(FetchError) -> FilePath? {
        try await index.entries(for: key).lazy.compactMap { self.path(of: $0) }.first
            .map { FilePath($0) }
    }

    /// The cache key of a plain URL: the normalized URL.
    ///
    /// Scheme and host are in lower case. The default port, dot segments and the fragment are
    /// removed. Spaces and non-ASCII characters are percent-encoded as in browsers.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``, also for a scheme other than http and https.
    public static func normalized(url: String) throws(FetchError) -> String {
        try URLText.normalized(url)
    }

    /// The cache key of a request.
    ///
    /// It is the normalized URL, changed by the key filter, followed by a space and everything else
    /// that determines the response. Requests with the same key share an entry and a transfer.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func key(for request: FetchRequest) throws(FetchError) -> String {
        try target(request).key
    }

    /// A stream of all events from now on, until the cache is closed.
    ///
    /// Each stream has all events. Events that its reader has not consumed yet are buffered without
    /// a limit.
    public var events: AsyncStream<FetchEvent> { hub.stream() }

    /// A snapshot of the current transfers.
    public var activity: FetchActivity { engine.activity }

    /// Whether any load is running.
    public var isRunning: Bool { callers.isRunning || loads.isRunning }

    /// Cancels all lookups and loads; their callers get ``FetchError/Code/cancelled``.
    public func cancelAll() {
        callers.cancelAll()
        loads.cancelAll()
        transforms.cancelAll()
    }

    /// Ends all transfers, writes pending changes and removes temporary files.
    ///
    /// Running loads get ``FetchError/Code/cancelled``, later ones ``FetchError/Code/closed``.
    /// Background refreshes have ``FetchConfiguration/closeTimeout`` to finish. If this method is
    /// not called, only times of last use are lost.
    public func close() async {
        guard closed.set() else { return }
        await background.close(within: configuration.closeTimeout)
        await callers.close()
        await loads.close()
        await transforms.close()
        await engine.close()
        if configuration.cleansByItself { await cleanIfTooLarge() }
        clearMemory()
        await index.close()
        for fallback in fallbacks { await fallback.index.close() }
        blobs.temporary.release()
        hub.finish()
    }

    func target(_ request: FetchRequest) throws(FetchError) -> Target {
        try Target(request, keyFilter: configuration.keyFilter)
    }

    /// Checks for cancellation during long operations on the folder.
    func checkCancellation() throws(FetchError) {
        if Task.isCancelled {
            throw FetchError(.cancelled, blobs.layout.root, "it was cancelled")
        }
    }

    func checkOpen(_ url: String) throws(FetchError) {
        if closed.isSet { throw FetchError(.closed, url, "the cache is closed") }
    }
}
