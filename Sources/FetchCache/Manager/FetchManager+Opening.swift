import Locks
public import SystemPackage

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
