import Locks

/// Tasks that end with their owner, such as a cache.
///
/// No caller waits for them.
package final class BackgroundTasks: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    package init() {}

    /// The number of tasks that have not ended.
    package var count: Int { state.withLock(\.tasks.count) }

    package func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            if state.isClosed { return }
            let id = uniqueNumber()
            state.tasks[id] = Task(priority: .background) {
                await work()
                self.state.withLock { $0.tasks[id] = nil }
            }
        }
    }

    /// Waits for all tasks, cancels those that exceed the time limit, and accepts no more.
    package func close(within timeout: Duration) async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        if tasks.isEmpty { return }
        let timer = Task {
            try? await Task.sleep(for: timeout)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        timer.cancel()
    }
}

/// A flag that any thread can set once.
final class Flag: Sendable {
    private let isTrue = Locked(false)

    var isSet: Bool { isTrue.withLock(\.self) }

    /// - Returns: Whether this call has set it.
    @discardableResult
    func set() -> Bool {
        isTrue.withLock { isTrue in
            defer { isTrue = true }
            return !isTrue
        }
    }
}
