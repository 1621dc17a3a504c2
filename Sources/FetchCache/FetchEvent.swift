import Locks

/// An event of a load; events of one load arrive in order.
public struct FetchEvent: Sendable, Hashable {
    /// The kind of event.
    public enum Kind: Sendable, Hashable {
        /// A transfer waits in the queue.
        case queued
        /// A request is being sent to this URL, which is the requested one or the target of a
        /// redirect.
        case started(url: String)
        /// The header of a response has arrived.
        case response(status: Int, expectedBytes: Int?)
        /// Bytes of the body have arrived; sent about ten times a second.
        case progress(FetchProgress)
        /// The load has ended with bytes from the network.
        case finished(byteCount: Int)
        /// The server has confirmed that the stored response has not changed.
        case revalidated
        /// The request has failed. The caller may still get a stored response, if it is allowed to be
        /// stale.
        case failed(FetchError)
        /// No caller waits for the load any more.
        case cancelled
        /// An attempt has failed; the next one starts after the delay.
        case retried(FetchError, delay: Duration)
        /// An entry was removed from the cache: because of its age or a limit, and in memory also
        /// because the caller or a lack of memory asked for it.
        case evicted
    }

    /// The cache key of the entry; see ``FetchManager/key(for:)``.
    public var key: String
    /// The kind of event.
    public var kind: Kind

    /// Creates an event.
    public init(key: String, kind: Kind) {
        self.key = key
        self.kind = kind
    }
}

/// The progress of a download.
public struct FetchProgress: Sendable, Hashable {
    /// The body bytes received so far, including those of an earlier attempt that is being resumed.
    public var receivedBytes: Int
    /// The announced length of the body; nil if it is unknown.
    public var expectedBytes: Int?

    /// Creates a progress value; zero bytes of an unknown length by default.
    public init(receivedBytes: Int = 0, expectedBytes: Int? = nil) {
        self.receivedBytes = receivedBytes
        self.expectedBytes = expectedBytes
    }
}

/// Distributes events to all listeners, each of which reads at its own speed.
final class EventHub: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<FetchEvent>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Locked(State())

    /// A stream of all events from now on, until the hub ends.
    func stream() -> AsyncStream<FetchEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: FetchEvent.self)
        let id = state.withLock { state -> UInt64? in
            if state.isFinished { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [state] _ in
            state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    func emit(_ key: String, _ kind: @autoclosure () -> FetchEvent.Kind) {
        let listeners = state.withLock { Array($0.listeners.values) }
        if listeners.isEmpty { return }
        let event = FetchEvent(key: key, kind: kind())
        for listener in listeners { listener.yield(event) }
    }

    /// Ends every stream after the events that were already sent.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
