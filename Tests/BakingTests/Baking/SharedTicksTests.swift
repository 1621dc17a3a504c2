import Testing

@testable import Baking

@Suite(.timeLimit(.minutes(10))) struct SharedTicksTests {
    @Test func wakesAllThatWaitAgainAndAgain() async {
        let ticks = SharedTicks(every: .milliseconds(5))
        let woken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var count = 0
                    while count < 3, await ticks.next() { count += 1 }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(woken == 300)
    }

    @Test func startsAgainAfterPause() async throws {
        let ticks = SharedTicks(every: .milliseconds(5))
        #expect(await ticks.next())
        try await Task.sleep(for: .milliseconds(50))
        #expect(await ticks.next())
    }

    @Test func cancelledTaskWaitsNoMore() async {
        let ticks = SharedTicks(every: .seconds(86_400))
        let waiting = (0..<100).map { number in
            Task {
                // Some are cancelled before they wait, some after.
                for _ in 0..<number % 7 { await Task.yield() }
                return await ticks.next()
            }
        }
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await !task.value) }
    }
}
