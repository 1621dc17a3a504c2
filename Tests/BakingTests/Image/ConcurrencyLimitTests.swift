import FetchCache
import Locks
import Testing

@testable import Baking

/// Counts tasks.
private final class TaskCounts: Sendable {
    let value = Locked((running: 0, most: 0, done: 0))

    func begin() {
        value.withLock {
            $0.running += 1
            $0.most = max($0.most, $0.running)
        }
    }

    func end() {
        value.withLock {
            $0.running -= 1
            $0.done += 1
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ConcurrencyLimitTests {
    @Test func limitsConcurrencyAndRunsAll() async {
        let limit = ConcurrencyLimit<Int>(3)
        let counts = TaskCounts()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await limit.run(number) {
                        counts.begin()
                        for _ in 0..<5 { await Task.yield() }
                        counts.end()
                    }
                }
            }
        }
        #expect(counts.value.withLock(\.most) <= 3)
        #expect(counts.value.withLock(\.done) == 200)
    }

    @Test func runsWaitingTasksByPriority() async {
        let limit = ConcurrencyLimit<String>(1)
        let order = Locked<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            let (isFree, end) = AsyncStream<Void>.makeStream()
            let (isTaken, start) = AsyncStream<Void>.makeStream()
            group.addTask {
                await limit.run("first") {
                    start.finish()
                    for await _ in isFree {}
                }
            }
            for await _ in isTaken {}
            let tasks: [(String, FetchRequest.Priority)] = [
                ("low", .low), ("raised", .low), ("normal", .normal), ("high", .high),
                ("normal 2", .normal), ("lowered", .high),
            ]
            for (name, priority) in tasks {
                let (isWaiting, enter) = AsyncStream<Void>.makeStream()
                group.addTask {
                    await limit.run(
                        name,
                        priority: {
                            enter.finish(); return priority
                        }
                    ) {
                        order.withLock { $0.append(name) }
                    }
                }
                for await _ in isWaiting {}
            }
            limit.raise("raised", to: .high)
            limit.raise("lowered", to: .low)
            limit.raise("unknown", to: .high)
            end.finish()
        }
        #expect(
            order.withLock(\.self) == ["high", "lowered", "raised", "normal", "normal 2", "low"])
    }

    @Test func cancelledTaskLeavesTheLine() async {
        let limit = ConcurrencyLimit<String>(1)
        await limit.run("first") {
            let (isWaiting, enter) = AsyncStream<Void>.makeStream()
            let waiting = Task {
                await limit.run(
                    "second",
                    priority: {
                        enter.finish(); return .high
                    }
                ) { true }
            }
            for await _ in isWaiting {}
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
        #expect(await limit.run("third") { true } == true)
        #expect(await limit.run("fourth") { true } == true)
    }

    @Test func cancelledTaskTakesNoTurnOfAnotherWithTheSameID() async {
        let limit = ConcurrencyLimit<String>(1)
        let (isWaiting, enter) = AsyncStream<Void>.makeStream()
        let waiting = await limit.run("first") {
            let waiting = Task {
                await limit.run(
                    "second",
                    priority: {
                        enter.finish(); return .normal
                    }
                ) { true }
            }
            for await _ in isWaiting {}
            // It was cancelled before it could wait.
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await limit.run("second") { true }
            }
            #expect(await late.value == nil)
            return waiting
        }
        #expect(await waiting?.value == true)
    }
}
