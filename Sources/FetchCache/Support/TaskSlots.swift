internal import DequeModule
import Locks

/// Lets a number of tasks run at the same time; the others wait for their turn in the order of their
/// calls.
final class TaskSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Locked<State>

    /// - Parameter count: The number of tasks, at least 1.
    init(_ count: Int) { state = Locked(State(free: count)) }

    /// Runs `body` in its turn.
    ///
    /// - Throws: Its error; `CancellationError` if the task was cancelled before.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                let isFree = state.free > 0
                if isFree { state.free -= 1 } else { state.waiting.append(turn) }
                return isFree
            }
            if isFree { turn.resume() }
        }
        defer {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.free += 1 }
                return next
            }
            next?.resume()
        }
        try Task.checkCancellation()
        return try await body()
    }
}
