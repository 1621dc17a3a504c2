public import HTTPTypes

/// What a ``FetchCache`` is to those who use it: for code that is to be given another one, in tests for
/// instance.
public protocol ResourceCache: Sendable {
    /// Gives the resource of a URL; see ``FetchCache/load(_:progress:)``.
    func load(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)?
    ) async throws(FetchError) -> Resource

    /// Whether something is stored for a request, fresh or not.
    func contains(_ request: FetchRequest) async throws(FetchError) -> Bool

    /// Stores bytes as if the URL of a request had given them now; see
    /// ``FetchCache/store(_:for:headers:)``.
    @discardableResult
    func store(
        _ bytes: [UInt8], for request: FetchRequest, headers: HTTPFields
    ) async throws(FetchError) -> Resource

    /// Removes what is stored for a request.
    ///
    /// - Returns: Whether there was anything.
    @discardableResult
    func remove(_ request: FetchRequest) async throws(FetchError) -> Bool

    /// Drops all that is kept in memory.
    func clearMemory()

    /// Cancels all that is being loaded; the callers get ``FetchError/Code/cancelled``.
    func cancelAll()
}

extension ResourceCache {
    /// Gives the resource of a URL, and tells nobody how far it is.
    public func load(_ request: FetchRequest) async throws(FetchError) -> Resource {
        try await load(request, progress: nil)
    }
}

extension FetchCache: ResourceCache {}
