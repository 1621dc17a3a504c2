import DequeModule
import FetchCache
import Locks

/// Limits the number of tasks that run at the same time; the others wait.
///
/// Of the waiting tasks, the one with the highest priority runs next; of equal ones, the one that
/// has waited longest. A waiting task that is cancelled never runs.
final class ConcurrencyLimit<ID: Hashable & Sendable>: Sendable {
    typealias Priority = FetchRequest.Priority

    private struct State {
        var free: Int
        var waiting: [ID: (priority: Priority, turn: CheckedContinuation<Bool, Never>)] = [:]
        /// The tasks of each priority in their order, together with some that wait no more or have
        /// another priority now.
        var lines = Array(repeating: Deque<ID>(), count: Priority.allCases.count)

        mutating func append(
            _ id: ID, _ priority: Priority, _ turn: CheckedContinuation<Bool, Never>
        ) {
            waiting[id] = (priority, turn)
            lines[priority.rawValue].append(id)
        }

        /// Removes the task whose turn it is.
        mutating func next() -> CheckedContinuation<Bool, Never>? {
            for priority in Priority.allCases.sorted(by: >) {
                while let id = lines[priority.rawValue].popFirst() {
                    guard let task = waiting[id], task.priority == priority else { continue }
                    waiting[id] = nil
                    return task.turn
                }
            }
            return nil
        }
    }

    private let state: Locked<State>

    /// - Parameter count: The maximum number of tasks.
    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Runs `body` as soon as the limit allows.
    ///
    /// - Parameters:
    ///   - id: Identifies the task; no two tasks that wait have the same.
    ///   - priority: Returns the priority. It is called while no task can be raised.
    ///   - body: The work.
    /// - Returns: The result of `body`; nil if the task was cancelled while it waited.
    func run<Success: Sendable>(
        _ id: ID, priority: @Sendable () -> Priority = { .normal }, _ body: () async -> Success
    ) async -> Success? {
        let isNext = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer: Bool? = state.withLock { state in
                    // The cancellation may have come before the task could be found.
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.append(id, priority(), turn)
                    return nil
                }
                if let answer { turn.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.turn.resume(returning: false)
        }
        guard isNext else { return nil }
        defer {
            let next = state.withLock { state in
                let next = state.next()
                if next == nil { state.free += 1 }
                return next
            }
            next?.resume(returning: true)
        }
        return await body()
    }

    /// Raises the priority of a task that waits; does nothing if it is not lower.
    func raise(_ id: ID, to priority: Priority) {
        state.withLock { state in
            guard let task = state.waiting[id], task.priority < priority else { return }
            state.append(id, priority, task.turn)
        }
    }
}
