import FetchCache
import Locks
import Testing

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
        let limit = ConcurrencyLimit(3)
        let counts = TaskCounts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await limit.run {
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
        let limit = ConcurrencyLimit(1)
        let order = Locked<[String]>([])
        let flights = ["low", "raised", "normal", "high", "normal 2", "urgent"].map {
            (name: $0, flight: Flight())
        }
        let priorities: [FetchRequest.Priority] = [.low, .low, .normal, .high, .normal, .high]
        for ((_, flight), priority) in zip(flights, priorities) {
            flight.join(id: 1, Flight.Caller(priority))
        }
        await limit.run {
            for (count, (name, flight)) in flights.enumerated() {
                Task { await limit.run(for: flight) { order.withLock { $0.append(name) } } }
                while limit.waitingCount <= count { try? await Task.sleep(for: .milliseconds(1)) }
            }
            flights[1].flight.join(id: 2, Flight.Caller(.high))
        }
        while order.withLock(\.count) < flights.count {
            try? await Task.sleep(for: .milliseconds(1))
        }
        #expect(
            order.withLock(\.self) == ["raised", "high", "urgent", "normal", "normal 2", "low"])
    }

    @Test func cancelledTaskLeavesTheLine() async {
        let limit = ConcurrencyLimit(1)
        await limit.run {
            let waiting = Task { await limit.run { true } }
            while limit.waitingCount < 1 { try? await Task.sleep(for: .milliseconds(1)) }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
        #expect(await limit.run { true } == true)
        #expect(await limit.run { true } == true)
    }

    @Test func cancelledTaskTakesNoTurnOfAnother() async {
        let limit = ConcurrencyLimit(1)
        let waiting = await limit.run {
            let waiting = Task { await limit.run { true } }
            while limit.waitingCount < 1 { try? await Task.sleep(for: .milliseconds(1)) }
            // It was cancelled before it could wait.
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await limit.run { true }
            }
            #expect(await late.value == nil)
            return waiting
        }
        #expect(await waiting?.value == true)
    }
}
