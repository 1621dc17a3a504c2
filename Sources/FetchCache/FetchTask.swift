internal import Files
import Locks

/// A load that goes on until it ends or is cancelled, even if nobody waits for it.
///
/// ```swift
/// let task = cache.start("https://example.org/cat.png")
/// for await progress in task.progress { print(progress.receivedBytes) }
/// print(try await task.value.path)
/// ```
public final class FetchTask: Sendable {
    /// How far a load is.
    public enum State: Sendable, Hashable {
        /// It waits or runs.
        case running
        /// It has ended with a resource.
        case finished(Resource)
        /// It has failed, or was cancelled.
        case failed(FetchError)
    }

    private struct Known {
        var state = State.running
        var file: ArrivingFile?

        mutating func take(_ new: ArrivingFile) { if state == .running { file = new } }
    }

    /// The request, with the priority at the start.
    public let request: FetchRequest
    private let task: Task<Result<Resource, FetchError>, Never>
    private let known: Locked<Known>
    private let allProgress: Broadcast<FetchProgress>
    private let allEvents: Broadcast<FetchEvent.Kind>
    /// The task is the only caller of this flight, whose priority is that of the load.
    private let flight = Flight()
    private let id = uniqueNumber()

    init(
        _ request: FetchRequest,
        load:
            @escaping @Sendable (FetchRequest, @escaping Loader.Listener)
            async throws(FetchError) -> Resource
    ) {
        var plain = request
        plain.turn = nil
        self.request = plain
        let known = Locked(Known())
        let progress = Broadcast<FetchProgress>(buffering: .bufferingNewest(1)) { _, new in [new] }
        let events = Broadcast<FetchEvent.Kind> { past, new in
            new.isProgress ? past.filter { !$0.isProgress } + [new] : past + [new]
        }
        (self.known, allProgress, allEvents) = (known, progress, events)
        flight.join(id: id, Flight.Caller(request.priority, for: request.flight))
        var queued = request
        queued.flight = flight
        task = Task { [queued, flight] in
            let result: Result<Resource, FetchError>
            do throws(FetchError) {
                let resource = try await load(queued) { update in
                    switch update {
                    case .progress(let value): progress.emit(value)
                    case .event(let event): events.emit(event)
                    case .file(let file): known.withLock { $0.take(file) }
                    }
                }
                known.withLock { $0 = Known(state: .finished(resource)) }
                result = .success(resource)
            } catch {
                known.withLock { $0 = Known(state: .failed(error)) }
                result = .failure(error)
            }
            flight.end()
            progress.finish()
            events.finish()
            return result
        }
    }

    /// The resource; waits until it is available.
    ///
    /// A caller whose own task is cancelled goes on waiting; ``cancel()`` ends the load.
    ///
    /// - Throws: ``FetchError``, of the code ``FetchError/Code/cancelled`` if the load is
    ///   cancelled.
    public var value: Resource {
        get async throws(FetchError) { try await task.value.get() }
    }

    /// How far the load is.
    public var state: State { known.withLock(\.state) }

    /// The priority of the transfer, which may be changed while the load waits or runs; normal
    /// afterwards.
    ///
    /// A transfer that several callers share has the highest of their priorities.
    public var priority: FetchRequest.Priority {
        get { flight.priority }
        set { flight.setPriority(of: id, newValue) }
    }

    /// The progress: the latest first, and then each change until the load ends.
    ///
    /// A slow reader gets only the latest. A load that needs no download has one of zero bytes.
    public var progress: AsyncStream<FetchProgress> { allProgress.stream() }

    /// What happens to the transfer, from its start until the load ends.
    ///
    /// A load that needs no request has no events. A task that joins a running transfer gets what
    /// happens from then on.
    public var events: AsyncStream<FetchEvent.Kind> { allEvents.stream() }

    /// The bytes of the body that have arrived so far.
    ///
    /// With them, a decoder can show an image before it is complete. They are the first part of the
    /// body, and after the load all bytes of ``value``.
    ///
    /// - Returns: The bytes; none before the first bytes were accepted as an image and after a failure.
    ///   While the complete body is stored or transformed, the call waits for the end of the load.
    public func partialBytes() async -> [UInt8] {
        let now = known.withLock(\.self)
        if case .finished(let resource) = now.state { return (try? await resource.bytes()) ?? [] }
        guard let file = now.file else { return [] }
        let part = await BlockingPool.shared.run {
            withExtendedLifetime(file) { try? readFile(file.path, ofAnyKind: true).bytes }
        }
        if let part { return part }
        return (try? await value.bytes()) ?? []
    }

    /// Cancels the lookup and the transfer, unless another caller waits for the same transfer.
    public func cancel() { task.cancel() }
}

extension FetchEvent.Kind {
    fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }
}
