/// What the callers of one shared load have in common: each hears of its progress, and the highest of
/// their priorities counts.
final class Flight: Sendable {
    typealias Listener = @Sendable (FetchProgress) -> Void

    private struct State {
        var progress = FetchProgress()
        var priority: FetchRequest.Priority
        var listeners: [UInt64: Listener] = [:]
        var raise: (@Sendable (FetchRequest.Priority) -> Void)?
        var lastEvent: Int64 = .min
    }

    /// Milliseconds between two events of progress.
    private static let eventInterval: Int64 = 100

    let key: String
    let events: EventHub
    private let state: Locked<State>

    init(key: String, priority: FetchRequest.Priority, events: EventHub) {
        self.key = key
        self.events = events
        state = Locked(State(priority: priority))
    }

    var priority: FetchRequest.Priority { state.withLock(\.priority) }

    /// Adds a caller, who is told at once how far the load is.
    func join(id: UInt64, priority: FetchRequest.Priority, listener: Listener?) {
        let (progress, raise) = state.withLock { state in
            if let listener { state.listeners[id] = listener }
            let isHigher = priority > state.priority
            if isHigher { state.priority = priority }
            return (state.progress, isHigher ? state.raise : nil)
        }
        listener?(progress)
        raise?(priority)
    }

    func leave(id: UInt64) { state.withLock { $0.listeners[id] = nil } }

    /// Sets what to do when a caller comes whose priority is higher than those of all others; nil once
    /// there is nothing to raise any more.
    func onRaise(_ raise: (@Sendable (FetchRequest.Priority) -> Void)?) {
        state.withLock { $0.raise = raise }
    }

    func report(_ progress: FetchProgress) {
        let now = monotonicMilliseconds()
        let (listeners, isDue) = state.withLock { state in
            state.progress = progress
            let isDue = state.lastEvent == .min || now - state.lastEvent >= Self.eventInterval
            if isDue { state.lastEvent = now }
            return (Array(state.listeners.values), isDue)
        }
        for listener in listeners { listener(progress) }
        if isDue { emit(.progress(progress)) }
    }

    func emit(_ kind: @autoclosure () -> FetchEvent.Kind) { events.emit(key, kind()) }
}

/// The flights of a cache, by their keys.
struct FlightTable {
    private var flights: [String: (flight: Flight, callers: Int)] = [:]

    /// The flight of a key, made if nobody waits for it yet.
    mutating func enter(_ key: String, make: () -> Flight) -> Flight {
        let flight = flights[key]?.flight ?? make()
        flights[key] = (flight, (flights[key]?.callers ?? 0) + 1)
        return flight
    }

    mutating func exit(_ key: String) {
        guard let entry = flights[key] else { return }
        flights[key] = entry.callers > 1 ? (entry.flight, entry.callers - 1) : nil
    }
}
