import Testing

@testable import Baking
@testable import Reports

@Suite struct DiagnosticTests {
    private typealias Place = Diagnostic.Place

    @Test func urlOmitsCredentialsAndSignatures() {
        let url = "https://tom:s3cret@h/a.png?X-Amz-Signature=s3cret&b=1"
        let diagnostic = Diagnostic(Problem(.httpStatus, "HTTP 404"), .error, url: url)
        #expect(diagnostic.url?.contains("s3cret") == false)
        #expect(diagnostic.url?.hasPrefix("https://h/a.png?") == true)
        #expect(diagnostic.url?.hasSuffix("&b=1") == true)
    }

    @Test func textHasPlaceURLReasonAndCode() {
        let diagnostic = Diagnostic(
            Problem(.httpStatus, "HTTP 404"), .error, at: Place("docs/a.md", line: 3, column: 9),
            url: "https://h/x.png")
        #expect(
            diagnostic.text
                == "error: docs/a.md:3:9: cannot fetch https://h/x.png: HTTP 404 [http-status]")
    }

    @Test(arguments: [0, 10, 100, 200, 3000], [2, 100, 3000])
    func textIsShort(urlLength: Int, reasonLength: Int) {
        let url = "https://h/" + String(repeating: "a", count: urlLength) + ".png"
        let reason = "x" + String(repeating: "b", count: reasonLength) + "y"
        let diagnostic = Diagnostic(
            Problem(.httpStatus, reason), .error, at: Place("docs/a.md", line: 3, column: 9),
            url: url)
        #expect(diagnostic.text.count <= 300)
        #expect(diagnostic.text.hasSuffix("y [http-status]"))
        #expect(diagnostic.text.contains(".png: x"))
        #expect(diagnostic.text.contains("…") == (urlLength + reasonLength > 230))
        #expect(diagnostic.url == url)
    }

    @Test func textOmitsUnknownParts() {
        #expect(
            Diagnostic(Problem(.weakSandbox, "odd"), .warning).text == "warning: odd [weak-sandbox]"
        )
        let inDocument = Diagnostic(Problem(.documentChanged, "odd"), .error, at: Place("a.md"))
        #expect(inDocument.text == "error: a.md: odd [document-changed]")
    }

    @Test(arguments: [
        ("https://user:pass@h/x.png", "https://h/x.png"),
        ("https://user@h:81/x@2x.png", "https://h:81/x@2x.png"),
        ("https://h/x.png?mail=a@b", "https://h/x.png?mail=a@b"),
        ("//a:b@h", "//h"), ("x@y", "x@y"),
    ])
    func omitsCredentials(url: String, expected: String) {
        let diagnostic = Diagnostic(Problem(.timeout, "r"), .error, url: url)
        #expect(diagnostic.url == expected)
        #expect(diagnostic.text == "error: cannot fetch \(expected): r [timeout]")
    }

    @Test func removesControlCharacters() {
        let problem = Problem(.timeout, "b\u{202E}ad\r", remedy: "do\u{1B}[2J")
        var diagnostic = Diagnostic(
            problem, .error, at: Place("a\n.md"), url: "http://h/\u{1B}[2Jx")
        diagnostic.places.append(Place("b\u{8}.md"))
        for line in [diagnostic.text] + diagnostic.details() {
            #expect(printable(line) == line)
        }
        #expect(diagnostic.text.contains("http://h/\u{FFFD}[2Jx"))
    }

    @Test func countsPlacesOverLimit() {
        var diagnostic = Diagnostic(Problem(.timeout, "r", remedy: "run again"), .error)
        #expect(diagnostic.details() == ["help: run again"])
        diagnostic.places = (1...7).map { Place("a.md", line: $0) }
        #expect(
            diagnostic.details() == [
                "also at a.md:2, a.md:3, a.md:4 and 3 more", "help: run again",
            ])
        #expect(diagnostic.details(maximumPlaces: .max).first?.hasSuffix("a.md:7") == true)
    }
}

@Suite struct DiagnosticTableTests {
    @Test(arguments: DiagnosticCode.allCases)
    func eachCodeHasRowWithMeaningAndRemedy(code: DiagnosticCode) {
        let rows = DiagnosticTable.rows.filter { $0.code == code }
        #expect(rows.count == 1)
        #expect(rows.allSatisfy { $0.meaning.hasSuffix(".") && !$0.section.isEmpty })
        #expect(rows.allSatisfy { !$0.remedy.isEmpty && !$0.remedy.hasSuffix(".") })
        #expect(code.rawValue.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
    }
}

@Suite struct DiagnosticGroupTests {
    private func failure(
        _ url: String, _ document: String, _ line: Int, code: DiagnosticCode = .httpStatus,
        _ reason: String = "HTTP 404", _ severity: Diagnostic.Severity = .error
    ) -> Diagnostic {
        Diagnostic(
            Problem(code, reason), severity, at: Diagnostic.Place(document, line: line, column: 1),
            url: url)
    }

    @Test func mergesPlacesOfOneImage() throws {
        let url = "https://h/x.png"
        let merged = [failure(url, "b.md", 1), failure(url, "a.md", 10), failure(url, "a.md", 9)]
            .merged()
        #expect(merged.count == 1)
        #expect(
            try #require(merged.first).places.map(\.text) == ["a.md:9:1", "a.md:10:1", "b.md:1:1"])
    }

    @Test func keepsDifferentCausesSeveritiesAndImages() {
        let url = "https://h/x.png"
        let all = [
            failure(url, "a.md", 1), failure(url, "a.md", 2, "HTTP 500"),
            failure(url, "a.md", 3, "HTTP 404", .warning), failure("https://h/y.png", "a.md", 4),
        ]
        #expect(all.merged() == all)
    }

    @Test func mergesMessagesOfOneCause() {
        let problem = Problem(.documentChanged, "r")
        let all = ["a.md", "b.md"].map { Diagnostic(problem, .error, at: Diagnostic.Place($0)) }
        #expect(all.merged().map { $0.places.map(\.text) } == [["a.md", "b.md"]])
        let other = Diagnostic(Problem(.documentChanged, "s"), .error, at: all[0].places[0])
        #expect([all[0], other].merged().count == 2)
    }

    @Test func mergesPathsOfOneImageOfTheSite() {
        let reason = "there is no file favicon.ico in the site"
        let all = ["favicon.ico", "../favicon.ico", "../../favicon.ico"].enumerated().map {
            failure($1, "a\($0).html", 1, code: .missingImage, reason)
        }
        #expect(all.merged().map(\.places.count) == [3])
    }

    @Test(arguments: [1, 2])
    func groupsFailuresByHost(hosts: Int) {
        let all = (0..<1_000).map { number in
            failure("https://h\(number % hosts):81/\(number).png", "a.md", number + 1)
        }
        let grouped = all.merged().grouped()
        #expect(grouped.count == hosts)
        #expect(grouped.first?.url == "\(1_000 / hosts) images of h0:81")
        #expect(grouped.map(\.places.count) == Array(repeating: 1_000 / hosts, count: hosts))
        #expect(all.merged().count == 1_000)
    }

    @Test func doesNotGroupUpToTheLimit() {
        let all = (1...6).map { failure("https://h/\($0).png", "a.md", $0) }
        #expect(Array(all.prefix(5)).grouped(limit: 5) == Array(all.prefix(5)))
        #expect(all.grouped(limit: 5).count == 1)
    }

    @Test func doesNotGroupDifferentCauses() {
        let all = (0..<12).map { number in
            failure("https://h/\(number).png", "a.md", number, "HTTP \(number < 6 ? 404 : 500)")
        }
        #expect(all.grouped().count == 2)
    }

    @Test func groupsCachedFailuresOfDifferentAges() {
        let all = (0..<12).map { number in
            var problem = Problem(.httpStatus, "HTTP 404")
            problem.remember(.seconds(number))
            return Diagnostic(problem, .error, url: "https://h/\(number).png")
        }
        #expect(Set(all.map(\.reason)).count == 12)
        #expect(all.merged().grouped().count == 1)
    }

    @Test func imagesThatOneOptionHelpsShareOneMessage() {
        let all = (0..<3).map { number in
            failure("https://h\(number)/x.png", "a.md", number, code: .needsSiteURL, "r")
        }
        let grouped = all.merged().grouped()
        #expect(grouped.map(\.url) == ["3 images"])
        #expect(grouped.first?.places.count == 3)
        #expect(Array(all.prefix(1)).grouped() == Array(all.prefix(1)))
    }

    @Test func doesNotGroupLocalImages() {
        let all = (0..<12).map { failure("img/\($0).png", "a.md", $0, code: .missingImage, "r") }
        #expect(all.grouped() == all)
    }
}
