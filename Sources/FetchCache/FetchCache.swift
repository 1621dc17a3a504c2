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
    let downloader: Downloader
    let memory: Locked<MemoryCache>
    let loads = SharedWork<String, Resource>()
    private let engine: CurlEngine
    private let closed = Flag()

    /// Opens a cache folder, or makes it, and sweeps what dead processes have left half written.
    ///
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage``, if the folder cannot be
    ///   used or was written by a newer version of this library. A damaged index is no error: it is
    ///   made anew.
    public init(_ configuration: FetchConfiguration) throws(FetchError) {
        self.configuration = configuration
        guard configuration.cacheDirectory.hasPrefix("/") else {
            throw FetchError(.storage, configuration.cacheDirectory, "the path is not absolute")
        }
        let layout = CacheLayout(root: configuration.cacheDirectory)
        try FileSystem.makeFolder(layout.root)
        try FileSystem.makeFolder(layout.blobs)
        try FileSystem.write(CacheLayout.tagText, toNew: layout.tag)
        try FileSystem.makeFolder(layout.temporary)
        TemporaryFolder.sweep(layout.temporary)
        index = try Index(path: layout.index)
        let blobs = BlobStore(layout: layout)
        self.blobs = blobs
        engine = try CurlEngine(configuration) { () throws(FetchError) in
            try blobs.temporary.newPath()
        }
        downloader = Downloader(engine: engine, configuration: configuration)
        memory = Locked(MemoryCache(capacity: 4096))
    }

    /// The cache key of a URL: the URL as it is requested.
    ///
    /// Scheme and host in lower case; the default port, dot segments and the fragment dropped;
    /// blanks and letters beyond ASCII percent-encoded as browsers do.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``, also for a scheme other than http and https.
    public static func normalized(url: String) throws(FetchError) -> String {
        try URLText.normalized(url)
    }

    /// Gives the resource of a URL, from memory, disk or network.
    ///
    /// A server that says that a stored resource has not changed, and one that fails while a stale
    /// resource is at hand, give a normal result; ``Resource/origin`` tells.
    ///
    /// - Throws: ``FetchError``. A cancelled caller gets `CancellationError` at once; the transfer
    ///   goes on while any other caller waits for it.
    public func load(_ request: FetchRequest) async throws -> Resource {
        let key = try Self.normalized(url: request.url)
        try checkOpen(key)
        if request.mode == .normal, let resource = inMemory(key) { return resource }
        let stored = try await index.entry(for: key)
        if let stored, let resource = usable(stored, mode: request.mode) { return resource }
        guard request.mode != .offline else {
            throw FetchError(.offline, key, "nothing is stored, and no request is allowed")
        }
        return try await loads.value(for: key) {
            // Between the look-up and here another caller may have finished the same.
            if request.mode == .normal, let resource = self.inMemory(key) { return resource }
            return try await self.obtainAlone(key, stored: stored, priority: request.priority)
        }
    }

    /// Gives the resources of those URLs that are stored and fresh now, without any request.
    ///
    /// Meant for many URLs at once: all are looked up in one transaction, on the caller's thread.
    ///
    /// - Returns: The resources by their URLs as given. A URL that is not stored, not fresh or not
    ///   a URL is left out.
    public func resources(for urls: [String]) throws(FetchError) -> [String: Resource] {
        var keys: [(url: String, key: String)] = []
        for url in urls {
            guard let key = try? Self.normalized(url: url) else { continue }
            keys.append((url, key))
        }
        let entries = try index.entries(for: keys.map(\.key))
        var resources: [String: Resource] = [:]
        for (url, entry) in zip(keys.map(\.url), entries) {
            if let entry { resources[url] = usable(entry, mode: .normal) }
        }
        return resources
    }

    /// What the transfers are doing at this moment.
    public var activity: FetchActivity { engine.activity }

    /// Whether anything is being loaded.
    public var isRunning: Bool { loads.isRunning }

    /// Cancels all that is being loaded; the callers get `CancellationError`.
    public func cancelAll() { loads.cancelAll() }

    /// Ends all transfers, writes what is not written yet, and removes temporary files.
    ///
    /// Loads that are under way get `CancellationError`, later ones ``FetchError/Code/closed``.
    /// Without it nothing is lost but times of last use.
    public func close() async {
        closed.set()
        await loads.close()
        await engine.close()
        await index.close()
        blobs.temporary.release()
    }

    func checkOpen(_ url: String) throws(FetchError) {
        if closed.isSet { throw FetchError(.closed, url, "the cache is closed") }
    }
}
