import FoundationEssentials
import Locks

/// Limits the number of tasks that run at the same time; the others wait.
///
/// Of the waiting tasks, the one whose flight has the highest priority runs next; of equal ones, the
/// one that has waited longest. A waiting task that is cancelled never runs.
package final class ConcurrencyLimit: Sendable {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private struct State {
        /// It has one host, which is the limit itself.
        var queue: TransferQueue
        var turns: [UInt64: Turn] = [:]

        /// Starts the task whose turn it is.
        mutating func next() -> Turn? {
            queue.next(now: 0).flatMap { turns.removeValue(forKey: $0.id) }
        }

        /// Removes a task that waits.
        mutating func remove(_ number: UInt64) -> Turn? {
            queue.remove(number, host: "", now: 0)
            return turns.removeValue(forKey: number)
        }
    }

    private let state: Locked<State>

    /// - Parameter count: The maximum number of tasks.
    package init(_ count: Int) {
        state = Locked(State(queue: TransferQueue(maximum: count, maximumPerHost: count)))
    }

    /// The number of tasks that wait.
    package var waitingCount: Int { state.withLock(\.queue.waitingCount) }

    /// Runs `body` as soon as the limit allows.
    ///
    /// - Parameters:
    ///   - flight: The flight that the task belongs to; nil for a normal priority.
    ///   - body: The work.
    /// - Returns: The result of `body`; nil if the task was cancelled while it waited.
    package func run<Success: Sendable>(
        for flight: Flight? = nil, _ body: () async -> Success
    ) async -> Success? {
        let number = uniqueNumber()
        flight?.observe(id: number) { [state, weak flight] in
            state.withLock { state in
                guard let priority = flight?.priority else { return }
                state.queue.move(number, host: "", to: priority)
            }
        }
        defer { flight?.observe(id: number, nil) }
        let isNext = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let (next, isNext) = state.withLock { state -> (Turn?, Bool) in
                    // The cancellation may have come before the task could be found.
                    if Task.isCancelled { return (turn, false) }
                    state.turns[number] = turn
                    state.queue.enqueue(
                        number, host: "", priority: flight?.priority ?? .normal, turn: number)
                    return (state.next(), true)
                }
                next?.resume(returning: isNext)
            }
        } onCancel: {
            state.withLock { $0.remove(number) }?.resume(returning: false)
        }
        guard isNext else { return nil }
        defer {
            let next = state.withLock { state in
                state.queue.finish(host: "", epoch: 0, outcome: .other, now: 0)
                return state.next()
            }
            next?.resume(returning: true)
        }
        return await body()
    }
}

/// Works on many items concurrently and passes on the results in the order of the items.
///
/// - Parameters:
///   - items: The items.
///   - maximumInFlight: The maximum number of items whose results are not passed on yet. By default
///     it keeps each core busy while a long item delays the others.
///   - work: The work for each item.
///   - each: Called with each item and its result.
/// - Throws: The errors of `each`; `CancellationError`.
package func inOrder<Item: Sendable, Success: Sendable>(
    _ items: [Item],
    maximumInFlight: Int = 16 * ProcessInfo.processInfo.activeProcessorCount,
    work: @escaping @Sendable (Item) async throws -> Success,
    each: (Item, Result<Success, any Error>) throws -> Void
) async throws {
    typealias Outcome = (index: Int, result: Result<Success, any Error>)
    try await withThrowingTaskGroup(of: Outcome.self) { group in
        var done: [Int: Result<Success, any Error>] = [:]
        var started = 0
        var handedOver = 0
        while handedOver < items.count {
            while started < items.count, started - handedOver < maximumInFlight {
                let (index, item) = (started, items[started])
                group.addTask {
                    do {
                        return (index, .success(try await work(item)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
                started += 1
            }
            guard let outcome = try await group.next() else { break }
            try Task.checkCancellation()
            done[outcome.index] = outcome.result
            while let result = done.removeValue(forKey: handedOver) {
                try each(items[handedOver], result)
                handedOver += 1
            }
        }
    }
}
