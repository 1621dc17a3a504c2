import Locks

/// Values that are made once, even if many callers ask for one at the same time, and then kept.
///
/// A cancelled caller waits for its value like the others. The work on a value is cancelled when all
/// its callers have been cancelled; its value is not kept then.
package final class KeptValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value in memory of its own, because a table has room for more values than it holds.
    private final class Kept: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private struct State {
        var kept: [Key: Kept] = [:]
        /// Changes whenever values are forgotten: what was begun before is not kept.
        var round = 0
    }

    private let state = Locked(State())
    private let flights = Flights<Key, Value>(isPatient: true)
    private let keeps: @Sendable (Value) -> Bool

    /// - Parameter keeps: Whether a value is kept; all are by default.
    package init(where keeps: @escaping @Sendable (Value) -> Bool = { _ in true }) {
        self.keeps = keeps
    }

    /// The value for `key`; the first caller makes it, in a separate task.
    ///
    /// - Throws: `CancellationError` after ``stop()``.
    package func value(
        for key: Key, as caller: Flight.Caller = Flight.Caller(),
        make: @escaping @Sendable (Flight) async -> Value
    ) async throws -> Value {
        if let kept = kept(key) { return kept }
        return try await flights.value(for: key, as: caller) { [self] flight in
            // Another caller may have made it since the look.
            if let kept = kept(key) { return kept }
            let round = state.withLock(\.round)
            let value = await make(flight)
            if keeps(value), !Task.isCancelled {
                state.withLock { if $0.round == round { $0.kept[key] = Kept(value) } }
            }
            return value
        }
    }

    /// Keeps a value that was made elsewhere.
    package func keep(_ value: Value, for key: Key) {
        state.withLock { $0.kept[key] = Kept(value) }
    }

    private func kept(_ key: Key) -> Value? { state.withLock { $0.kept[key]?.value } }

    /// The keys of all values, also of those that are being made.
    package var keys: [Key] { Array(Set(state.withLock { $0.kept.keys }).union(flights.keys)) }

    /// The number of callers who need the value of a key and wait for it.
    package func callerCount(of key: Key) -> Int { flights.callerCount(of: key) }

    /// Forgets the value of a key, so that the next call makes it again.
    package func forget(_ key: Key) {
        state.withLock { state in
            state.kept[key] = nil
            state.round += 1
        }
        flights.detach(key)
    }

    /// Forgets all values, so that the next calls make them again.
    package func forgetAll() {
        state.withLock { state in
            state.kept = [:]
            state.round += 1
        }
        flights.detachAll()
    }

    /// Cancels all running work, and refuses what is asked for later.
    package func stop() { flights.refuseAll() }
}
