internal import Files
import Locks
import Synchronization

/// The updates and the priority of one piece of work that callers share.
///
/// Each caller receives the updates. The priority is the highest of those who wait: it falls when
/// the most urgent caller leaves. A caller may be another flight, which has a priority of its own:
/// that of an image is so the priority of its load, and of its transfer.
package final class Flight: Sendable {
    /// What a transfer tells its callers.
    enum Update: Sendable {
        case progress(FetchProgress)
        case event(FetchEvent.Kind)
        /// The bytes of the body arrive in this file.
        case file(ArrivingFile)
    }

    /// One caller of the work.
    package struct Caller: Sendable {
        fileprivate var priority: FetchRequest.Priority
        /// The flight that needs the result, whose priority counts now and later; nil for
        /// ``priority``.
        fileprivate var flight: Flight?
        /// Nil for the turn at which the request is queued.
        var turn: CallTurn?
        /// Receives the updates: the progress and the file at once when the caller joins, and then all
        /// as the work reports it.
        var listener: (@Sendable (Update) -> Void)?

        package init(
            _ priority: FetchRequest.Priority = .normal, for flight: Flight? = nil
        ) {
            self.priority = flight?.priority ?? priority
            self.flight = flight
        }
    }

    private struct State {
        var progress = FetchProgress()
        var file: ArrivingFile?
        /// The turn of the first caller.
        var turn: CallTurn?
        var hasCaller = false
        var callers: [UInt64: Caller] = [:]
        /// The number of callers of each priority.
        var counts = FetchRequest.Priority.allCases.map { _ in 0 }
        /// Those who are told that the priority has changed.
        var observers: [UInt64: @Sendable () -> Void] = [:]

        var priority: FetchRequest.Priority {
            counts.lastIndex { $0 > 0 }.flatMap(FetchRequest.Priority.init) ?? .normal
        }

        /// Runs `body`, and returns the observers if it has changed the priority.
        mutating func observers(after body: (inout State) -> Void) -> [@Sendable () -> Void] {
            let before = priority
            body(&self)
            return priority == before ? [] : Array(observers.values)
        }
    }

    private let state = Locked(State())

    package init() {}

    package var priority: FetchRequest.Priority { state.withLock(\.priority) }

    /// The turn of the first caller.
    var turn: CallTurn? { state.withLock(\.turn) }

    /// Adds a caller, who gets the current progress at once.
    package func join(id: UInt64, _ caller: Caller) {
        var (progress, isFirst) = (FetchProgress(), false)
        let observers = state.withLock { state in
            (progress, isFirst) = (state.progress, !state.hasCaller)
            // While the lock is held, so that no earlier file comes after a later one.
            if let file = state.file { caller.listener?(.file(file)) }
            if isFirst { (state.turn, state.hasCaller) = (caller.turn, true) }
            return state.observers { state in
                state.callers[id] = caller
                state.counts[caller.priority.rawValue] += 1
            }
        }
        if !isFirst { caller.turn?.end() }
        caller.listener?(.progress(progress))
        for observer in observers { observer() }
        guard let flight = caller.flight else { return }
        flight.observe(id: id) { [weak self, weak flight] in
            if let flight { self?.setPriority(of: id, flight.priority) }
        }
        setPriority(of: id, flight.priority)
    }

    /// Changes the priority of a caller.
    ///
    /// - Parameters:
    ///   - id: The caller; one that has left is not an error.
    ///   - priority: Its new priority.
    func setPriority(of id: UInt64, _ priority: @autoclosure () -> FetchRequest.Priority) {
        let observers = state.withLock { state in
            state.observers { state in
                guard let old = state.callers[id]?.priority else { return }
                // Read while the lock is held: the latest of two changes must be the last.
                let new = priority()
                state.counts[old.rawValue] -= 1
                state.counts[new.rawValue] += 1
                state.callers[id]?.priority = new
            }
        }
        for observer in observers { observer() }
    }

    package func leave(id: UInt64) {
        var flight: Flight?
        let observers = state.withLock { state in
            state.observers { state in
                guard let caller = state.callers.removeValue(forKey: id) else { return }
                flight = caller.flight
                state.counts[caller.priority.rawValue] -= 1
            }
        }
        flight?.observe(id: id, nil)
        for observer in observers { observer() }
    }

    /// Lets all callers leave, at the end of the work.
    func end() { for id in state.withLock({ Array($0.callers.keys) }) { leave(id: id) } }

    /// Sets the action for a change of the priority; nil for none any longer.
    func observe(id: UInt64, _ action: (@Sendable () -> Void)?) {
        state.withLock { $0.observers[id] = action }
    }

    /// Passes an update on to all callers.
    func report(_ update: Update) {
        let listeners = state.withLock { state in
            switch update {
            case .progress(let progress): state.progress = progress
            case .file(let file): state.file = file
            case .event: break
            }
            return state.callers.values.compactMap(\.listener)
        }
        for listener in listeners { listener(update) }
    }
}

/// A number that no other call in this process returns.
func uniqueNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

private let lastNumber = Atomic<UInt64>(0)

extension Flight {
    /// A listener that passes on the progress alone.
    static func listener(
        _ progress: (@Sendable (FetchProgress) -> Void)?
    ) -> (@Sendable (Update) -> Void)? {
        guard let progress else { return nil }
        return { update in if case .progress(let value) = update { progress(value) } }
    }
}

/// The file of a body that arrives.
struct ArrivingFile: Sendable {
    let path: String
    /// The file, if it has no name because it must not be stored.
    let held: HeldFile?
}
