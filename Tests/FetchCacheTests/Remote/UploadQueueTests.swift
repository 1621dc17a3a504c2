import Testing

@testable import FetchCache

@Suite("The queue of uploads", .timeLimit(.minutes(2)))
struct UploadQueueTests {
    /// Holds uploads back until it is opened.
    private actor Gate {
        private var isOpen = false
        private var waiters: [CheckedContinuation<Void, Never>] = []

        func wait() async {
            if isOpen { return }
            await withCheckedContinuation { waiters.append($0) }
        }

        func open() {
            isOpen = true
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    /// The uploads that began and ended.
    private struct Events: Sendable {
        var running = 0
        var mostRunning = 0
        var ended: [Int] = []
    }

    private let gate = Gate()
    private let events = Box(Events())

    private func add(_ number: Int, to queue: UploadQueue) async {
        await queue.add { [gate, events] in
            events.change {
                $0.running += 1
                $0.mostRunning = max($0.mostRunning, $0.running)
            }
            await gate.wait()
            events.change {
                $0.running -= 1
                $0.ended.append(number)
            }
        }
    }

    @Test func runsAsManyAsItsWidthAndEndsAll() async throws {
        let queue = UploadQueue(limit: 100, width: 3)
        for number in 0..<20 { await add(number, to: queue) }
        #expect(queue.count == 20)
        while events.value.running < 3 { try await Task.sleep(for: .milliseconds(1)) }
        await gate.open()
        await queue.drain()
        #expect(queue.count == 0)
        #expect(events.value.mostRunning == 3)
        #expect(events.value.ended.sorted() == Array(0..<20))
    }

    @Test func oneAtATimeRunsInTheOrderOfAdding() async {
        let queue = UploadQueue(limit: 100, width: 1)
        for number in 0..<20 { await add(number, to: queue) }
        await gate.open()
        await queue.drain()
        #expect(events.value.ended == Array(0..<20))
    }

    @Test func whoAddsToAFullQueueWaits() async throws {
        let queue = UploadQueue(limit: 2, width: 1)
        for number in 0..<3 { await add(number, to: queue) }
        let added = Box(false)
        async let late: Void = {
            await add(3, to: queue)
            added.change { $0 = true }
        }()
        try await Task.sleep(for: .milliseconds(50))
        #expect(!added.value)
        #expect(queue.count == 3)
        await gate.open()
        await late
        await queue.drain()
        #expect(events.value.ended == [0, 1, 2, 3])
    }

    @Test func closedQueueDropsWhatWaitsAndLetsWaitersGo() async {
        let queue = UploadQueue(limit: 2, width: 1)
        for number in 0..<3 { await add(number, to: queue) }
        async let late: Void = add(3, to: queue)
        queue.close()
        await late
        #expect(queue.count == 1)
        await gate.open()
        await queue.drain()
        await add(4, to: queue)
        await queue.drain()
        #expect(events.value.ended == [0])
    }

    @Test func cancelledCallerDoesNotWaitForAPlace() async {
        let queue = UploadQueue(limit: 1, width: 1)
        for number in 0..<2 { await add(number, to: queue) }
        let late = Task { await add(2, to: queue) }
        late.cancel()
        await late.value
        #expect(queue.count == 3)
        await gate.open()
        await queue.drain()
        #expect(events.value.ended == [0, 1, 2])
    }

    @Test func emptyQueueIsDrained() async {
        await UploadQueue(limit: 1, width: 1).drain()
    }
}
