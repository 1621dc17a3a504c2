import Locks
import Synchronization

/// Runs each piece of work once, even if many callers request it at the same time.
///
/// A caller whose task is cancelled gets `CancellationError` at once. The work is cancelled when the
/// tasks of all its callers have been cancelled. ``SharedWorkTable`` decides who waits for which run.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    fileprivate typealias Waiter = CheckedContinuation<Value, any Error>

    /// The work of one key from its start to its end.
    fileprivate struct Run {
        /// Nil until the first caller has started the work.
        var task: Task<Void, Never>?
        let flight: Flight
    }

    fileprivate struct State {
        var table = SharedWorkTable<Key, Waiter>()
        var runs: [UInt64: Run] = [:]
        var isClosed = false
        var round: UInt64 = 0
    }

    private let state = Locked(State())
    private let lastID = Atomic<UInt64>(0)

    /// Whether any work is running.
    var isRunning: Bool { state.withLock { !$0.runs.isEmpty } }

    private func newID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Starts a run, unless all callers have left it in the meantime.
    private func launch(
        _ key: Key, _ number: UInt64, _ work: @escaping @Sendable (Flight) async throws -> Value
    ) {
        state.withLock { state in
            guard let run = state.runs[number] else { return }
            let isClosed = state.isClosed
            state.runs[number]?.task = Task {
                // A cancellation from outside might come after the work has begun.
                if isClosed { withUnsafeCurrentTask { $0?.cancel() } }
                await self.run(key, number, run.flight, work)
            }
        }
    }

    private func run(
        _ key: Key, _ number: UInt64, _ flight: Flight,
        _ work: @Sendable (Flight) async throws -> Value
    ) async {
        let result: Result<Value, any Error>
        do { result = .success(try await work(flight)) } catch { result = .failure(error) }
        let waiters = state.withLock { state in
            state.runs[number] = nil
            return state.table.finish(key, run: number)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// A number that each ``cancelAll()`` changes.
    var round: UInt64 { state.withLock(\.round) }

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
    func value(
        for key: Key, as caller: Flight.Caller = Flight.Caller(), since round: UInt64? = nil,
        work: @escaping @Sendable (Flight) async throws -> Value
    ) async throws -> Value {
        let id = newID()
        let hasLeft = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                join(waiter, id: id, key, caller, round, hasLeft, work)
            }
        } onCancel: {
            // The cancellation can precede the join, which then finds the flag set.
            hasLeft.set()
            leave(id: id, key: key)
        }
    }

    /// Gives the running work of a key at least this priority; does nothing if there is none.
    func raise(_ key: Key, to priority: FetchRequest.Priority) {
        let flight = state.withLock { state in
            state.table.run(of: key).flatMap { state.runs[$0]?.flight }
        }
        flight?.raise(to: priority)
    }

    /// Cancels all running work; the callers get `CancellationError`.
    ///
    /// A caller that requests the same work afterwards starts it again.
    func cancelAll() {
        let (tasks, waiters) = state.withLock { state in
            state.round += 1
            state.runs = state.runs.filter { $0.value.task != nil }
            return (state.tasks, state.table.removeAll())
        }
        for task in tasks { task.cancel() }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }

    /// Refuses new work and cancels running work; the callers get `CancellationError`.
    func refuseAll() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Refuses new work, cancels running work and waits for its end.
    func close() async {
        state.withLock { $0.isClosed = true }
        while true {
            let (tasks, isDone) = state.withLock { ($0.tasks, $0.runs.isEmpty) }
            if isDone { return }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            // A run that has just begun is launched in a moment.
            if tasks.isEmpty { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private func join(
        _ waiter: Waiter, id: UInt64, _ key: Key, _ caller: Flight.Caller, _ round: UInt64?,
        _ hasLeft: Flag, _ work: @escaping @Sendable (Flight) async throws -> Value
    ) {
        let joined = state.withLock { state -> (number: UInt64, flight: Flight, isFirst: Bool)? in
            if state.isClosed || hasLeft.isSet || round ?? state.round != state.round { return nil }
            return state.join(waiter, id: id, key)
        }
        guard let joined else { return waiter.resume(throwing: CancellationError()) }
        // The first progress of a caller precedes all that the work reports.
        joined.flight.join(id: id, caller)
        if joined.isFirst { launch(key, joined.number, work) }
    }

    private func leave(id: UInt64, key: Key) {
        let action = state.withLock { state in
            let action = state.table.leave(id: id, for: key)
            switch action {
            case .none: break
            case .resume(_, let number): state.runs[number]?.flight.leave(id: id)
            case .resumeAndCancel(_, let number): state.cancel(number)
            }
            return action
        }
        switch action {
        case .none: break
        case .resume(let waiter, _), .resumeAndCancel(let waiter, _):
            waiter.resume(throwing: CancellationError())
        }
    }
}

extension SharedWork.State {
    /// Adds a waiter to the running work of a key, or to new work, which the caller then launches.
    fileprivate mutating func join(
        _ waiter: SharedWork.Waiter, id: UInt64, _ key: Key
    ) -> (number: UInt64, flight: Flight, isFirst: Bool) {
        switch table.join(waiter, id: id, for: key) {
        case .wait(let number):
            let flight = runs[number]?.flight ?? Flight()
            return (number, flight, false)
        case .start(let number):
            let flight = Flight()
            runs[number] = SharedWork.Run(flight: flight)
            return (number, flight, true)
        }
    }

    /// Cancels work, or removes it if it has not been launched yet.
    fileprivate mutating func cancel(_ number: UInt64) {
        if let task = runs[number]?.task { task.cancel() } else { runs[number] = nil }
    }

    /// The tasks of all runs that have been launched.
    fileprivate var tasks: [Task<Void, Never>] { runs.values.compactMap(\.task) }
}

/// The running work of each key, and the callers that wait for its result.
///
/// This is pure state: its methods return the action to carry out. A run is the work of a key from its
/// start to its end; it has a number, because a key can be freed and begin another run before the
/// first has ended.
struct SharedWorkTable<Key: Hashable, Waiter> {
    enum JoinAction: Equatable {
        /// The work is not running: start it, and finish the run with this number.
        case start(run: UInt64)
        /// The work is running: ``finish(_:run:)`` will return the waiter.
        case wait(run: UInt64)
    }

    enum LeaveAction {
        /// The waiter is not waiting: it has its result, or has never joined.
        case none
        /// Resume the waiter; others still wait.
        case resume(Waiter, run: UInt64)
        /// Resume the waiter and cancel the run, which has no other waiter.
        case resumeAndCancel(Waiter, run: UInt64)
    }

    fileprivate struct Waiters {
        var run: UInt64
        var all: [(id: UInt64, waiter: Waiter)]
    }

    private var current: [Key: Waiters] = [:]
    private var lastRun: UInt64 = 0

    var isEmpty: Bool { current.isEmpty }

    /// The number of the run of a key; nil if nothing is running.
    func run(of key: Key) -> UInt64? { current[key]?.run }

    mutating func join(_ waiter: Waiter, id: UInt64, for key: Key) -> JoinAction {
        if let run = current[key]?.run {
            current[key]?.all.append((id, waiter))
            return .wait(run: run)
        }
        lastRun += 1
        current[key] = Waiters(run: lastRun, all: [(id, waiter)])
        return .start(run: lastRun)
    }

    /// Removes one waiter.
    ///
    /// When its last waiter leaves, a key becomes free. A new waiter starts new work and does not
    /// get the result of the cancelled run.
    mutating func leave(id: UInt64, for key: Key) -> LeaveAction {
        guard let waiters = current[key],
            let index = waiters.all.firstIndex(where: { $0.id == id })
        else { return .none }
        let waiter = waiters.all[index].waiter
        if waiters.all.count > 1 {
            current[key]?.all.remove(at: index)
            return .resume(waiter, run: waiters.run)
        }
        current[key] = nil
        return .resumeAndCancel(waiter, run: waiters.run)
    }

    /// Removes all runs and returns all waiters.
    mutating func removeAll() -> [Waiter] {
        defer { current = [:] }
        return current.values.flatMap { $0.all.map(\.waiter) }
    }

    /// Removes a run and returns all waiters for its result; none if all have left.
    mutating func finish(_ key: Key, run: UInt64) -> [Waiter] {
        guard let waiters = current[key], waiters.run == run else { return [] }
        current[key] = nil
        return waiters.all.map(\.waiter)
    }
}

extension SharedWorkTable: Sendable where Key: Sendable, Waiter: Sendable {}
extension SharedWorkTable.Waiters: Sendable where Key: Sendable, Waiter: Sendable {}
