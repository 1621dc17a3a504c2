import Baking
import Testing

@testable import FetchCache

/// The counts of transfers from events.
@Suite struct TransferCountsTests {
    private func counts(_ events: [(String, FetchEvent.Kind)]) -> TransferCounts {
        events.reduce(into: TransferCounts()) { $0.add(FetchEvent(key: $1.0, kind: $1.1)) }
    }

    private func progress(_ bytes: Int) -> FetchEvent.Kind {
        .progress(FetchProgress(receivedBytes: bytes))
    }

    @Test func countsRunningRequests() {
        let start: [(String, FetchEvent.Kind)] = [
            ("a", .queued), ("a", .started(url: "http://h/a")), ("b", .queued),
            ("a", .started(url: "http://h/redirected")),
        ]
        #expect(counts([("a", .queued)]).runningCount == 0)
        #expect(counts(start).runningCount == 1)
        #expect(counts(start + [("b", .started(url: "http://h/b"))]).runningCount == 2)
        for end in [.finished(byteCount: 0), .revalidated, .cancelled] as [FetchEvent.Kind] {
            #expect(counts(start + [("a", end)]).runningCount == 0)
        }
    }

    @Test func listsSlowestLoadsWithAllAttempts() {
        let start = ContinuousClock.now
        var counts = TransferCounts()
        func add(_ key: String, _ kind: FetchEvent.Kind, after seconds: Int) {
            counts.add(FetchEvent(key: key, kind: kind), at: start + .seconds(seconds))
        }
        for number in 1...7 {
            add("\(number)", .started(url: "http://u:p@h/\(number)?token=x"), after: 0)
        }
        add("7", .retried(FetchError(.interrupted, "http://h/7", "x"), delay: .zero), after: 2)
        add("7", .started(url: "http://h/other"), after: 3)
        for number in 1...7 { add("\(number)", .finished(byteCount: 1), after: 10 + number) }
        #expect(counts.slowest.map(\.seconds) == [17, 16, 15, 14, 13])
        #expect(counts.slowest.first?.url == "http://h/7?token=[hidden]")
        #expect(counts.slowest.first?.host == "h")
    }

    @Test func countsReceivedBytesOnce() {
        let events: [(String, FetchEvent.Kind)] = [
            ("a", .started(url: "http://h/a")), ("a", progress(10)),
            ("b", .started(url: "http://h/b")), ("b", progress(5)), ("a", progress(30)),
        ]
        #expect(counts(events).receivedBytes == 35)
        #expect(counts(events + [("a", .finished(byteCount: 40))]).receivedBytes == 45)
        #expect(counts(events + [("a", .cancelled), ("a", progress(7))]).receivedBytes == 42)
    }

    @Test func restartedAttemptCountsAgain() {
        let events = [("a", progress(10)), ("a", progress(4)), ("a", .finished(byteCount: 9))]
        #expect(counts(events).receivedBytes == 19)
    }

    @Test func ignoresOtherEvents() {
        #expect(
            counts([("a", .evicted), ("a", .revalidated), ("b", .cancelled)]).runningCount == 0)
        #expect(counts([("a", .response(status: 200, expectedBytes: 9))]).receivedBytes == 0)
    }
}
