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

    @Test func createsValueOnceAndKeepsIt() async {
        let once = SharedWork<String, Int, Never>(keepsValues: true)
        let counts = TaskCounts()
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await once.value(for: "a") {
                        await Task.yield()
                        counts.end()
                        return counts.value.withLock(\.done)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 20))
        once.forget { _ in true }
        #expect(await once.value(for: "a") { 7 } == 7)
        #expect(await once.value(for: "a") { 8 } == 7)
    }
}
