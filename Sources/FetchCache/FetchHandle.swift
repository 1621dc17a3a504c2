/// A load that was started, by ``FetchCache/start(_:progress:)``.
public struct FetchHandle: Sendable {
    let task: Task<Resource, any Error>

    /// The resource, as soon as it is there.
    ///
    /// - Throws: ``FetchError``; what a transform throws; `CancellationError` if the load is cancelled.
    public var resource: Resource {
        get async throws { try await task.value }
    }

    /// Cancels the look-up and the transfer, unless another caller waits for the same.
    public func cancel() { task.cancel() }
}
