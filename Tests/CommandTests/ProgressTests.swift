import Baking
import FetchCache
import Pictures
import Reports
import Testing

@testable import imgbake

/// The progress display.
@Suite struct ProgressTests {
    private let start = ContinuousClock.now

    private func counts(documents: Int, _ images: Int, done: Int) -> Counts {
        var counts = Counts()
        counts.documents = documents
        counts.documentsDone = min(done, documents)
        counts.images = images
        counts.fetched = min(done, images)
        return counts
    }

    private func transfers(_ events: (String, FetchEvent.Kind, after: Int)...) -> TransferCounts {
        var transfers = TransferCounts()
        for event in events {
            transfers.add(
                FetchEvent(key: event.0, kind: event.1), at: start + .seconds(event.after))
        }
        return transfers
    }

    @Test func countsImagesIfDocumentsAreFew() {
        let few = Progress(counts(documents: 2, 40, done: 10), TransferCounts())
        #expect(few.line().hasPrefix("10/40 images, 2/2 documents"))
        let many = Progress(counts(documents: 900, 40, done: 10), TransferCounts())
        #expect(many.line().hasPrefix("10/900 documents, 10/40 images"))
    }

    @Test(arguments: [1, 10, 20, 40, 60, 80, 120, 300])
    func barFitsTerminal(columns: Int) {
        let transfers = transfers(("a", .started(url: "http://slow.example/a.png"), after: 0))
        var speed = Speed(start: start)
        speed.add(0, at: start)
        speed.add(9_000_000, at: start + .seconds(4))
        let progress = Progress(counts(documents: 1_000, 5_000, done: 300), transfers)
        let bar = progress.bar(
            columns: columns, speed: speed, at: start + .seconds(12))
        #expect(bar.count < columns)
        #expect((columns < 80) != bar.contains("waiting for slow.example (12 s)") || columns == 60)
    }

    @Test func usesASCIIInOtherLocales() {
        let progress = Progress(counts(documents: 10, 5, done: 3), TransferCounts())
        #expect(progress.bar(columns: 80, isASCII: true).utf8.allSatisfy { $0 < 0x80 })
        #expect(!progress.bar(columns: 80).utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func namesOnlySilentHosts() {
        let silent = transfers(("a", .started(url: "https://slow.example:8443/a.png"), after: 0))
        let line = Progress(done: 0, of: 2, silent).line(at: start + .seconds(7))
        #expect(line.hasSuffix("waiting for slow.example:8443 (7 s)"))
        let sending = transfers(
            ("a", .started(url: "https://slow.example/a.png"), after: 0),
            ("a", .progress(FetchProgress(receivedBytes: 5)), after: 6))
        #expect(
            !Progress(done: 0, of: 2, sending).line(at: start + .seconds(7)).contains("waiting"))
    }

    @Test func estimatesTimeLeftFromSpeed() {
        let speed = Speed(start: start)
        let count = Progress.Count(name: "images", done: 10, total: 40)
        #expect(speed.timeLeft(count, at: start + .seconds(1)) == nil)
        #expect(speed.timeLeft(count, at: start + .seconds(20)) == "1:00 left")
        let done = Progress.Count(name: "images", done: 40, total: 40)
        #expect(speed.timeLeft(done, at: start + .seconds(20)) == nil)
    }

    @Test func rateCoversLastSeconds() {
        var speed = Speed(start: start)
        for second in 0...20 {
            speed.add(second < 10 ? second * 1_000_000 : 10_000_000, at: start + .seconds(second))
        }
        #expect(speed.rate == nil)
        speed.add(11_000_000, at: start + .seconds(21))
        #expect(speed.rate == 200_000)
    }
}
