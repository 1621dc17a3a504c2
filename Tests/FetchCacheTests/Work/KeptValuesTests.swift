import FetchCache
import Locks
import Testing

/// Values that are made once and kept for later callers.
@Suite(.timeLimit(.minutes(10))) struct KeptValuesTests {
    /// A gate that a test opens.
    private final class Gate: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

        func open() { continuation.finish() }

        func wait() async { for await _ in stream {} }
    }

    @Test func thousandCallersGetOneValue() async throws {
        let once = KeptValues<String, Int>()
        let count = Locked(0)
        let gate = Gate()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    try await once.value(for: "a") { _ in
                        await gate.wait()
                        return count.withLock {
                            $0 += 1
                            return $0
                        }
                    }
                }
            }
            gate.open()
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1])
        #expect(count.withLock(\.self) == 1)
    }

    @Test func keepsOnlyWhatItIsToldToKeep() async throws {
        let even = KeptValues<String, Int>(where: { $0.isMultiple(of: 2) })
        #expect(try await even.value(for: "a") { _ in 1 } == 1)
        #expect(try await even.value(for: "a") { _ in 2 } == 2)
        #expect(try await even.value(for: "a") { _ in 3 } == 2)
    }

    @Test func recreatesForgottenValue() async throws {
        let once = KeptValues<String, Int>()
        for key in ["a", "b", "c"] { _ = try await once.value(for: key) { _ in 1 } }
        once.forget("a")
        #expect(try await once.value(for: "a") { _ in 2 } == 2)
        #expect(try await once.value(for: "b") { _ in 2 } == 1)
        once.forgetAll()
        for key in ["a", "b", "c"] {
            #expect(try await once.value(for: key) { _ in 3 } == 3, "\(key)")
        }
    }

    @Test func valueForgottenWhileRunningDoesNotReplaceNewValue() async throws {
        let once = KeptValues<String, Int>()
        let gate = Gate()
        let started = Gate()
        let old = Task {
            try await once.value(for: "a") { _ in
                started.open()
                await gate.wait()
                return 1
            }
        }
        await started.wait()
        once.forget("a")
        #expect(try await once.value(for: "a") { _ in 2 } == 2)
        gate.open()
        #expect(try await old.value == 1)
        #expect(try await once.value(for: "a") { _ in 3 } == 2)
    }

    @Test func stopCancelsRunningWorkAndRefusesMore() async throws {
        let once = KeptValues<String, Bool>()
        let started = Gate()
        let running = Task {
            try await once.value(for: "a") { _ in
                started.open()
                // Ends when the task is cancelled.
                let never = Gate()
                await never.wait()
                return Task.isCancelled
            }
        }
        await started.wait()
        once.stop()
        #expect(try await running.value)
        await #expect(throws: CancellationError.self) {
            try await once.value(for: "b") { _ in true }
        }
    }

    @Test func lastCallerWhoLeavesCancelsTheWork() async throws {
        let once = KeptValues<String, Bool>()
        let started = Gate()
        let joined = Gate()
        let never = Gate()
        let callers = [started, joined].map { gate in
            Task {
                gate.open()
                return try await once.value(for: "a") { _ in
                    await never.wait()
                    return Task.isCancelled
                }
            }
        }
        await started.wait()
        await joined.wait()
        while once.callerCount(of: "a") < 2 { await Task.yield() }
        callers[0].cancel()
        while once.callerCount(of: "a") > 1 { await Task.yield() }
        #expect(once.callerCount(of: "a") == 1)
        callers[1].cancel()
        #expect(try await callers[1].value)
        // What was cancelled is not kept.
        #expect(try await once.value(for: "a") { _ in false } == false)
    }
}
