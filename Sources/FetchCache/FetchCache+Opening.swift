extension FetchCache {
    /// Opens a cache, lends it to a closure, and closes it when the closure has ended, also if it throws.
    ///
    /// ```swift
    /// let size = try await FetchCache.withCache(at: "/var/cache/images") { cache in
    ///     try await cache.load(FetchRequest("https://example.org/cat.png")).byteCount
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: The absolute path of the cache's folder; see
    ///     ``FetchConfiguration/cacheDirectory``.
    ///   - isolation: Where the closure runs: where the caller does.
    ///   - body: What is done with the cache, which is closed afterwards.
    /// - Returns: What the closure returns.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the cache cannot be opened;
    ///   what the closure throws.
    public static func withCache<Value>(
        at directory: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (FetchCache) async throws -> Value
    ) async throws -> Value {
        try await withCache(FetchConfiguration(cacheDirectory: directory), body)
    }

    /// Opens a cache as a configuration says, lends it to a closure, and closes it when the closure has
    /// ended, also if it throws.
    ///
    /// - Parameters:
    ///   - configuration: As in ``init(_:)``.
    ///   - isolation: Where the closure runs: where the caller does.
    ///   - body: What is done with the cache, which is closed afterwards.
    /// - Returns: What the closure returns.
    /// - Throws: ``FetchError`` of the code ``FetchError/Code/storage`` if the cache cannot be opened;
    ///   what the closure throws.
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
