import Testing

@testable import FetchCache

extension TransferQueue {
    fileprivate mutating func next() -> UInt64? { next(now: 0)?.id }

    fileprivate mutating func enqueue(
        _ id: UInt64, host: String, priority: FetchRequest.Priority
    ) {
        enqueue(id, host: host, priority: priority, turn: id)
    }

    fileprivate mutating func finish(host: String) {
        finish(host: host, epoch: 0, outcome: .success, now: 0)
    }
}

struct TransferQueueTests {
    @Test func startsInOrderWithinLimits() {
        var queue = TransferQueue(maximum: 3, maximumPerHost: 2)
        for id in 1...4 as ClosedRange<UInt64> { queue.enqueue(id, host: "a", priority: .normal) }
        queue.enqueue(5, host: "b", priority: .normal)
        queue.enqueue(6, host: "c", priority: .normal)

        #expect([queue.next(), queue.next(), queue.next()] == [1, 2, 5])
        #expect(queue.next() == nil)
        #expect(queue.runningCount == 3)
        #expect(queue.waitingCount == 3)
        queue.finish(host: "b")
        #expect(queue.next() == 6)
        queue.finish(host: "a")
        #expect(queue.next() == 3)
    }

    @Test func higherPriorityStartsFirst() {
        var queue = TransferQueue(maximum: 1, maximumPerHost: 1)
        queue.enqueue(1, host: "a", priority: .low)
        queue.enqueue(2, host: "b", priority: .normal)
        queue.enqueue(3, host: "a", priority: .normal)
        queue.enqueue(4, host: "c", priority: .high)
        var order: [UInt64] = []
        for host in ["c", "b", "a", "a"] {
            order.append(queue.next() ?? 0)
            queue.finish(host: host)
        }
        #expect(order == [4, 2, 3, 1])
    }

    @Test func startsInOrderOfTurns() {
        var queue = TransferQueue(maximum: 1, maximumPerHost: 1)
        var turns = CallTurns()
        let all = (0..<5).map { _ in turns.take() }
        func start() -> UInt64? {
            defer { queue.finish(host: "a") }
            return queue.next(now: 0, before: turns.first)?.id
        }
        for turn in [all[3], all[1]] {
            turns.end(turn)
            queue.enqueue(turn, host: "a", priority: .normal, turn: turn)
        }
        // The first call has still to look up its URL.
        #expect(queue.next(now: 0, before: turns.first) == nil)
        turns.end(all[0])
        turns.end(all[0])
        #expect(start() == all[1])
        #expect(queue.next(now: 0, before: turns.first) == nil)
        turns.end(all[2])
        #expect(start() == all[3])
        turns.end(all[4])
        #expect(turns.first == .max)
    }

    @Test func removedTransfersDoNotStart() {
        var queue = TransferQueue(maximum: 1, maximumPerHost: 1)
        queue.enqueue(1, host: "a", priority: .normal)
        queue.enqueue(2, host: "a", priority: .normal)
        queue.remove(1, host: "a", now: 0)
        queue.remove(1, host: "a", now: 0)
        queue.remove(9, host: "z", now: 0)
        #expect(queue.waitingCount == 1)
        #expect(queue.next() == 2)
    }

    @Test func raisesLimitsToOne() {
        var queue = TransferQueue(maximum: 0, maximumPerHost: -1)
        queue.enqueue(1, host: "a", priority: .normal)
        #expect(queue.next() == 1)
    }

    @Test func respectsLimitsInRandomOrders() {
        var random = SeededGenerator(state: 3)
        var queue = TransferQueue(maximum: 7, maximumPerHost: 3)
        var running: [(id: UInt64, host: String)] = []
        var hosts: [UInt64: String] = [:]
        var begun = 0
        for id in 1...2000 as ClosedRange<UInt64> {
            let host = "h\(Int.random(in: 0..<5, using: &random))"
            hosts[id] = host
            let priority = FetchRequest.Priority.allCases.randomElement(using: &random) ?? .normal
            queue.enqueue(id, host: host, priority: priority)
            while let id = queue.next() {
                running.append((id, hosts[id] ?? ""))
                begun += 1
            }
            #expect(running.count <= 7)
            let most = Dictionary(grouping: running, by: \.host).values.map(\.count).max() ?? 0
            #expect(most <= 3)
            if let ended = running.randomElement(using: &random) {
                running.removeAll { $0.id == ended.id }
                queue.finish(host: ended.host)
            }
        }
        while queue.waitingCount > 0, let ended = running.popLast() {
            queue.finish(host: ended.host)
            while let id = queue.next() {
                running.append((id, hosts[id] ?? ""))
                begun += 1
            }
        }
        #expect(begun == 2000)
    }

    @Test func halvesAndSlowlyRaisesLimitOfOverloadedHost() {
        var queue = TransferQueue(maximum: 100, maximumPerHost: 6)
        for id in 1...400 as ClosedRange<UInt64> { queue.enqueue(id, host: "a", priority: .normal) }
        func begun() -> [Int] {
            var epochs: [Int] = []
            while let next = queue.next(now: 0) { epochs.append(next.epoch) }
            return epochs
        }
        #expect(begun().count == 6)
        // All six report the same overload, which counts once.
        for _ in 0..<6 { queue.finish(host: "a", epoch: 0, outcome: .overloaded(until: 0), now: 0) }
        #expect(begun() == [1, 1, 1])
        queue.finish(host: "a", epoch: 1, outcome: .overloaded(until: 0), now: 0)
        queue.finish(host: "a", epoch: 1, outcome: .success, now: 0)
        queue.finish(host: "a", epoch: 1, outcome: .success, now: 0)
        #expect(begun() == [2])
        for _ in 0..<(TransferQueue.successesForMore - 1) {
            queue.finish(host: "a", epoch: 2, outcome: .success, now: 0)
            #expect(begun().count == 1)
        }
        queue.finish(host: "a", epoch: 2, outcome: .success, now: 0)
        #expect(begun().count == 2)
    }

    @Test func pausesHostUntilRetryAfter() {
        var queue = TransferQueue(maximum: 9, maximumPerHost: 9)
        queue.enqueue(1, host: "a", priority: .normal)
        let epoch = queue.next(now: 0)?.epoch ?? -1
        queue.finish(host: "a", epoch: epoch, outcome: .overloaded(until: 500), now: 0)
        queue.enqueue(2, host: "a", priority: .high)
        queue.enqueue(3, host: "b", priority: .low)
        #expect(queue.next(now: 100)?.id == 3)
        #expect(queue.next(now: 100) == nil)
        #expect(queue.patience(now: 100) == 400)
        #expect(queue.next(now: 500)?.id == 2)
        #expect(queue.patience(now: 500) == nil)
    }
}
