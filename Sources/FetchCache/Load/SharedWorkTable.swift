/// The running work of each key, and the callers that wait for its result.
///
/// This is pure state: its methods return the action to carry out. A flight is one run of the work
/// of a key; it has a number, because a key can be freed and begin another run before the first has
/// ended.
struct SharedWorkTable<Key: Hashable, Waiter> {
    enum JoinAction: Equatable {
        /// The work is not running: start it, and finish the flight with this number.
        case start(flight: UInt64)
        /// The work is running: ``finish(_:flight:)`` will return the waiter.
        case wait(flight: UInt64)
    }

    enum LeaveAction {
        /// The waiter is not waiting: it has its result, or has never joined.
        case none
        /// Resume the waiter; others still wait.
        case resume(Waiter, flight: UInt64)
        /// Resume the waiter and cancel the flight, which has no other waiter.
        case resumeAndCancel(Waiter, flight: UInt64)
    }

    fileprivate struct Waiters {
        var flight: UInt64
        var all: [(id: UInt64, waiter: Waiter)]
    }

    private var current: [Key: Waiters] = [:]
    private var lastFlight: UInt64 = 0

    var isEmpty: Bool { current.isEmpty }

    mutating func join(_ waiter: Waiter, id: UInt64, for key: Key) -> JoinAction {
        if let flight = current[key]?.flight {
            current[key]?.all.append((id, waiter))
            return .wait(flight: flight)
        }
        lastFlight += 1
        current[key] = Waiters(flight: lastFlight, all: [(id, waiter)])
        return .start(flight: lastFlight)
    }

    /// Removes one waiter.
    ///
    /// When its last waiter leaves, a key becomes free. A new waiter starts new work and does not
    /// get the result of the cancelled flight.
    mutating func leave(id: UInt64, for key: Key) -> LeaveAction {
        guard let waiters = current[key],
            let index = waiters.all.firstIndex(where: { $0.id == id })
        else { return .none }
        let waiter = waiters.all[index].waiter
        if waiters.all.count > 1 {
            current[key]?.all.remove(at: index)
            return .resume(waiter, flight: waiters.flight)
        }
        current[key] = nil
        return .resumeAndCancel(waiter, flight: waiters.flight)
    }

    /// Removes all flights and returns all waiters.
    mutating func removeAll() -> [Waiter] {
        defer { current = [:] }
        return current.values.flatMap { $0.all.map(\.waiter) }
    }

    /// Removes a flight and returns all waiters for its result; none if all have left.
    mutating func finish(_ key: Key, flight: UInt64) -> [Waiter] {
        guard let waiters = current[key], waiters.flight == flight else { return [] }
        current[key] = nil
        return waiters.all.map(\.waiter)
    }
}

extension SharedWorkTable: Sendable where Key: Sendable, Waiter: Sendable {}
extension SharedWorkTable.Waiters: Sendable where Key: Sendable, Waiter: Sendable {}
