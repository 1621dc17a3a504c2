import Locks
import Synchronization

/// Distributes events to all listeners, each of which reads at its own speed.
final class EventHub: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<FetchEvent>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Locked(State())
    /// Checked first, because there is usually no listener.
    private let count = Atomic<Int>(0)

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
        count.wrappingAdd(1, ordering: .relaxed)
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    func emit(_ key: String, _ kind: @autoclosure () -> FetchEvent.Kind) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        let event = FetchEvent(key: key, kind: kind())
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    /// Ends every stream after the events that were already sent.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func remove(_ id: UInt64) {
        let wasThere = state.withLock { $0.listeners.removeValue(forKey: id) != nil }
        if wasThere { count.wrappingSubtract(1, ordering: .relaxed) }
    }
}
