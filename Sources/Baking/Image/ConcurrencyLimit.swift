import DequeModule
import Locks

/// Limits the number of tasks that run at the same time; the others wait in their order.
///
/// A waiting task that is cancelled continues to wait, so the running work must end early.
final class ConcurrencyLimit: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Locked<State>

    /// - Parameter count: The maximum number of tasks.
    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Runs `body` as soon as the limit allows.
    func run<Success: Sendable>(_ body: () async -> Success) async -> Success {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.free += 1 }
                return next
            }
            next?.resume()
        }
        return await body()
    }
}
