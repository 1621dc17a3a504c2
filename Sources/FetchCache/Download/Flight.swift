import Locks

/// The state that the callers of one shared load have in common: each receives the progress, and
/// the highest of their priorities counts.
final class Flight: Sendable {
    typealias Listener = @Sendable (FetchProgress) -> Void

    private struct State {
        var progress = FetchProgress()
        var priority: FetchRequest.Priority
        var listeners: [UInt64: Listener] = [:]
        var raise: (@Sendable (FetchRequest.Priority) -> Void)?
        var lastEvent: Int64 = .min
    }

    /// The minimum interval between two progress events in milliseconds.
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

    /// Adds a caller, who gets the current progress at once.
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

    /// Sets the action for a caller whose priority is higher than all others; nil when the priority
    /// can no longer be raised.
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

/// The flights of a cache by their keys.
struct FlightTable {
    private var flights: [String: (flight: Flight, callers: Int)] = [:]

    /// The flight of a key, created if nobody waits for it yet.
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
