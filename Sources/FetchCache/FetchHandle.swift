/// A load that was started, by ``FetchCache/start(_:progress:)``.
public struct FetchHandle: Sendable {
    let task: Task<Result<Resource, FetchError>, Never>

    /// The resource, as soon as it is there.
    ///
    /// - Throws: ``FetchError``; of the code ``FetchError/Code/cancelled`` if the load is cancelled.
    public var resource: Resource {
        get async throws(FetchError) { try await task.value.get() }
    }

    /// Cancels the look-up and the transfer, unless another caller waits for the same.
    public func cancel() { task.cancel() }
}
