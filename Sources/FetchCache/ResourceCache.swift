public import HTTPTypes

/// The interface of a ``FetchManager``, for code that must work with a replacement, for instance in
/// tests.
public protocol ResourceCache: Sendable {
    /// Returns the resource of a URL; see ``FetchManager/load(_:progress:)``.
    func load(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws(FetchError) -> Resource

    /// Whether a response is stored for a request, fresh or stale.
    func contains(_ request: FetchRequest) async throws(FetchError) -> Bool

    /// Stores bytes as if they had just been downloaded from the URL of a request; see
    /// ``FetchManager/store(_:for:headers:)``.
    @discardableResult
    func store(
        _ bytes: [UInt8], for request: FetchRequest, headers: HTTPFields
    ) async throws(FetchError) -> Resource

    /// Removes the stored responses of a request.
    ///
    /// - Returns: Whether anything was stored.
    @discardableResult
    func remove(_ request: FetchRequest) async throws(FetchError) -> Bool

    /// Removes all entries from memory.
    func clearMemory()

    /// Cancels all loads; their callers get ``FetchError/Code/cancelled``.
    func cancelAll()
}

extension ResourceCache {
    /// Returns the resource of a URL without reporting progress.
    public func load(_ request: FetchRequest) async throws(FetchError) -> Resource {
        try await load(request, progress: nil)
    }
}

extension FetchManager: ResourceCache {}
