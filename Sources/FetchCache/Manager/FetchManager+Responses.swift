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
        _ digest: BlobDigest, of request: FetchRequest
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
        _ digest: BlobDigest, of request: FetchRequest, because reason: String
    ) async throws(FetchError) -> Resource? {
        try await loader.reject(digest, of: try target(request), because: reason)
    }
}
