internal import DequeModule
import Locks

/// Limits the number of tasks that run at the same time; the others wait.
///
/// Of the waiting tasks, the one with the highest priority runs next; of equal ones, the one that
/// has waited longest. A waiting task that is cancelled never runs.
package final class ConcurrencyLimit<ID: Hashable & Sendable>: Sendable {
    package typealias Priority = FetchRequest.Priority

    private struct Waiting {
        let id: ID
        var priority: Priority
        let turn: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var lastNumber = 0
        var waiting: [Int: Waiting] = [:]
        /// The waiting tasks of each ID: one, or several if the others have been cancelled and do not
        /// know it yet.
        var numbers: [ID: [Int]] = [:]
        /// The tasks of each priority in their order, together with some that wait no more or have
        /// another priority now.
        var lines = Array(repeating: Deque<Int>(), count: Priority.allCases.count)

        mutating func append(_ number: Int, _ task: Waiting) {
            waiting[number] = task
            numbers[task.id, default: []].append(number)
            lines[task.priority.rawValue].append(number)
        }

        mutating func raise(_ number: Int, to priority: Priority) {
            guard let task = waiting[number], task.priority < priority else { return }
            waiting[number]?.priority = priority
            lines[priority.rawValue].append(number)
        }

        mutating func remove(_ number: Int) -> CheckedContinuation<Bool, Never>? {
            guard let task = waiting.removeValue(forKey: number) else { return nil }
            numbers[task.id]?.removeAll { $0 == number }
            if numbers[task.id]?.isEmpty == true { numbers[task.id] = nil }
            return task.turn
        }

        /// Removes the task whose turn it is.
        mutating func next() -> CheckedContinuation<Bool, Never>? {
            for priority in Priority.allCases.sorted(by: >) {
                while let number = lines[priority.rawValue].popFirst() {
                    guard waiting[number]?.priority == priority else { continue }
                    return remove(number)
                }
            }
            return nil
        }
    }

    private let state: Locked<State>

    /// - Parameter count: The maximum number of tasks.
    package init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Runs `body` as soon as the limit allows.
    ///
    /// - Parameters:
    ///   - id: Identifies the task for ``raise(_:to:)``.
    ///   - priority: Returns the priority. It is called while no task can be raised.
    ///   - body: The work.
    /// - Returns: The result of `body`; nil if the task was cancelled while it waited.
    package func run<Success: Sendable>(
        _ id: ID, priority: @Sendable () -> Priority = { .normal }, _ body: () async -> Success
    ) async -> Success? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isNext = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer: Bool? = state.withLock { state in
                    // The cancellation may have come before the task could be found.
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.append(number, Waiting(id: id, priority: priority(), turn: turn))
                    return nil
                }
                if let answer { turn.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.remove(number) }?.resume(returning: false)
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
    package func raise(_ id: ID, to priority: Priority) {
        state.withLock { state in
            for number in state.numbers[id] ?? [] { state.raise(number, to: priority) }
        }
    }
}
