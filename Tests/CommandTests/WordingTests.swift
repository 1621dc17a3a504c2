import FetchCache
import Foundation
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports
@testable import Sites
@testable import imgbake

/// Numbers and results in words.
@Suite struct WordingTests {
    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (12_345, "12,345"),
        (123_456, "123,456"), (1_234_567, "1,234,567"), (-1, "-1"), (-999, "-999"),
        (-1_000, "-1,000"), (1_000_000_000, "1,000,000,000"),
        (Int.max, "9,223,372,036,854,775,807"),
        (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func separatesThousands(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test(arguments: [
        (0, "0 B"), (1, "1 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_049, "1.0 kB"),
        (1_050, "1.1 kB"), (1_999, "2.0 kB"), (99_950, "100.0 kB"), (999_949, "999.9 kB"),
        (999_950, "1.0 MB"), (1_000_000, "1.0 MB"), (1_550_000, "1.6 MB"),
        (999_949_999, "999.9 MB"), (999_950_000, "1.0 GB"), (5_000_000_000_000, "5.0 TB"),
        (1_234_000_000_000_000, "1234.0 TB"),
    ])
    func showsBytesInNearestUnit(bytes: Int, text: String) {
        #expect(bytes.asBytes == text)
    }

    @Test(arguments: [
        (0, "0 ms"), (0.0004, "0 ms"), (0.0005, "1 ms"), (0.9994, "999 ms"), (0.9995, "1.0 s"),
        (1, "1.0 s"), (1.25, "1.3 s"), (59.94, "59.9 s"), (600, "600.0 s"),
    ])
    func showsSecondsWithSignificantDigits(seconds: Double, text: String) {
        #expect(seconds.asSeconds == text)
    }

    @Test(arguments: [
        (0, "0 images", "0 entries"), (1, "1 image", "1 entry"), (2, "2 images", "2 entries"),
        (1_000, "1,000 images", "1,000 entries"),
    ])
    func selectsSingularOrPlural(count: Int, images: String, entries: String) {
        #expect(count.of("image") == images)
        #expect(count.entries == entries)
    }

    private func summary(local: Int = 0, before: Int, after: Int) -> Summary {
        var counts = Counts()
        counts.documents = 1
        counts.references = 2_000
        counts.images = 3
        counts.fetched = 1
        counts.unchanged = 2
        counts.cached = 3
        counts.local = local
        counts.failed = 4
        counts.bytesBefore = before
        counts.bytesAfter = after
        return Summary(counts, seconds: 0.5, diagnostics: [])
    }

    @Test func totalsAreThreeAlignedLines() {
        #expect(
            summary(before: 2_000, after: 500).text(ReadingOptions()) == """
                documents  1, 2,000 references
                images     3, 1 fetched, 2 unchanged, 3 from cache, 4 failed
                size       2.0 kB to 500 B (75 % saved), 500 ms

                """)
    }

    @Test func showsOnlyPositiveSavings() {
        for (before, after) in [(0, 0), (5, 5), (5, 9)] {
            #expect(!summary(before: before, after: after).text(ReadingOptions()).contains("saved"))
        }
        #expect(summary(before: 1_000, after: 999).text(ReadingOptions()).contains("(0 % saved)"))
    }

    @Test func countsLocalImagesIfPresent() {
        #expect(!summary(before: 1, after: 1).text(ReadingOptions()).contains("local"))
        #expect(summary(local: 7, before: 1, after: 1).text(ReadingOptions()).contains("7 local"))
    }

    private func result(_ references: [(String, DryRun.Action)]) -> DryRun.Result {
        var result = DryRun.Result()
        result.documents = 1
        result.references = references.enumerated().map { index, reference in
            DryRun.PlannedReference(
                document: "a.md", line: index + 1, column: 1, url: reference.0,
                action: reference.1)
        }
        return result
    }

    @Test func dryRunListsReferencesAndTotals() {
        var planned = result([
            ("http://h/a", .fetch), ("http://h/a", .fetch), ("http://h/b", .reuse),
        ])
        planned.totals = DryRun.Result.Totals(
            references: 6, images: 5, fetch: 1, revalidate: 1, cached: 1, local: 0, left: 2)
        #expect(
            planned.text(ReadingOptions()) == """
                a.md:1:1: would fetch http://h/a
                a.md:2:1: would fetch http://h/a
                a.md:3:1: would take from the cache http://h/b
                documents  1, 6 references
                images     5, 1 to revalidate, 1 from cache, 2 to leave, 1 to fetch
                dry run    nothing was changed

                """)
        planned.totals.local = 1
        #expect(
            planned.text(ReadingOptions()).contains(
                "1 from cache, 1 local, 2 to leave, 1 to fetch\n"))
    }

    @Test func dryRunRemovesControlCharacters() {
        #expect(
            !result([("http://h/\u{1B}[2J\n", .fetch)]).text(ReadingOptions()).dropLast().contains(
                "\u{1B}"))
    }

    @Test(arguments: [
        ("", 5, []), ("one", 5, ["one"]), ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]), ("a verylongword b", 5, ["a", "verylongword", "b"]),
        ("  a   b ", 9, ["a b"]), ("aa bb cc", 5, ["aa bb", "cc"]),
    ])
    func wrapsTextAtSpaces(text: String, width: Int, lines: [String]) {
        #expect(wrapped(text, to: width) == lines)
    }

    private let diagnostic = Diagnostic(
        Problem(.httpStatus, "HTTP 404", remedy: "remove it"), .error,
        at: Diagnostic.Place("a.md", line: 1, column: 2), url: "https://h/x")

    @Test func diagnosticHasMessageAndDetailLines() {
        let text = diagnostic.lines(hasColours: false)
        #expect(text == diagnostic.text + "\n  help: remove it\n")
        let coloured = diagnostic.lines(hasColours: true)
        #expect(coloured.hasPrefix("\u{1B}[1;31merror\u{1B}[0m: a.md:1:2: "))
        var warning = diagnostic
        warning.severity = .warning
        #expect(warning.lines(hasColours: true).hasPrefix("\u{1B}[1;33mwarning\u{1B}[0m:"))
    }

    @Test func verboseListsAllPlaces() {
        var many = diagnostic
        many.places = (1...9).map { Diagnostic.Place("a.md", line: $0) }
        #expect(many.lines(hasColours: false).contains("and 5 more"))
        #expect(many.lines(isVerbose: true, hasColours: false).contains("a.md:9\n"))
    }
}

@Suite struct AnnotationTests {
    @Test(
        arguments: [
            ("a.md", 3, 9, "::error file=a.md,line=3,col=9,title=t::m"),
            ("./a.md", 3, nil, "::error file=a.md,line=3,title=t::m"),
            ("../a.md", nil, nil, "::error file=../a.md,title=t::m"),
            (nil, nil, nil, "::error title=t::m"),
        ] as [(String?, Int?, Int?, String)])
    func annotationHasPlaceAsProperties(document: String?, line: Int?, column: Int?, text: String) {
        #expect(
            workflowCommand(
                "error",
                at: document.map { Diagnostic.Place($0, line: line, column: column) },
                title: "t", message: "m") == text)
    }

    @Test func annotationOfPageNamesItAndMarksItsSource() {
        let page = { (source: String?) in
            workflowCommand(
                "error", at: Diagnostic.Place("p/a.html", line: 3, column: 9, source: source),
                title: "t", message: "m")
        }
        #expect(page(nil) == "::error file=p/a.html,line=3,col=9,title=t::p/a.html:3:9: m")
        #expect(page("c/a.md") == "::error file=c/a.md,title=t::p/a.html:3:9: m")
    }

    @Test func escapesTextInWorkflowCommands() {
        let hostile = "a,b:c%\r\n::set-output name=x::y"
        let command = workflowCommand(
            "error", at: Diagnostic.Place(hostile, line: 1, column: 1), title: hostile,
            message: hostile)
        #expect(command.split(whereSeparator: \.isNewline).count == 1)
        #expect(
            command.hasPrefix("::error file=a%2Cb%3Ac%25%0D%0A%3A%3Aset-output name=x%3A%3Ay,"))
        #expect(command.hasSuffix("::a,b:c%25%0D%0A::set-output name=x::y"))
    }

    @Test func annotationHasSeverityAndFirstPlace() {
        var diagnostic = Diagnostic(
            Problem(.staleImage, "r", remedy: "do"), .warning,
            at: Diagnostic.Place("a.md", line: 1, column: 2), url: "https://h/x")
        diagnostic.places.append(Diagnostic.Place("b.md"))
        #expect(
            diagnostic.annotation
                == "::warning file=a.md,line=1,col=2,title=imgbake%3A stale-image::"
                + "https://h/x: r; also at 1 place; do")
    }

    private func report(
        _ references: Int = 0, uncertain: Int = 0, _ severity: Diagnostic.Severity? = nil,
        format: CheckCommand.Format = .json
    ) -> CheckReport {
        var report = CheckReport(format, isQuiet: true)
        report.begin(documents: 1, [], nil)
        var findings = SiteCheck.Findings()
        findings.references = (0..<references).map {
            SiteCheck.RemoteReference(document: "a", line: $0, column: 1, url: "u", kind: "k")
        }
        findings.uncertainCount = uncertain
        findings.diagnostics = severity.map { [Diagnostic(Problem(.layout, "r"), $0)] } ?? []
        report.add(findings)
        return report
    }

    @Test func checkFailsForRemoteOrUncertainImages() {
        #expect(!report().hasFailed)
        #expect(report(1).hasFailed)
        #expect(report(uncertain: 1).hasFailed)
        #expect(report(0, .error).hasFailed)
        #expect(!report(0, .warning).hasFailed)
        var faulty = CheckReport(.json, isQuiet: true)
        faulty.begin(documents: 0, [Diagnostic(Problem(.unreadableFile, "r"), .error)], nil)
        #expect(faulty.hasFailed)
    }
}

@Suite struct PrefetchListTests {
    private func list(_ text: String) -> PrefetchList {
        var list = PrefetchList()
        list.add(list: text, named: "urls.txt", .error)
        return list
    }

    @Test(arguments: [
        ("http://h/a\nhttp://h/b", ["http://h/a", "http://h/b"]),
        ("http://h/a\r\nhttp://h/b\r\n", ["http://h/a", "http://h/b"]),
        ("\u{FEFF}http://h/a", ["http://h/a"]), ("  http://h/a \t", ["http://h/a"]),
        ("# note\nhttp://h/a # why\n#http://h/b", ["http://h/a"]),
        ("http://h/a#part", ["http://h/a"]), ("http://h/a#x # y", ["http://h/a"]),
        ("   # note", []), ("", []), ("\n\n \t\n", []),
        ("http://h/a\nHTTP://H:80/a\nhttp://h/a", ["http://h/a"]),
        ("http://h/b\nhttp://h/a\nhttp://h/b", ["http://h/b", "http://h/a"]),
        ("http://h/a b", ["http://h/a%20b"]),
    ])
    func readsEachURLOnce(text: String, urls: [String]) {
        let list = list(text)
        #expect(list.urls == urls)
        #expect(list.errors.isEmpty)
    }

    @Test(arguments: ["x.png", "/x.png", "data:,x", "ftp://h/x", "http://", "mailto:a@b", "C:\\x"])
    func reportsInvalidURLWithLine(text: String) throws {
        let list = list("http://h/a\n\n\(text)\nhttp://h/b")
        #expect(list.urls == ["http://h/a", "http://h/b"])
        let error = try #require(list.errors.first)
        #expect(list.errors.count == 1 && error.code == .invalidURL && error.severity == .error)
        #expect(error.places == [Diagnostic.Place("urls.txt", line: 3)])
    }

    private func found(_ url: String, _ line: Int, isGuess: Bool = false) -> SiteReferences.Place {
        SiteReferences.Place(
            place: Diagnostic.Place("a.md", line: line, column: 2), source: .remote(url),
            isGuess: isGuess)
    }

    @Test func reportsProblemAtEachPlaceOfURL() {
        var list = list("http://h/a")
        var result = SiteReferences.Result()
        result.places = [
            found("http://h/a", 1), found("http://h/a", 2, isGuess: true), found("http://h/b", 3),
            SiteReferences.Place(
                place: Diagnostic.Place("a.md", line: 4, column: 1), source: .local("x.png")),
        ]
        list.add(result)
        #expect(list.urls == ["http://h/a", "http://h/b"])
        let failed = list.diagnostics(.error, "http://h/a", Problem(.httpStatus, "HTTP 404"))
        #expect(failed.flatMap(\.places).map(\.text) == ["urls.txt:1", "a.md:1:2", "a.md:2:2"])
        #expect(failed.map(\.severity) == [.error, .error, .error])
        let page = list.diagnostics(.error, "http://h/a", Problem(.notAnImage, "it is a page"))
        #expect(page.map(\.severity) == [.error, .error, .warning])
        #expect(list.diagnostics(.error, "http://h/none", Problem(.timeout, "r")).isEmpty)
    }
}
