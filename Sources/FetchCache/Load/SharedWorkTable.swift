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
        /// The waiters that need the result no more, but wait for the end of the work.
        var released: Set<UInt64> = []
    }

    private var current: [Key: Waiters] = [:]
    /// The waiters of flights whose keys were forgotten.
    private var forgotten: [UInt64: Waiters] = [:]
    private var lastFlight: UInt64 = 0

    var isEmpty: Bool { current.isEmpty && forgotten.isEmpty }

    /// The keys of running work.
    var keys: [Key] { Array(current.keys) }

    /// Whether a new waiter of a key would wait for this flight.
    func isCurrent(_ flight: UInt64, for key: Key) -> Bool { current[key]?.flight == flight }

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

    /// Notes that a waiter needs the result no more.
    ///
    /// - Returns: The flight, if none of its waiters needs its result; the key is free then.
    mutating func release(id: UInt64, for key: Key) -> UInt64? {
        guard current[key]?.all.contains(where: { $0.id == id }) == true else { return nil }
        current[key]?.released.insert(id)
        guard count(of: key) == 0, let flight = current[key]?.flight else { return nil }
        forget(key)
        return flight
    }

    /// The number of waiters that need the result of a key.
    func count(of key: Key) -> Int {
        current[key].map { $0.all.count - $0.released.count } ?? 0
    }

    /// Frees a key, so that its next waiter starts new work; the present ones wait for the old.
    mutating func forget(_ key: Key) {
        if let waiters = current.removeValue(forKey: key) { forgotten[waiters.flight] = waiters }
    }

    /// Removes all flights and returns all waiters.
    mutating func removeAll() -> [Waiter] {
        defer { (current, forgotten) = ([:], [:]) }
        return (Array(current.values) + Array(forgotten.values)).flatMap { $0.all.map(\.waiter) }
    }

    /// Removes a flight and returns all waiters for its result; none if all have left.
    mutating func finish(_ key: Key, flight: UInt64) -> [Waiter] {
        if let waiters = forgotten.removeValue(forKey: flight) { return waiters.all.map(\.waiter) }
        guard let waiters = current[key], waiters.flight == flight else { return [] }
        current[key] = nil
        return waiters.all.map(\.waiter)
    }
}

extension SharedWorkTable: Sendable where Key: Sendable, Waiter: Sendable {}
extension SharedWorkTable.Waiters: Sendable where Key: Sendable, Waiter: Sendable {}
