import Foundation
import ImageFormats
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports

/// The numbers that a bake reports.
@Suite struct CountingTests {
    @Test func everyOutcomeCountsAsDone() {
        let outcomes: [WritableKeyPath<Counts, Int>] = [
            \.fetched, \.unchanged, \.cached, \.local, \.failed,
        ]
        var counts = Counts()
        for (index, outcome) in outcomes.enumerated() {
            counts[keyPath: outcome] += 1 << index
        }
        #expect(counts.imagesDone == 31)
        counts.transformed = 100
        counts.images = 100
        #expect(counts.imagesDone == 31)
    }

    @Test func tasksShareTally() async {
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { tally.add { $0.references += 3 } } }
        }
        #expect(tally.now.references == 300)
        #expect(tally.now.images == 0)
    }

    @Test func variantsOfOneURLShareBytesOfSource() {
        let tally = Tally()
        tally.add("https://example.org/a.jpg", before: 1000, after: 300, quality: 63)
        tally.add("https://example.org/a.jpg", before: 1000, after: 200, quality: nil)
        #expect(tally.now.bytesBefore == 1000)
        #expect(tally.now.bytesAfter == 500)
    }

    @Test func imageOfSeveralFilesCountsOnce() {
        let tally = Tally()
        for _ in 0..<5 { tally.count("https://example.org/icon.png") }
        #expect(tally.now.images == 1)
        tally.count("https://example.org/icon.png", as: \Counts.fetched)
        tally.count("https://example.org/icon.png", as: \Counts.cached)
        tally.uncount("https://example.org/icon.png")
        #expect(tally.now.fetched == 1 && tally.now.imagesDone == 1)
        tally.count("https://example.org/icon.png", as: \Counts.failed)
        tally.count("https://example.org/icon.png", as: \Counts.cached)
        #expect(tally.now.failed == 1 && tally.now.imagesDone == 1)
        tally.count("https://example.org/b.png")
        tally.uncount("https://example.org/b.png")
        #expect(tally.now.images == 1)
    }

    @Test func summaryContainsEachCount() throws {
        var counts = Counts()
        counts.documents = 1
        counts.documentsDone = 2
        counts.documentsRewritten = 3
        counts.references = 4
        counts.images = 5
        counts.fetched = 6
        counts.unchanged = 7
        counts.cached = 8
        counts.local = 9
        counts.failed = 10
        counts.transformed = 11
        counts.bytesBefore = 12
        counts.bytesAfter = 13
        let summary = Summary(counts, seconds: 1.5, diagnostics: [])
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(summary))
        let object = try #require(json as? [String: Any])
        let images = try #require(object["images"] as? [String: Int])
        #expect(
            images == [
                "total": 5, "fetched": 6, "unchanged": 7, "cached": 8, "local": 9, "failed": 10,
                "transformed": 11,
            ])
        #expect(object["bytes"] as? [String: Int] == ["before": 12, "after": 13])
        #expect(object["documents"] as? Int == 1 && object["rewritten"] as? Int == 3)
        #expect(object["references"] as? Int == 4 && object["seconds"] as? Double == 1.5)
        #expect(!summary.hasErrors)
    }

    @Test(arguments: [
        (0, "0 s"), (-5, "0 s"), (119, "119 s"), (120, "2 min"), (179, "2 min"),
        (7_199, "119 min"), (7_200, "2 h"), (172_799, "47 h"), (172_800, "2 days"),
        (864_000, "10 days"),
    ])
    func showsAgeInOneUnit(seconds: Int, text: String) {
        #expect(Duration.seconds(seconds).asAge == text)
    }

    @Test func cachedProblemHasAgeAndRemedy() {
        var problem = Problem(.httpStatus, "HTTP 404")
        problem.remember(.seconds(300))
        let diagnostic = Diagnostic(problem, .error, url: "https://h/x")
        #expect(diagnostic.reason.contains("5 min ago"))
        #expect(diagnostic.remedy.contains("--retry-failed"))
        #expect(diagnostic.cause == "HTTP 404")
    }

    @Test(
        arguments: [
            ("https://h/x", "h"), ("https://h:8/x", "h:8"), ("http://h", "h"),
            ("http://h?q", "h"), ("http://h#f", "h"), ("x.png", nil), ("//h/x", nil), ("://", nil),
            ("", nil), ("http://[::1]:8/x", "[::1]:8"),
        ] as [(String, String?)])
    func extractsHostOfURL(url: String, host: String?) {
        #expect(hostName(url) == host)
    }

    @Test(arguments: [
        (401, DiagnosticCode.accessDenied), (403, .accessDenied), (407, .accessDenied),
        (404, .httpStatus), (410, .httpStatus), (429, .httpStatus), (500, .httpStatus),
    ])
    func statusHasCode(status: Int, code: DiagnosticCode) {
        let problem = Problem(status: status)
        #expect(problem.code == code)
        #expect(problem.reason.contains(String(status)))
    }

    @Test func remedyOfTransientStatusIsToRunAgain() {
        let plain = Problem(status: 404).remedy
        #expect(Problem(status: 429).remedy != plain)
        #expect(Problem(status: 503).remedy != plain)
        #expect(Problem(status: 429).remedy.contains("--per-host"))
    }

    @Test func jsonOmitsCause() throws {
        let diagnostic = Diagnostic(
            Problem(.timeout, "r", remedy: "do"), .warning,
            at: Diagnostic.Place("a.md", line: 2), url: "http://h/x")
        let json = String(decoding: try JSONEncoder().encode(diagnostic), as: UTF8.self)
        #expect(json.contains(#""code":"timeout""#) && json.contains(#""severity":"warning""#))
        #expect(!json.contains("cause"))
        let read = try JSONDecoder().decode(Diagnostic.self, from: Data(json.utf8))
        #expect(read.places == diagnostic.places && read.text == diagnostic.text)
    }

    @Test(
        arguments: [
            (Diagnostic.Place("a.md"), "a.md"), (.init("a.md", line: 3), "a.md:3"),
            (.init("a.md", line: 3, column: 4), "a.md:3:4"), (.init("a\u{1B}.md"), "a\u{FFFD}.md"),
        ])
    func showsKnownPartsOfPlace(place: Diagnostic.Place, text: String) {
        #expect(place.text == text)
    }

    @Test func mergesEqualProblems() {
        let place = Diagnostic.Place("a.md", line: 1, column: 1)
        let one = Diagnostic(Problem(.httpStatus, "r"), .error, at: place, url: "https://h/x")
        #expect([one, one].merged().map(\.places) == [[place]])
        let general = Diagnostic(Problem(.weakSandbox, "r"), .warning)
        #expect([general, general].merged().count == 1)
    }
}
