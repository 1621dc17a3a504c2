/// More ways to load resources.
extension FetchManager {
    /// Starts a load, which continues until it ends or is cancelled, even if no caller waits for
    /// it.
    ///
    /// - Parameters:
    ///   - request: The resource to load.
    ///   - progress: As in ``load(_:progress:)``.
    /// - Returns: A handle to wait for the load or to cancel it.
    public func start(
        _ request: FetchRequest, progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) -> FetchHandle {
        let round = loader.round
        let request = inTurn(request)
        return FetchHandle(
            task: Task {
                do throws(FetchError) {
                    return .success(try await load(request, progress: progress, since: round))
                } catch {
                    return .failure(error)
                }
            })
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
        for request: FetchRequest, skipsEqual: Bool = false
    ) -> ResourceUpdates {
        ResourceUpdates(cache: self, request: request, skipsEqual: skipsEqual, round: loader.round)
    }

    /// Returns the resources of those URLs that are stored and fresh, without any request.
    ///
    /// Intended for many URLs at once: one transaction for each folder looks all of
    /// them up.
    ///
    /// - Parameter urls: URLs as in a plain ``FetchRequest``.
    /// - Returns: The resources by their URLs as given. A URL is left out if it is invalid, not
    ///   stored or not fresh, or if the configuration does not allow to use what is stored.
    /// - Throws: ``FetchError/Code/storage``.
    public func resources(
        for urls: [String]
    ) async throws(FetchError) -> [String: Resource] {
        try await BlockingPool.shared.run { () throws(FetchError) in
            try self.loader.fresh(urls.compactMap { try? self.target(FetchRequest($0)) })
        }
    }
}
