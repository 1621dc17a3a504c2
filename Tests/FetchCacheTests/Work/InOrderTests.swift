import FetchCache
import Locks
import Testing

/// Concurrent work with results in order.
@Suite struct InOrderTests {
    private struct Odd: Error {}

    @Test func returnsResultsInOrderOfItems() async throws {
        var order: [Int] = []
        try await inOrder(Array(0..<20), maximumInFlight: 20) { item in
            for _ in 0..<(20 - item) * 10 { await Task.yield() }
            return item * 2
        } each: { item, result in
            let value = try result.get()
            #expect(value == item * 2)
            order.append(item)
        }
        #expect(order == Array(0..<20))
    }

    @Test func returnsFailuresInOrder() async throws {
        var failed: [Int] = []
        try await inOrder(Array(0..<10), maximumInFlight: 3) { item in
            if item % 2 == 1 { throw Odd() }
        } each: { item, result in
            if case .failure = result { failed.append(item) }
        }
        #expect(failed == [1, 3, 5, 7, 9])
    }

    @Test func limitsConcurrency() async throws {
        let running = Locked((now: 0, most: 0))
        try await inOrder(Array(0..<50), maximumInFlight: 4) { _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            running.withLock { $0.now -= 1 }
        } each: { _, _ in
        }
        #expect(running.withLock { $0.most } <= 4)
    }

    @Test func startsNoWorkAfterError() async {
        let started = Locked(0)
        await #expect(throws: Odd.self) {
            try await inOrder(Array(0..<1_000), maximumInFlight: 2) { _ in
                started.withLock { $0 += 1 }
            } each: { item, _ in
                if item == 3 { throw Odd() }
            }
        }
        #expect(started.withLock(\.self) < 10)
    }

    @Test func handlesEmptyListAndCancellation() async throws {
        try await inOrder([Int](), maximumInFlight: 3) { _ in
            Issue.record("there is nothing to do")
        } each: { _, _ in
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await inOrder([1, 2], maximumInFlight: 1) {
                $0
            } each: { _, _ in
                Issue.record("the task is cancelled")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
