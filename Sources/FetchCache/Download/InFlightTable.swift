/// Which work is being done, and who waits for its result.
///
/// Does nothing itself; its methods say what to do.
struct InFlightTable<Key: Hashable, Waiter> {
    enum JoinAction: Equatable {
        /// Nobody does it yet: begin, and finish the flight of this number.
        case start(flight: UInt64)
        /// It is being done; the waiter will be among those that ``finish(_:flight:)`` gives.
        case wait
    }

    enum LeaveAction {
        /// The waiter is not waiting: it has its result, or never came.
        case none
        /// Tell the waiter; others still wait.
        case resume(Waiter)
        /// Tell the waiter and stop the flight, for which nobody waits any more.
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

    /// Takes one waiter out.
    ///
    /// A key whose last waiter has left is free: who joins then starts anew and does not get the
    /// end of the cancelled flight.
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

    /// Forgets all flights and returns everyone who waits.
    mutating func removeAll() -> [Waiter] {
        defer { flights = [:] }
        return flights.values.flatMap { $0.waiters.map(\.waiter) }
    }

    /// Forgets a flight and returns everyone who must be told its result: nobody, if all have left.
    mutating func finish(_ key: Key, flight: UInt64) -> [Waiter] {
        guard let current = flights[key], current.number == flight else { return [] }
        flights[key] = nil
        return current.waiters.map(\.waiter)
    }
}

extension InFlightTable: Sendable where Key: Sendable, Waiter: Sendable {}
extension InFlightTable.Flight: Sendable where Key: Sendable, Waiter: Sendable {}
