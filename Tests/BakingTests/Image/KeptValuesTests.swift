import Locks
import Testing

@testable import Baking
@testable import Pictures
@testable import Sites

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

    @Test func thousandCallersGetOneValue() async {
        let once = KeptValues<String, Int>()
        let count = Locked(0)
        let gate = Gate()
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    await once.value(for: "a") {
                        await gate.wait()
                        return count.withLock {
                            $0 += 1
                            return $0
                        }
                    }
                }
            }
            gate.open()
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1])
        #expect(count.withLock(\.self) == 1)
    }

    @Test func onlyOneCallerIsFirst() async {
        let once = KeptValues<String, Int>()
        let first = await once.valueAndIsFirst(for: "a") { 1 }
        let second = await once.valueAndIsFirst(for: "a") { 2 }
        let other = await once.valueAndIsFirst(for: "b") { 3 }
        #expect(first == (1, true))
        #expect(second == (1, false))
        #expect(other == (3, true))
    }

    @Test func recreatesForgottenValue() async {
        let once = KeptValues<String, Int>()
        for key in ["a", "b", "c"] { _ = await once.value(for: key) { 1 } }
        once.forget("a")
        #expect(await once.value(for: "a") { 2 } == 2)
        #expect(await once.value(for: "b") { 2 } == 1)
        once.forgetAll()
        for key in ["a", "b", "c"] { #expect(await once.value(for: key) { 3 } == 3, "\(key)") }
    }

    @Test func valueForgottenWhileRunningDoesNotReplaceNewValue() async {
        let once = KeptValues<String, Int>()
        let gate = Gate()
        let started = Gate()
        let old = Task {
            await once.value(for: "a") {
                started.open()
                await gate.wait()
                return 1
            }
        }
        await started.wait()
        once.forget("a")
        #expect(await once.value(for: "a") { 2 } == 2)
        gate.open()
        #expect(await old.value == 1)
        #expect(await once.value(for: "a") { 3 } == 2)
    }

    @Test func stopCancelsRunningAndLaterWork() async {
        let once = KeptValues<String, Bool>()
        let started = Gate()
        let running = Task {
            await once.value(for: "a") {
                started.open()
                // Ends when the task is cancelled.
                let never = Gate()
                await never.wait()
                return Task.isCancelled
            }
        }
        await started.wait()
        once.stop()
        #expect(await running.value)
        #expect(await once.value(for: "b") { Task.isCancelled })
    }

    @Test func lastCallerWhoLeavesCancelsTheWork() async {
        let once = KeptValues<String, Bool>()
        let started = Gate()
        let joined = Gate()
        let never = Gate()
        let callers = [started, joined].map { gate in
            Task {
                gate.open()
                return await once.value(for: "a") {
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
        #expect(once.isRunning("a"))
        callers[1].cancel()
        #expect(await callers[1].value)
        // What was cancelled is not kept.
        #expect(await once.value(for: "a") { false } == false)
    }
}
