import Testing

@testable import FetchCache

struct SharedWorkTableTests {
    private var table = SharedWorkTable<String, String>()

    @Test mutating func firstCallerStartsAndOthersWait() {
        #expect(table.join("a", id: 1, for: "k") == .start(run: 1))
        #expect(table.join("b", id: 2, for: "k") == .wait(run: 1))
        #expect(table.join("c", id: 3, for: "other") == .start(run: 2))
        #expect(table.finish("k", run: 1) == ["a", "b"])
        #expect(table.finish("other", run: 2) == ["c"])
        #expect(table.isEmpty)
    }

    @Test mutating func nextCallerAfterFinishStarts() {
        _ = table.join("a", id: 1, for: "k")
        _ = table.finish("k", run: 1)
        #expect(table.join("b", id: 2, for: "k") == .start(run: 2))
    }

    @Test mutating func leavingCallerKeepsFlight() {
        _ = table.join("a", id: 1, for: "k")
        _ = table.join("b", id: 2, for: "k")
        guard case .resume("a", run: 1) = table.leave(id: 1, for: "k") else {
            Issue.record("the run was cancelled")
            return
        }
        #expect(table.finish("k", run: 1) == ["b"])
    }

    @Test mutating func lastLeavingCallerCancels() {
        _ = table.join("a", id: 1, for: "k")
        _ = table.join("b", id: 2, for: "k")
        _ = table.leave(id: 2, for: "k")
        guard case .resumeAndCancel("a", run: 1) = table.leave(id: 1, for: "k") else {
            Issue.record("the run goes on")
            return
        }
        #expect(table.isEmpty)
    }

    @Test mutating func cancelledFlightDoesNotEndNextOne() {
        _ = table.join("a", id: 1, for: "k")
        _ = table.leave(id: 1, for: "k")
        #expect(table.join("b", id: 2, for: "k") == .start(run: 2))
        #expect(table.finish("k", run: 1) == [])
        #expect(table.finish("k", run: 2) == ["b"])
    }

    @Test mutating func ignoresLeaveWithoutJoin() {
        if case .none = table.leave(id: 1, for: "k") {} else { Issue.record("somebody left") }
        _ = table.join("a", id: 1, for: "k")
        _ = table.finish("k", run: 1)
        if case .none = table.leave(id: 1, for: "k") {} else { Issue.record("somebody left") }
    }

    /// Every caller gets exactly one result for any order of events.
    @Test func everyCallerGetsOneResultInRandomOrders() {
        var random = SeededGenerator(state: 7)
        for _ in 0..<500 {
            var table = SharedWorkTable<Int, UInt64>()
            var runs: [Int: UInt64] = [:]
            var answers: [UInt64: Int] = [:]
            for id in 1...40 as ClosedRange<UInt64> {
                let key = Int.random(in: 0..<3, using: &random)
                if case .start(let run) = table.join(id, id: id, for: key) {
                    runs[key] = run
                }
                let other = UInt64.random(in: 1...id, using: &random)
                for leaving in 0..<3 {
                    switch table.leave(id: other, for: leaving) {
                    case .none: break
                    case .resume(let waiter, _), .resumeAndCancel(let waiter, _):
                        answers[waiter, default: 0] += 1
                    }
                }
                if Bool.random(using: &random), let run = runs[key] {
                    for waiter in table.finish(key, run: run) {
                        answers[waiter, default: 0] += 1
                    }
                }
            }
            for (key, run) in runs {
                for waiter in table.finish(key, run: run) { answers[waiter, default: 0] += 1 }
            }
            #expect(answers.count == 40)
            #expect(answers.values.allSatisfy { $0 == 1 })
            #expect(table.isEmpty)
        }
    }
}

/// A random number generator with the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) ^ state
    }
}
