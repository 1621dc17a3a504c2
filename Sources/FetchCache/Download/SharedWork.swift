import Locks
import Synchronization

/// Runs each piece of work once, however many callers request it at the same time.
///
/// A cancelled caller leaves at once; the work is cancelled when the last caller has left.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var table = InFlightTable<Key, CheckedContinuation<Value, any Error>>()
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isClosed = false
        var round: UInt64 = 0
    }

    private let state = Locked(State())
    private let lastID = Atomic<UInt64>(0)

    var isRunning: Bool { state.withLock { !$0.tasks.isEmpty } }

    /// A number that each ``cancelAll()`` changes.
    var round: UInt64 { state.withLock(\.round) }

    /// Returns the result of `work`, or of the same work if it is already running for `key`.
    ///
    /// - Parameters:
    ///   - key: The name of the work.
    ///   - round: The round in which the caller started; nil for the current one.
    ///   - work: The work, which is started unless it is running.
    /// - Returns: The result.
    /// - Throws: The error of `work`; `CancellationError` if the caller's task is cancelled, or if
    ///   everything was cancelled since `round`.
    func value(
        for key: Key, since round: UInt64? = nil, work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let hasLeft = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(continuation, id: id, key: key, round: round, hasLeft: hasLeft, work: work)
            }
        } onCancel: {
            // The cancellation can precede the join, which then finds the flag set.
            hasLeft.set()
            leave(id: id, key: key)
        }
    }

    /// Cancels all running work; the callers get `CancellationError`.
    ///
    /// A caller that requests the same work afterwards starts it again.
    func cancelAll() {
        let (tasks, waiters) = state.withLock { state in
            state.round += 1
            return (Array(state.tasks.values), state.table.removeAll())
        }
        for task in tasks { task.cancel() }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }

    /// Refuses new work, cancels running work and waits for its end.
    func close() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func join(
        _ continuation: CheckedContinuation<Value, any Error>, id: UInt64, key: Key,
        round: UInt64?, hasLeft: Flag, work: @escaping @Sendable () async throws -> Value
    ) {
        let isRefused = state.withLock { state in
            if state.isClosed || hasLeft.isSet || round ?? state.round != state.round {
                return true
            }
            if case .start(let flight) = state.table.join(continuation, id: id, for: key) {
                state.tasks[flight] = Task { await self.run(work, key: key, flight: flight) }
            }
            return false
        }
        if isRefused { continuation.resume(throwing: CancellationError()) }
    }

    private func leave(id: UInt64, key: Key) {
        let action = state.withLock { state in
            let action = state.table.leave(id: id, for: key)
            if case .resumeAndCancel(_, let flight) = action { state.tasks[flight]?.cancel() }
            return action
        }
        switch action {
        case .none: break
        case .resume(let waiter), .resumeAndCancel(let waiter, _):
            waiter.resume(throwing: CancellationError())
        }
    }

    private func run(
        _ work: @Sendable () async throws -> Value, key: Key, flight: UInt64
    ) async {
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        let waiters = state.withLock { state in
            state.tasks[flight] = nil
            return state.table.finish(key, flight: flight)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}

/// A flag that any thread can set once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// - Returns: Whether this call has set it.
    @discardableResult
    func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
