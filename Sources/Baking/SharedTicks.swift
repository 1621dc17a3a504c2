import Locks

/// Wakes tasks at regular times, all of them with one timer.
///
/// A timer for each document took a tenth of the processor time of a bake whose images are cached.
final class SharedTicks: Sendable {
    private struct Waiting {
        var count = 0
        var tasks: [Int: CheckedContinuation<Bool, Never>] = [:]
        /// Whether the timer runs; it ends when no task waits.
        var isTicking = false
    }

    private let interval: Duration
    private let waiting = Locked(Waiting())

    init(every interval: Duration) { self.interval = interval }

    /// Waits for the next tick, at most for the interval.
    ///
    /// - Returns: Whether there was one; if not, the task was cancelled.
    func next() async -> Bool {
        let number = waiting.withLock { waiting in
            waiting.count += 1
            return waiting.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { add($0, number) }
        } onCancel: {
            waiting.withLock { $0.tasks.removeValue(forKey: number) }?.resume(returning: false)
        }
    }

    private func add(_ task: CheckedContinuation<Bool, Never>, _ number: Int) {
        let mustStart = waiting.withLock { waiting in
            // A task that was cancelled before is not found by its handler. One that is cancelled
            // after this check is, because the handler waits for the lock.
            if Task.isCancelled {
                task.resume(returning: false)
                return false
            }
            waiting.tasks[number] = task
            defer { waiting.isTicking = true }
            return !waiting.isTicking
        }
        if mustStart { Task.detached { await self.tick() } }
    }

    private func tick() async {
        while true {
            try? await Task.sleep(for: interval)
            let tasks = waiting.withLock { waiting in
                defer { waiting.tasks = [:] }
                waiting.isTicking = !waiting.tasks.isEmpty
                return waiting.tasks.values
            }
            if tasks.isEmpty { return }
            for task in tasks { task.resume(returning: true) }
        }
    }
}
