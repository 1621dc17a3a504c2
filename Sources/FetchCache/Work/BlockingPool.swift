internal import DequeModule
internal import Dispatch
internal import Files
import Locks

/// A few threads for long jobs that would block Swift's thread pool: hashing and copying files.
///
/// Jobs wait until a thread is free, so that ten thousand files do not need ten thousand threads.
package final class BlockingPool: Sendable {
    /// The pool that all caches of the process share.
    package static let shared = BlockingPool(
        threadCount: max(2, min(8, processorCount)))

    private struct State {
        var running = 0
        var waiting: Deque<@Sendable () -> Void> = []
    }

    private let threadCount: Int
    private let state = Locked(State())

    /// - Parameter threadCount: The maximum number of concurrent jobs, at least 1.
    package init(threadCount: Int) {
        self.threadCount = max(1, threadCount)
    }

    /// Runs `body` on one of the threads and returns its result.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: body()) }
        }
    }

    /// Runs `body`, which can throw, on one of the threads.
    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await run {
            Result { () throws(Failure) in try body() }
        }
        return try result.get()
    }

    private func submit(_ job: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.waiting.append(job)
            let isFree = state.running < threadCount
            if isFree { state.running += 1 }
            return isFree
        }
        guard mustStart else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            while let job = take() { job() }
        }
    }

    /// The next job; nil if there is none, which makes the thread free.
    private func take() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let job = state.waiting.popFirst()
            if job == nil { state.running -= 1 }
            return job
        }
    }
}
