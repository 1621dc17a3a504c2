import Testing

@testable import Baking
@testable import FetchCache
@testable import Pictures
@testable import Reports

/// The counts of transfers from events.
@Suite struct TransferCountsTests {
    private func counts(_ events: [(String, FetchEvent.Kind)]) -> TransferCounts {
        events.reduce(into: TransferCounts()) { $0.add(FetchEvent(key: $1.0, kind: $1.1)) }
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

    @Test func timeOfLoadContainsAllAttempts() {
        let start = ContinuousClock.now
        var counts = TransferCounts()
        func add(_ key: String, _ kind: FetchEvent.Kind, after seconds: Int) {
            counts.add(FetchEvent(key: key, kind: kind), at: start + .seconds(seconds))
        }
        for key in ["1", "2"] { add(key, .started(url: "http://h/\(key)"), after: 0) }
        add("2", .retried(FetchError(.interrupted, "http://h/2", "x"), delay: .zero), after: 2)
        add("2", .started(url: "http://h/other"), after: 3)
        for key in ["1", "2"] { add(key, .finished(byteCount: 1), after: 10) }
        #expect(counts.seconds == ["http://h/1": 10, "http://h/2": 10])
    }

    @Test func slowestImagesCountLoadsAndJobs() {
        let tally = Tally()
        for number in 1...7 {
            let url = "http://u:p@h/\(number)?token=x"
            let digest = BlobDigest(hashing: [UInt8(number)])
            tally.note(digest, of: url)
            tally.add(seconds: Double(number), on: digest)
            tally.add(seconds: 0.5, on: digest)
        }
        tally.add(seconds: 100, on: BlobDigest(hashing: []))
        let slowest = tally.slowestImages(["http://u:p@h/1?token=x": 10, "http://gone/": 3])
        #expect(slowest.map(\.seconds) == [11.5, 7.5, 6.5, 5.5, 4.5])
        #expect(slowest.first?.url == "http://h/1?token=[hidden]")
        #expect(slowest.first?.host == "h")
    }

    @Test func ignoresOtherEvents() {
        #expect(
            counts([("a", .evicted), ("a", .revalidated), ("b", .cancelled)]).runningCount == 0)
    }
}
