internal import Files
import Locks
internal import Logging
public import SystemPackage

/// Loads resources from a cache, and downloads those that the cache lacks.
///
/// ```swift
/// let cache = try FetchManager(FetchConfiguration(folder: "/var/cache/images"))
/// let cat = try await cache.load(FetchRequest("https://example.org/cat.png"))
/// print(cat.path, cat.mediaType, cat.origin)
/// await cache.close()
/// ```
///
/// A URL is looked up in memory, then on disk, and then requested from its server. A stale stored
/// response is revalidated with a conditional request. Each URL is downloaded once, however many
/// callers request it at the same time, even if several caches in one or several processes use the
/// same folder.
public final class FetchManager: Sendable {
    /// The configuration that the cache was opened with, or that tells what its parts are.
    ///
    /// A level of your own is not in it.
    public let configuration: FetchConfiguration

    let loader: Loader
    let levels: Levels
    /// The downloader of all transfers of this cache.
    let downloader: FetchDownloader
    private let ownsDownloader: Bool
    let hub = Broadcast<FetchEvent>()
    let background = BackgroundTasks()
    let needed = Locked<Int?>(nil)
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
    public convenience init(_ configuration: FetchConfiguration) throws(FetchError) {
        let configuration = try configuration.validated()
        let (folder, memory) = (configuration.folder, configuration.memory)
        let disk = try DiskLevel(
            at: folder.path, namespace: folder.namespace, logger: configuration.logger)
        let readOnly = folder.readOnlyCaches.compactMap { root -> ReadOnlyLevel? in
            do throws(FetchError) {
                return try ReadOnlyLevel(at: root, namespace: folder.namespace)
            } catch {
                configuration.logger.warning("a read-only cache is ignored: \(error)")
                return nil
            }
        }
        let memoryLevel = MemoryLevel(
            countLimit: memory.maximumCount, costLimit: memory.maximumBytes)
        let downloader = try FetchDownloader(
            configuration.downloader, temporary: disk.blobs.temporary,
            cookies: disk.blobs.layout.cookies)
        try self.init(
            configuration, Levels([memoryLevel, disk] + readOnly, downloader),
            downloader, ownsDownloader: true)
    }

    /// Creates a cache from levels and a downloader.
    ///
    /// ```
    /// let downloader = try FetchDownloader(in: "/var/tmp/downloads")
    /// let cache = try FetchManager(
    ///     levels: [MemoryLevel(), try DiskLevel(at: "/var/cache/images"), myLevel],
    ///     downloader: downloader)
    /// ```
    ///
    /// A look-up asks the levels in their order. A response of a lower level is copied to memory, and
    /// also to the disk level if it comes from another machine. New responses are written to memory,
    /// to the disk level, and to each lower level that can be written.
    ///
    /// The disk level has the locks that keep processes from loading the same URL, the remembered
    /// failures, and the first parts of interrupted downloads. Without one, they and all bodies are
    /// in a folder of the downloader until the cache is closed, and other processes know nothing of
    /// them. With memory alone, each request is as one with
    /// ``FetchRequest/Storage-swift.enum/memory``.
    ///
    /// - Parameters:
    ///   - levels: A ``MemoryLevel``, which may be left out; a ``DiskLevel``, which may be left out
    ///     too; any others below. ``close()`` closes them.
    ///   - downloader: The downloader. Its limits and its settings of the network count for stored
    ///     responses too. Several caches may share it; close them before it, which ``close()`` does not do.
    ///   - policy: The use of stored responses, and what is kept of them.
    /// - Throws: ``FetchError/Code/configuration`` if the levels are in another order.
    public convenience init(
        levels: [any CacheLevel], downloader: FetchDownloader, policy: CachePolicy = CachePolicy()
    ) throws(FetchError) {
        let levels = try Levels(levels, downloader)
        var configuration = FetchConfiguration(folder: levels.disk.folder.path)
        configuration.folder = levels.disk.folder
        configuration.folder.readOnlyCaches = levels.readOnly.map(\.folder)
        configuration.memory = levels.memory.limits
        configuration.policy = policy
        configuration.downloader = downloader.configuration
        try self.init(configuration, levels, downloader, ownsDownloader: false)
    }

    private init(
        _ configuration: FetchConfiguration, _ levels: Levels, _ downloader: FetchDownloader,
        ownsDownloader: Bool
    ) throws(FetchError) {
        self.configuration = configuration
        self.levels = levels
        self.downloader = downloader
        self.ownsDownloader = ownsDownloader
        loader = Loader(configuration, levels, downloader, events: hub, background: background)
        levels.memory.onLoss { [hub] key in hub.emit(FetchEvent(key: key, kind: .evicted)) }
        if configuration.policy.cleansByItself { cleanInBackground() }
    }

    /// Adds a level below all others, for instance a ``ReadOnlyLevel``.
    ///
    /// Loads that begin later ask it. ``close()`` closes it.
    ///
    /// - Throws: ``FetchError/Code/configuration`` for a ``MemoryLevel`` or a ``DiskLevel``, which a
    ///   cache has only above the others.
    public func add(_ level: any CacheLevel) throws(FetchError) { try levels.add(level) }

    /// The hosts with options of which nothing was asked.
    package var unusedHosts: [String] { downloader.builder.hosts.unused }

    /// Whether there is a cache in the folder of a configuration.
    ///
    /// Nothing is created, opened or changed.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the path or the namespace is not valid.
    public static func exists(_ configuration: FetchConfiguration) throws(FetchError) -> Bool {
        let folder = try configuration.folder.path.validatedFolder()
        let layout = try DiskLevel.layout(folder, configuration.folder.namespace)
        return IndexFile.latest(in: layout.root) != nil
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
    /// It is ``FetchRequest/key``, or else the normalized URL without a user and password, changed by
    /// the key filter; and the method unless that is GET. The responses of a key differ by the fields that their `Vary` names and by credentials. Requests
    /// with other fields, or that accept other responses, do not share a transfer, even if they have
    /// the same key.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func key(for request: some FetchRequestConvertible) throws(FetchError) -> String {
        try target(request).key
    }

    /// Returns the resource of a URL from memory, disk or network.
    ///
    /// A response of 304 is a normal result, and so is a stale resource that is used because the
    /// server failed; see ``Resource/origin-swift.property``. With
    /// ``CachePolicy/OnGone-swift.enum/keep``, so is a stored resource that its server no
    /// longer has; see ``Resource/gone-swift.property``.
    ///
    /// - Parameters:
    ///   - request: The resource to load.
    ///   - progress: Called from any thread with the progress of the download: first with what has
    ///     arrived for earlier callers, usually zero bytes, then as bytes arrive; once if nothing is
    ///     downloaded. Each caller has its own.
    /// - Returns: The resource. Its body is complete, in a file at ``Resource/path``.
    /// - Throws: ``FetchError``. A cancelled caller gets ``FetchError/Code/cancelled`` at once; the
    ///   transfer continues while any other caller waits for it.
    public func load(
        _ request: some FetchRequestConvertible,
        progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws(FetchError) -> Resource {
        try await load(request.fetchRequest, Flight.listener(progress), since: loader.round)
    }

    /// Loads a resource for a caller that started in a round of ``Loader/cancelAll()``.
    private func load(
        _ request: FetchRequest, _ listener: Loader.Listener?, since round: UInt64
    ) async throws(FetchError) -> Resource {
        var request = request
        let turn = request.turn ?? downloader.takeTurn()
        request.turn = turn
        defer { turn.end() }
        let target = try target(request)
        try checkOpen(target.plainURL)
        return try await loader.load(target, listener, since: round)
    }

    /// A request that is queued in the order of these calls, whenever its load begins.
    package func inTurn(_ request: FetchRequest) -> FetchRequest {
        var request = request
        request.turn = downloader.takeTurn()
        return request
    }

    /// A stream of all events from now on, until the cache is closed.
    ///
    /// Each stream delivers all events. It buffers events without a limit until they are read.
    public var events: AsyncStream<FetchEvent> { hub.stream() }

    /// Whether any load is running.
    public var isRunning: Bool { loader.isRunning }

    /// Cancels all lookups and loads; their callers get ``FetchError/Code/cancelled``.
    public func cancelAll() { loader.cancelAll() }

    /// Ends all transfers, writes pending changes and removes temporary files.
    ///
    /// Running loads get ``FetchError/Code/cancelled``, later ones ``FetchError/Code/closed``.
    /// Background refreshes have ``CachePolicy/closeTimeout`` to finish. If this method is
    /// not called, only times of last use are lost.
    public func close() async {
        guard closed.set() else { return }
        await background.close(within: configuration.policy.closeTimeout)
        await loader.close()
        if ownsDownloader { await downloader.close() }
        if configuration.policy.cleansByItself { await cleanIfTooLarge() }
        await levels.close()
        hub.finish()
    }

    func target(_ request: some FetchRequestConvertible) throws(FetchError) -> LoadTarget {
        var request = request.fetchRequest
        if levels.isMemoryAlone { request.storage = .memory }
        return try LoadTarget(request, keyFilter: configuration.policy.keyFilter)
    }

    func checkOpen(_ url: String) throws(FetchError) {
        if closed.isSet { throw FetchError(.closed, url, "the cache is closed") }
    }
}

/// More ways to load resources.
extension FetchManager {
    /// Starts a load, which goes on until it ends or is cancelled, even if no caller waits for it.
    ///
    /// - Parameter request: The resource to load.
    /// - Returns: The task, which tells the progress and can be cancelled.
    public func start(_ request: some FetchRequestConvertible) -> FetchTask {
        let round = loader.round
        return FetchTask(inTurn(request.fetchRequest)) {
            [self] request, listener throws(FetchError) in
            try await load(request, listener, since: round)
        }
    }

    /// Returns the stored resource of a URL at once, fresh or stale, and then the server's
    /// response.
    ///
    /// The second resource is returned even if nothing has changed, unless `skipsEqual` is true. Its
    /// origin is then ``Resource/Origin-swift.enum/revalidated``; compare ``Resource/digest``. If no
    /// resource is stored, only one is returned.
    ///
    /// - Parameters:
    ///   - request: The resource to load; its mode is ignored.
    ///   - skipsEqual: Whether a second resource with the bytes of the first is left out.
    /// - Returns: One or two resources, or the error of the second.
    public func updates(
        for request: some FetchRequestConvertible, skipsEqual: Bool = false
    ) -> ResourceUpdates {
        let round = loader.round
        return ResourceUpdates(request.fetchRequest, skipsEqual: skipsEqual) {
            [self] request throws(FetchError) in try await load(request, nil, since: round)
        }
    }

    /// Returns the resources of those URLs that are stored and fresh, without any request.
    ///
    /// - Parameter urls: URLs as in a plain ``FetchRequest``.
    /// - Returns: The resources by their URLs as given. A URL is left out if it is invalid, not
    ///   stored or not fresh, or if the configuration does not allow to use what is stored.
    /// - Throws: ``FetchError/Code/storage``.
    public func resources(
        for urls: [String]
    ) async throws(FetchError) -> [String: Resource] {
        try await loader.finder.fresh(urls.compactMap { try? target(FetchRequest($0)) })
    }
}

/// Reports of the caller about the bytes of a resource.
extension FetchManager {
    /// Records that the bytes of a resource can be used, for instance that an image was decoded.
    ///
    /// If other bytes replace them later, the response is kept until those are confirmed too; see
    /// ``reject(_:of:because:)``. The record is written to the folder later, together with others.
    ///
    /// - Parameters:
    ///   - digest: The digest of the resource.
    ///   - request: The request that returned it.
    /// - Throws: ``FetchError/Code/invalidURL``.
    public func confirm(
        _ digest: BlobDigest, of request: some FetchRequestConvertible
    ) throws(FetchError) {
        levels.disk.index.touch(
            .confirmation(key: try target(request).key, digest: digest), at: levels.now)
    }

    /// Records that the bytes of a resource cannot be used, for instance that an image cannot be
    /// decoded, and returns to the response that they have replaced.
    ///
    /// It has an effect only with ``CachePolicy/OnGone-swift.enum/keep``, and only if an
    /// earlier response was confirmed with ``confirm(_:of:)`` or is in a read-only cache. The bytes
    /// are then remembered as a failure of the code ``FetchError/Code/rejected``.
    ///
    /// - Parameters:
    ///   - digest: The digest of the resource.
    ///   - request: The request that returned it.
    ///   - reason: The reason as one clause without a period.
    /// - Returns: The earlier resource; nil if none can be used, in which case nothing changes.
    /// - Throws: ``FetchError/Code/invalidURL``, ``FetchError/Code/storage``,
    ///   ``FetchError/Code/cancelled``.
    public func reject(
        _ digest: BlobDigest, of request: some FetchRequestConvertible, because reason: String
    ) async throws(FetchError) -> Resource? {
        try await loader.reject(digest, of: try target(request), because: reason)
    }
}

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

extension FetchManager {
    private static let sharedCache = Locked<FetchManager?>(nil)

    /// The cache that all callers in this process share, in ``FetchConfiguration/defaultFolder``.
    ///
    /// ```
    /// let cat = try await FetchManager.shared().load("https://example.org/cat.png")
    /// ```
    ///
    /// It is opened at the first call and need not be closed: if it is not, only times of last use
    /// are lost, and the next cache in the folder removes temporary files.
    ///
    /// - Throws: As ``init(_:)``; the next call then tries again.
    public static func shared() throws(FetchError) -> FetchManager {
        try sharedCache.withLock { (cache: inout FetchManager?) throws(FetchError) in
            if let cache { return cache }
            let opened = try FetchManager(FetchConfiguration())
            cache = opened
            return opened
        }
    }

    /// Opens a cache, passes it to a closure, and closes it when the closure returns or throws.
    ///
    /// ```swift
    /// let size = try await FetchManager.withCache(at: "/var/cache/images") { cache in
    ///     try await cache.load(FetchRequest("https://example.org/cat.png")).byteCount
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: The path of the cache's folder; see
    ///     ``FetchConfiguration/Folder-swift.struct/path``.
    ///   - isolation: The isolation of the closure; that of the caller by default.
    ///   - body: The closure that uses the cache.
    /// - Returns: The result of the closure.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the cache cannot be
    ///   opened; any error of the closure.
    public static func withCache<Value>(
        at directory: FilePath, isolation: isolated (any Actor)? = #isolation,
        _ body: (FetchManager) async throws -> Value
    ) async throws -> Value {
        try await withCache(FetchConfiguration(folder: directory), body)
    }

    /// Opens a cache with a configuration, passes it to a closure, and closes it when the closure
    /// returns or throws.
    ///
    /// - Parameters:
    ///   - configuration: As in ``init(_:)``.
    ///   - isolation: The isolation of the closure; that of the caller by default.
    ///   - body: The closure that uses the cache.
    /// - Returns: The result of the closure.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the cache cannot be
    ///   opened; any error of the closure.
    public static func withCache<Value>(
        _ configuration: FetchConfiguration, isolation: isolated (any Actor)? = #isolation,
        _ body: (FetchManager) async throws -> Value
    ) async throws -> Value {
        let cache = try FetchManager(configuration)
        do {
            let value = try await body(cache)
            await cache.close()
            return value
        } catch {
            await cache.close()
            throw error
        }
    }
}
