/// The running work and the waiters for each result.
///
/// This is pure state: its methods return the action to carry out.
struct InFlightTable<Key: Hashable, Waiter> {
    enum JoinAction: Equatable {
        /// The work is not running: start it, and finish the flight with this number.
        case start(flight: UInt64)
        /// The work is running: ``finish(_:flight:)`` will return the waiter.
        case wait
    }

    enum LeaveAction {
        /// The waiter is not waiting: it has its result, or has never joined.
        case none
        /// Resume the waiter; others still wait.
        case resume(Waiter)
        /// Resume the waiter and cancel the flight, which has no other waiter.
        case resumeAndCancel(Waiter, flight: UInt64)
    }

    fileprivate struct Flight {
        var number: UInt64
        var waiters: [(id: UInt64, waiter: Waiter)]
    }

    private var flights: [Key: Flight] = [:]
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { flights.isEmpty }

    mutating func join(_ waiter: Waiter, id: UInt64, for key: Key) -> JoinAction {
        if flights[key] != nil {
            flights[key]?.waiters.append((id, waiter))
            return .wait
        }
        lastNumber += 1
        flights[key] = Flight(number: lastNumber, waiters: [(id, waiter)])
        return .start(flight: lastNumber)
    }

    /// Removes one waiter.
    ///
    /// When its last waiter leaves, a key becomes free. A new waiter starts new work and does not
    /// get the result of the cancelled flight.
    mutating func leave(id: UInt64, for key: Key) -> LeaveAction {
        guard let flight = flights[key],
            let index = flight.waiters.firstIndex(where: { $0.id == id })
        else { return .none }
        let waiter = flight.waiters[index].waiter
        if flight.waiters.count > 1 {
            flights[key]?.waiters.remove(at: index)
            return .resume(waiter)
        }
        flights[key] = nil
        return .resumeAndCancel(waiter, flight: flight.number)
    }

    /// Removes all flights and returns all waiters.
    mutating func removeAll() -> [Waiter] {
        defer { flights = [:] }
        return flights.values.flatMap { $0.waiters.map(\.waiter) }
    }

    /// Removes a flight and returns all waiters for its result; none if all have left.
    mutating func finish(_ key: Key, flight: UInt64) -> [Waiter] {
        guard let current = flights[key], current.number == flight else { return [] }
        flights[key] = nil
        return current.waiters.map(\.waiter)
    }
}

extension InFlightTable: Sendable where Key: Sendable, Waiter: Sendable {}
extension InFlightTable.Flight: Sendable where Key: Sendable, Waiter: Sendable {}
