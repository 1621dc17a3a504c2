import Locks

/// Uploads that run behind other work.
///
/// The queue has a limit: who adds to a full one waits, unless the task is cancelled. Files are read
/// when their turn comes, so waiting uploads need no memory for them.
final class UploadQueue: Sendable {
    typealias Upload = @Sendable () async -> Void

    private struct State {
        var waiting: [Upload] = []
        var runningCount = 0
        var isClosed = false
        /// Those who wait for the end.
        var drainers: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { waiting.isEmpty && runningCount == 0 }
    }

    private let state = Locked(State())
    private let limit: Int
    private let width: Int

    /// - Parameters:
    ///   - limit: The most uploads that wait.
    ///   - width: The most uploads that run at the same time.
    init(limit: Int, width: Int) {
        self.limit = limit
        self.width = width
    }

    /// The number of uploads that have not ended.
    var count: Int { state.withLock { $0.waiting.count + $0.runningCount } }

    /// Adds an upload, and waits for a place in the queue.
    func add(_ upload: @escaping Upload) async {
        while state.withLock({ $0.waiting.count >= limit && !$0.isClosed }), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(10))
        }
        state.withLock { if !$0.isClosed { $0.waiting.append(upload) } }
        start()
    }

    /// Drops the uploads that wait, and takes no more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.waiting = []
        }
    }

    /// Waits until all uploads have ended.
    func drain() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.isIdle { state.drainers.append(continuation) }
                return state.isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Starts as many uploads as may run.
    private func start() {
        while let upload = state.withLock({ state -> Upload? in
            guard state.runningCount < width, !state.waiting.isEmpty else { return nil }
            state.runningCount += 1
            return state.waiting.removeFirst()
        }) {
            Task {
                await upload()
                self.finish()
            }
        }
    }

    private func finish() {
        let waiters = state.withLock { state in
            state.runningCount -= 1
            guard state.isIdle else { return [CheckedContinuation<Void, Never>]() }
            defer { state.drainers = [] }
            return state.drainers
        }
        start()
        for waiter in waiters { waiter.resume() }
    }
}
