import Locks

/// Runs each piece of work once, even if many callers ask for it at the same time.
///
/// Callers join the ``Flight`` of a piece of work, and leave it when their task is cancelled. It is
/// cancelled when the last of them has left; who asks afterwards starts the work again. What is made
/// is given to the callers and not kept; ``KeptValues`` keep it.
package final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    /// The work of one key from its start to its end.
    private struct Work {
        let key: Key
        let flight = Flight()
        /// Nil until the first caller has started the work.
        var task: Task<Void, Never>?
        /// Those who get the result.
        var waiters: [UInt64: Waiter] = [:]
        /// Those who have not left.
        var callers: Set<UInt64> = []
    }

    private struct State {
        /// The flights that can be joined.
        ///
        /// A key can be freed and begin another flight before the first has ended, so each has a
        /// number: that of its first caller.
        var current: [Key: UInt64] = [:]
        /// All flights that have not ended.
        var all: [UInt64: Work] = [:]
        /// The flight of each caller.
        var flightOf: [UInt64: UInt64] = [:]
        var isClosed = false
        var round: UInt64 = 0

        var tasks: [Task<Void, Never>] { all.values.compactMap(\.task) }

        mutating func free(_ number: UInt64) {
            guard let key = all[number]?.key, current[key] == number else { return }
            current[key] = nil
        }
    }

    private let state = Locked(State())
    /// Whether a caller who leaves waits for the end of the work like the others, and does not get
    /// `CancellationError` at once.
    private let isPatient: Bool

    package init(isPatient: Bool = false) { self.isPatient = isPatient }

    /// Whether any work is running.
    package var isRunning: Bool { state.withLock { !$0.all.isEmpty } }

    /// A number that each ``cancelAll()`` changes.
    var round: UInt64 { state.withLock(\.round) }

    /// The keys of the work that callers can join.
    var keys: [Key] { state.withLock { Array($0.current.keys) } }

    /// The number of callers who wait for the work of a key and have not left.
    package func callerCount(of key: Key) -> Int {
        state.withLock { state in
            state.current[key].flatMap { state.all[$0]?.callers.count } ?? 0
        }
    }

    /// Returns the result of `work`, or of the same work if it is already running for `key`.
    ///
    /// - Parameters:
    ///   - key: The name of the work.
    ///   - caller: The priority of the caller, and its listener for the progress.
    ///   - round: The round in which the caller started; nil for the current one.
    ///   - work: The work, which is started unless it is running.
    /// - Returns: The result.
    /// - Throws: The error of `work`; `CancellationError` if the caller's task is cancelled, or if
    ///   everything was cancelled since `round`.
    package func value(
        for key: Key, as caller: Flight.Caller = Flight.Caller(), since round: UInt64? = nil,
        work: @escaping @Sendable (Flight) async throws -> Value
    ) async throws -> Value {
        let id = uniqueNumber()
        let hasLeft = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                join(waiter, id: id, key, caller, round, hasLeft, work)
            }
        } onCancel: {
            // The cancellation can precede the join, which then finds the flag set.
            hasLeft.set()
            leave(id)
        }
    }

    /// Lets who asks for a key from now on start the work again; callers of now are not concerned.
    package func detach(_ key: Key) { state.withLock { $0.current[key] = nil } }

    /// Does the same for all keys.
    package func detachAll() { state.withLock { $0.current = [:] } }

    /// Cancels all running work; callers who are not patient get `CancellationError`.
    ///
    /// A caller that requests the same work afterwards starts it again.
    package func cancelAll() {
        let (tasks, waiters) = state.withLock { state in
            state.round += 1
            state.current = [:]
            var waiters: [Waiter] = []
            for (number, work) in state.all {
                if !isPatient || work.task == nil {
                    waiters += work.waiters.values
                    for id in work.waiters.keys { state.flightOf[id] = nil }
                    state.all[number]?.waiters = [:]
                }
                if work.task == nil { state.all[number] = nil }
            }
            return (state.tasks, waiters)
        }
        for task in tasks { task.cancel() }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }

    /// Refuses new work and cancels running work.
    package func refuseAll() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Refuses new work, cancels running work and waits for its end.
    package func close() async {
        state.withLock { $0.isClosed = true }
        while true {
            let (tasks, isDone) = state.withLock { ($0.tasks, $0.all.isEmpty) }
            if isDone { return }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            // A flight that has just begun is launched in a moment.
            if tasks.isEmpty { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private func join(
        _ waiter: Waiter, id: UInt64, _ key: Key, _ caller: Flight.Caller, _ round: UInt64?,
        _ hasLeft: Flag, _ work: @escaping @Sendable (Flight) async throws -> Value
    ) {
        let joined = state.withLock { state -> (number: UInt64, flight: Flight)? in
            if state.isClosed || hasLeft.isSet || round ?? state.round != state.round { return nil }
            let number = state.current[key] ?? id
            state.current[key] = number
            state.flightOf[id] = number
            if number == id { state.all[id] = Work(key: key) }
            state.all[number]?.waiters[id] = waiter
            state.all[number]?.callers.insert(id)
            return state.all[number].map { (number, $0.flight) }
        }
        guard let joined else { return waiter.resume(throwing: CancellationError()) }
        // The first progress of a caller precedes all that the work reports.
        joined.flight.join(id: id, caller)
        if joined.number == id { launch(id, joined.flight, work) }
        if hasLeft.isSet { joined.flight.leave(id: id) }
    }

    /// Starts the work of a flight, unless all callers have left it in the meantime.
    private func launch(
        _ number: UInt64, _ flight: Flight,
        _ work: @escaping @Sendable (Flight) async throws -> Value
    ) {
        state.withLock { state in
            guard let begun = state.all[number] else { return }
            let isUnwanted = state.isClosed || begun.callers.isEmpty
            state.all[number]?.task = Task {
                // A cancellation from outside might come after the work has begun.
                if isUnwanted { withUnsafeCurrentTask { $0?.cancel() } }
                let result: Result<Value, any Error>
                do { result = .success(try await work(flight)) } catch { result = .failure(error) }
                self.finish(number, flight, result)
            }
        }
    }

    private func finish(
        _ number: UInt64, _ flight: Flight, _ result: Result<Value, any Error>
    ) {
        let waiters = state.withLock { state in
            state.free(number)
            let waiters = state.all.removeValue(forKey: number)?.waiters ?? [:]
            for id in waiters.keys { state.flightOf[id] = nil }
            return waiters
        }
        flight.end()
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    private func leave(_ id: UInt64) {
        let left = state.withLock { state -> (waiter: Waiter?, work: Work)? in
            guard let number = state.flightOf.removeValue(forKey: id),
                state.all[number]?.callers.remove(id) != nil
            else { return nil }
            let waiter = isPatient ? nil : state.all[number]?.waiters.removeValue(forKey: id)
            guard let work = state.all[number] else { return nil }
            if work.callers.isEmpty {
                state.free(number)
                if work.task == nil, work.waiters.isEmpty { state.all[number] = nil }
            }
            return (waiter, work)
        }
        guard let (waiter, work) = left else { return }
        work.flight.leave(id: id)
        if work.callers.isEmpty { work.task?.cancel() }
        waiter?.resume(throwing: CancellationError())
    }
}
