import Locks

/// Values that are made once, even if many callers ask for one at the same time, and then kept.
///
/// A cancelled caller waits for its value like the others. The work on a value is cancelled when the
/// tasks of all its callers have been cancelled; its value is not kept then. Work that can fail and
/// whose cancelled callers do not wait is shared by `SharedWork` in FetchCache.
package final class KeptValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The work on the value of a key.
    ///
    /// It has a number, because a key can be forgotten and made again before the work has ended.
    private struct Work {
        var number: Int
        var task: Task<Value, Never>
        /// The number of callers that need the value.
        var callerCount = 1
    }

    /// A value in memory of its own, because a table has room for more values than it holds.
    private final class Kept: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private enum Place {
        case kept(Value)
        case running(Work, isFirst: Bool)
    }

    private struct State {
        // Finished tasks are not kept, because they keep all memory that they used.
        var kept: [Key: Kept] = [:]
        var running: [Key: Work] = [:]
        /// All running tasks by number, also those of forgotten keys.
        var tasks: [Int: Task<Value, Never>] = [:]
        var lastNumber = 0
        var isStopped = false
    }

    private let state = Locked(State())

    /// The value for `key`; the first caller makes it, in a separate task.
    func value(for key: Key, make: @escaping @Sendable () async -> Value) async -> Value {
        await valueAndIsFirst(for: key, make: make).value
    }

    /// The value for `key`, and whether this call was the first.
    func valueAndIsFirst(
        for key: Key, make: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isFirst: Bool) {
        switch join(key, make) {
        case .kept(let value): return (value, false)
        case .running(let work, let isFirst):
            let value = await withTaskCancellationHandler {
                await work.task.value
            } onCancel: {
                leave(work.number, of: key)
            }
            return (value, isFirst)
        }
    }

    private func join(_ key: Key, _ make: @escaping @Sendable () async -> Value) -> Place {
        state.withLock { state -> Place in
            if let kept = state.kept[key] { return .kept(kept.value) }
            if let work = state.running[key] {
                state.running[key]?.callerCount += 1
                return .running(work, isFirst: false)
            }
            state.lastNumber += 1
            let (number, isStopped) = (state.lastNumber, state.isStopped)
            let task = Task<Value, Never> {
                // A cancellation from outside might come after the work has begun.
                if isStopped { withUnsafeCurrentTask { $0?.cancel() } }
                let value = await make()
                self.finish(number, of: key, value)
                return value
            }
            let work = Work(number: number, task: task)
            state.running[key] = work
            state.tasks[number] = task
            return .running(work, isFirst: true)
        }
    }

    private func finish(_ number: Int, of key: Key, _ value: Value) {
        state.withLock { state in
            state.tasks[number] = nil
            guard state.running[key]?.number == number else { return }
            state.running[key] = nil
            state.kept[key] = Kept(value)
        }
    }

    /// Notes that a caller needs the value no more; work that no caller needs is cancelled.
    private func leave(_ number: Int, of key: Key) {
        let unneeded = state.withLock { state -> Task<Value, Never>? in
            guard let work = state.running[key], work.number == number else { return nil }
            state.running[key]?.callerCount -= 1
            guard work.callerCount == 1 else { return nil }
            state.running[key] = nil
            return work.task
        }
        unneeded?.cancel()
    }

    /// The keys of all values, also of those that are being made.
    package var keys: [Key] { state.withLock { Array($0.kept.keys) + Array($0.running.keys) } }

    /// Whether the work of a key has begun and has not ended.
    func isRunning(_ key: Key) -> Bool { callerCount(of: key) > 0 }

    /// The number of callers who need the value of a key and wait for it.
    func callerCount(of key: Key) -> Int { state.withLock { $0.running[key]?.callerCount ?? 0 } }

    /// Forgets the value of a key, so that the next call makes it again.
    func forget(_ key: Key) {
        state.withLock { state in
            state.kept[key] = nil
            state.running[key] = nil
        }
    }

    /// Forgets all values, so that the next calls make them again.
    func forgetAll() {
        state.withLock { state in
            state.kept = [:]
            state.running = [:]
        }
    }

    /// Cancels all running work; work that is requested later is cancelled at its start.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
    }
}
