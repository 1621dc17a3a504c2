public import SystemPackage

extension FetchCache {
    /// Opens a cache, passes it to a closure, and closes it when the closure returns or throws.
    ///
    /// ```swift
    /// let size = try await FetchCache.withCache(at: "/var/cache/images") { cache in
    ///     try await cache.load(FetchRequest("https://example.org/cat.png")).byteCount
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: The path of the cache's folder; see
    ///     ``FetchConfiguration/cacheDirectory``.
    ///   - isolation: The isolation of the closure; that of the caller by default.
    ///   - body: The closure that uses the cache.
    /// - Returns: The result of the closure.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the cache cannot be
    ///   opened; any error of the closure.
    public static func withCache<Value>(
        at directory: FilePath, isolation: isolated (any Actor)? = #isolation,
        _ body: (FetchCache) async throws -> Value
    ) async throws -> Value {
        try await withCache(FetchConfiguration(cacheDirectory: directory), body)
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
        _ body: (FetchCache) async throws -> Value
    ) async throws -> Value {
        let cache = try FetchCache(configuration)
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
