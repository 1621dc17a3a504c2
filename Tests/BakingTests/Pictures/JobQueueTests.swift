import Testing

@testable import Baking
@testable import Pictures

@Suite struct JobQueueTests {
    private func queue(budget: Int, _ jobs: [Int]) -> JobQueue<String> {
        var queue = JobQueue<String>(budget: budget)
        for (index, bytes) in jobs.enumerated() { queue.add("\(index)", bytes: bytes) }
        return queue
    }

    @Test func startsLargestJobFirst() {
        var queue = queue(budget: 100, [10, 30, 20, 30])
        #expect([1, 2, 3, 4].map { _ in queue.start()?.job } == ["1", "3", "2", "0"])
        #expect(queue.start() == nil)
    }

    @Test func startsSmallerJobIfLargestDoesNotFit() {
        var queue = queue(budget: 100, [60, 70, 40])
        #expect(queue.start()?.job == "1")
        #expect(queue.start() == nil)
        queue.add("small", bytes: 30)
        #expect(queue.start()?.job == "small")
        queue.finish(bytes: 70)
        #expect(queue.start()?.job == "0")
    }

    @Test func jobOverBudgetRunsExclusively() {
        var queue = queue(budget: 100, [5_000, 1])
        #expect(queue.start()?.bytes == 100)
        #expect(queue.start() == nil)
        queue.finish(bytes: 100)
        #expect(queue.start()?.job == "1")
        queue.add("large", bytes: .max)
        #expect(queue.start() == nil)
        queue.finish(bytes: 1)
        #expect(queue.start()?.job == "large")
    }

    @Test(arguments: [1, 99])
    func everyJobStartsEventually(bytes: Int) {
        var queue = JobQueue<String>(budget: 100)
        queue.add("first", bytes: 50)
        _ = queue.start()
        // A small job that larger ones overtake, or a large one that has no room among small ones.
        queue.add("patient", bytes: bytes)
        var started = 0
        while started < 1_000 {
            queue.add("other", bytes: 50)
            guard let next = queue.start() else {
                queue.finish(bytes: 50)
                continue
            }
            if next.job == "patient" { break }
            started += 1
            queue.finish(bytes: 50)
        }
        #expect(started <= JobQueue<String>.patience)
    }

    @Test func oldestJobStartsAfterManyLaterOnesHoweverManyWait() {
        let patience = JobQueue<Int>.patience
        var queue = JobQueue<Int>(budget: 1_000)
        for bytes in 1...1_000 { queue.add(bytes, bytes: bytes) }
        let started = (0..<3 * patience).compactMap { _ -> Int? in
            guard let next = queue.start() else { return nil }
            queue.finish(bytes: next.bytes)
            return next.job
        }
        let firstLargest = Array((0..<patience).map { 1_000 - $0 })
        #expect(started.prefix(patience).elementsEqual(firstLargest))
        #expect(started.filter { $0 <= patience } == [1, 2])
        #expect(started[patience] == 1 && started[2 * patience + 1] == 2)
    }

    @Test func staysWithinBudget() {
        var generator = SystemRandomNumberGenerator()
        var queue = JobQueue<Int>(budget: 1_000)
        var running: [Int] = []
        var (added, started) = (0, 0)
        for _ in 0..<20_000 {
            if Bool.random(using: &generator) {
                queue.add(added, bytes: Int.random(in: -1...1_500, using: &generator))
                added += 1
            } else if let next = queue.start() {
                running.append(next.bytes)
                started += 1
            } else if let index = running.indices.randomElement(using: &generator) {
                queue.finish(bytes: running.remove(at: index))
            }
            #expect(queue.used == running.reduce(0, +))
            #expect(queue.used <= 1_000)
        }
        #expect(queue.count == added - started)
    }

    @Test func removesJobs() {
        var queue = queue(budget: 100, [10, 20, 100])
        _ = queue.start()
        #expect(queue.removeAll() == ["0", "1"])
        #expect(queue.start() == nil)
        #expect(queue.count == 0)
    }
}
