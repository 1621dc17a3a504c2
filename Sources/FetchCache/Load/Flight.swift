import Locks

/// The progress and the priority of one piece of work that callers share.
///
/// Each caller receives the progress. The highest of their priorities counts.
final class Flight: Sendable {
    /// One caller of the work.
    struct Caller: Sendable {
        var priority = FetchRequest.Priority.normal
        /// Nil for the turn at which the request is queued.
        var turn: CallTurn?
        /// Receives the progress: at once when the caller joins, and then as the work reports it.
        var listener: (@Sendable (FetchProgress) -> Void)?
    }

    private struct State {
        var progress = FetchProgress()
        /// Nil until the first caller has joined.
        var priority: FetchRequest.Priority?
        /// The turn of the first caller.
        var turn: CallTurn?
        var hasCaller = false
        var listeners: [UInt64: @Sendable (FetchProgress) -> Void] = [:]
        var raise: (@Sendable (FetchRequest.Priority) -> Void)?
    }

    private let state = Locked(State())

    var priority: FetchRequest.Priority { state.withLock { $0.priority ?? .normal } }

    /// The turn of the first caller.
    var turn: CallTurn? { state.withLock(\.turn) }

    /// Adds a caller, who gets the current progress at once.
    func join(id: UInt64, _ caller: Caller) {
        let (progress, isFirst) = state.withLock { state in
            if let listener = caller.listener { state.listeners[id] = listener }
            let isFirst = !state.hasCaller
            if isFirst { (state.turn, state.hasCaller) = (caller.turn, true) }
            return (state.progress, isFirst)
        }
        if !isFirst { caller.turn?.end() }
        caller.listener?(progress)
        raise(to: caller.priority)
    }

    /// Gives the work at least this priority.
    func raise(to priority: FetchRequest.Priority) {
        let raise = state.withLock { state in
            let isHigher = state.priority.map { priority > $0 } ?? true
            if isHigher { state.priority = priority }
            return isHigher ? state.raise : nil
        }
        raise?(priority)
    }

    func leave(id: UInt64) { state.withLock { $0.listeners[id] = nil } }

    /// Sets the action for a caller whose priority is higher than all others; nil when the priority
    /// can no longer be raised.
    func onRaise(_ raise: (@Sendable (FetchRequest.Priority) -> Void)?) {
        state.withLock { $0.raise = raise }
    }

    /// Tells all callers the progress.
    func report(_ progress: FetchProgress) {
        let listeners = state.withLock { state in
            state.progress = progress
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(progress) }
    }
}
