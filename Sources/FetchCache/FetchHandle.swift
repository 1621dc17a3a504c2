/// A handle of a load that ``FetchManager/start(_:progress:)`` has started.
public struct FetchHandle: Sendable {
    let task: Task<Result<Resource, FetchError>, Never>

    /// The resource; waits until it is available.
    ///
    /// - Throws: ``FetchError``, of the code ``FetchError/Code/cancelled`` if the load is
    ///   cancelled.
    public var resource: Resource {
        get async throws(FetchError) { try await task.value.get() }
    }

    /// Cancels the lookup and the transfer, unless another caller waits for the same transfer.
    public func cancel() { task.cancel() }
}
