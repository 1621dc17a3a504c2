/// The stored resource of a URL, and then the server's response; see
/// ``FetchManager/updates(for:skipsEqual:)``.
public struct ResourceUpdates: AsyncSequence, Sendable {
    let cache: FetchManager
    let request: FetchRequest
    let skipsEqual: Bool
    let round: UInt64

    /// Loads the resources; see ``ResourceUpdates``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Step { case stored, new, end }

        private let updates: ResourceUpdates
        private var step = Step.stored
        private var first: BlobDigest?

        init(_ updates: ResourceUpdates) { self.updates = updates }

        /// The next resource; nil at the end.
        ///
        /// - Throws: ``FetchError``: that of the request to the server, or
        ///   ``FetchError/Code/cancelled``.
        public mutating func next() async throws(FetchError) -> Resource? {
            try await next(isolation: nil)
        }

        /// The next resource; nil at the end.
        ///
        /// - Throws: ``FetchError``: that of the request to the server, or
        ///   ``FetchError/Code/cancelled``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FetchError) -> Resource? {
            if step == .stored {
                step = .new
                do throws(FetchError) {
                    let resource = try await updates.load(.offline)
                    first = resource.digest
                    return resource
                } catch {
                    if !error.isOfStored { step = .end; throw error }
                }
            }
            guard step == .new else { return nil }
            step = .end
            let resource = try await updates.load(.refresh)
            return updates.skipsEqual && resource.digest == first ? nil : resource
        }
    }

    /// Begins with the stored resource.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    fileprivate func load(_ mode: FetchRequest.Mode) async throws(FetchError) -> Resource {
        var request = request
        request.mode = mode
        return try await cache.load(request, progress: nil, since: round)
    }
}
