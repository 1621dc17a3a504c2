internal import Logging

/// A cache folder, and the downloads that fill it.
///
/// ```swift
/// let cache = try FetchCache(FetchConfiguration(cacheDirectory: "/var/cache/images"))
/// let cat = try await cache.load(FetchRequest("https://example.org/cat.png"))
/// print(cat.path, cat.mediaType, cat.origin)
/// await cache.close()
/// ```
///
/// A URL is looked for in memory, then on disk, then asked of its server: in full if nothing is
/// stored, else whether it has changed since. Each URL is downloaded once however many callers ask
/// for it at the same time, also where several caches, in one process or in many, use one folder.
public final class FetchCache: Sendable {
    /// What the cache was told at its making.
    public let configuration: FetchConfiguration

    let index: Index
    let blobs: BlobStore
    let fallbacks: [Fallback]
    let builder: RequestBuilder
    let downloader: Downloader
    let memory: Locked<MemoryCache>
    let pressure = Locked(MemoryPressure())
    let locks: KeyLocks
    let loads = SharedWork<String, Resource>()
    /// Loads, each for one caller: shared in nothing but how they are cancelled.
    let callers = SharedWork<UInt64, Resource>()
    let transforms = SharedWork<String, StoredVariant>()
    let flights = Locked(FlightTable())
    let hub = EventHub()
    let background = BackgroundTasks()
    let engine: CurlEngine
    let transferLimit: Locked<TransferLimit>
    private let closed = Flag()

    /// Opens a cache folder, or makes it, and sweeps what dead processes have left half written.
    ///
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage``, if the folder cannot be
    ///   used or was written by a newer version of this library, or if the file of certificate
    ///   authorities cannot be read. A damaged index is no error: an empty one replaces it. Nor is a read-only
    ///   cache that is not there: it is left out, and said so to the logger.
    public init(_ configuration: FetchConfiguration) throws(FetchError) {
        self.configuration = configuration
        let layout = try Self.prepareFolder(configuration)
        index = try Index(in: layout.root) {
            configuration.logger.error(
                """
                the index of the cache at \(layout.root) was damaged or removed and has been \
                replaced by an empty one; what it knew is fetched again
                """)
        }
        let blobs = BlobStore(layout: layout)
        self.blobs = blobs
        fallbacks = configuration.readOnlyCaches.compactMap { root in
            do throws(FetchError) {
                return try Fallback(root: root, namespace: configuration.namespace)
            } catch {
                configuration.logger.warning("a read-only cache is left out: \(error)")
                return nil
            }
        }
        var authorities: String?
        if let file = configuration.certificateAuthorityFile {
            authorities = try CurlSession.joinAuthorities(
                with: file, at: blobs.temporary.newPath())
        }
        engine = try CurlEngine(configuration, authorities: authorities) { () throws(FetchError) in
            try blobs.temporary.newPath()
        }
        locks = KeyLocks(path: layout.locks)
        builder = RequestBuilder(configuration)
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
        guard configuration.cacheDirectory.hasPrefix("/") else {
            throw FetchError(.storage, configuration.cacheDirectory, "the path is not absolute")
        }
        if let options = configuration.hosts["*"], options.allowsInvalidCertificate == true {
            throw FetchError(
                .forbidden, "*", "invalid certificates are allowed for named hosts alone")
        }
        guard CacheLayout.isName(configuration.namespace) else {
            throw FetchError(
                .storage, configuration.cacheDirectory,
                "'\(configuration.namespace)' cannot be the name of a namespace")
        }
        return CacheLayout(
            root: configuration.cacheDirectory, namespace: configuration.namespace)
    }

    private static func prepareFolder(
        _ configuration: FetchConfiguration
    ) throws(FetchError) -> CacheLayout {
        let layout = try layout(configuration)
        try FileSystem.makeFolder(layout.root)
        try FileSystem.makeFolder(layout.blobs)
        try FileSystem.write(CacheLayout.tagText, toNew: layout.tag)
        try FileSystem.makeFolder(layout.temporary)
        TemporaryFolder.sweep(layout.temporary)
        return layout
    }

    /// Whether there is a cache in the folder that a configuration names.
    ///
    /// Nothing is made, opened or changed there.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the path or the namespace cannot be that of a cache.
    public static func exists(_ configuration: FetchConfiguration) throws(FetchError) -> Bool {
        IndexFile.latest(in: try layout(configuration).root) != nil
    }

    /// The path of the blob that is stored under a key, as ``entries(_:)`` gives it: of the latest
    /// answer, if there are several.
    ///
    /// - Returns: nil if nothing is stored under the key, or its blob is not there whole.
    /// - Throws: ``FetchError/Code/storage``.
    public func path(forKey key: String) async throws(FetchError) -> String? {
        try await index.entries(for: key).lazy.compactMap { self.path(of: $0) }.first
    }

    /// The cache key of a plain URL: the URL as it is requested.
    ///
    /// Scheme and host in lower case; the default port, dot segments and the fragment dropped;
    /// blanks and letters beyond ASCII percent-encoded as browsers do.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``, also for a scheme other than http and https.
    public static func normalized(url: String) throws(FetchError) -> String {
        try URLText.normalized(url)
    }

    /// What names the entry of a request: the normalized URL, as the key filter has it, and behind a
    /// blank whatever else decides the answer.
    ///
    /// Requests with one key share an entry and a transfer.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func key(for request: FetchRequest) throws(FetchError) -> String {
        try target(request).key
    }

    /// All that happens from now on, until the cache is closed.
    ///
    /// Each stream has all events; what its reader does not take is kept for it.
    public var events: AsyncStream<FetchEvent> { hub.stream() }

    /// What the transfers are doing at this moment.
    public var activity: FetchActivity { engine.activity }

    /// Whether anything is being loaded.
    public var isRunning: Bool { callers.isRunning || loads.isRunning }

    /// Cancels all that is being looked up or loaded; the callers get ``FetchError/Code/cancelled``.
    public func cancelAll() {
        callers.cancelAll()
        loads.cancelAll()
        transforms.cancelAll()
    }

    /// Ends all transfers, writes what is not written yet, and removes temporary files.
    ///
    /// Loads that are under way get ``FetchError/Code/cancelled``, later ones ``FetchError/Code/closed``.
    /// Refreshes in the background have ``FetchConfiguration/closeTimeout`` to end. Without it nothing
    /// is lost but times of last use.
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

    /// For long work on the folder.
    func checkCancellation() throws(FetchError) {
        if Task.isCancelled {
            throw FetchError(.cancelled, blobs.layout.root, "it was cancelled")
        }
    }

    func checkOpen(_ url: String) throws(FetchError) {
        if closed.isSet { throw FetchError(.closed, url, "the cache is closed") }
    }
}
