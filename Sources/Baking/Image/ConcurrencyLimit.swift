import DequeModule
import Synchronization

/// Lets a bounded number of tasks do something at the same time; the others wait in their order.
///
/// A waiting task that is cancelled waits on, so the work itself has to end early then.
final class ConcurrencyLimit: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    /// - Parameter count: How many tasks at most.
    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    /// Does `body` when there is room for it.
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
