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

/// Passes values on to all listeners, each of which reads at its own speed.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<Element>.Continuation] = [:]
        /// What a new listener gets first.
        var past: [Element] = []
        var isFinished = false
    }

    private let state = Locked(State())
    /// The values of the past and a new one, of which a later listener gets what this returns.
    private let remember: @Sendable ([Element], Element) -> [Element]
    private let buffering: AsyncStream<Element>.Continuation.BufferingPolicy

    init(
        buffering: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded,
        remember: @escaping @Sendable ([Element], Element) -> [Element] = { past, _ in past }
    ) {
        self.buffering = buffering
        self.remember = remember
    }

    /// A stream of what is remembered, and of all values from now on, until the broadcast ends.
    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: buffering)
        let id = uniqueNumber()
        continuation.onTermination = { [state] _ in
            state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        let isFinished = state.withLock { state in
            for value in state.past { continuation.yield(value) }
            if !state.isFinished { state.listeners[id] = continuation }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return stream
    }

    func emit(_ value: Element) {
        state.withLock { state in
            state.past = remember(state.past, value)
            for listener in state.listeners.values { listener.yield(value) }
        }
    }

    /// Ends every stream after the values that were already sent.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
