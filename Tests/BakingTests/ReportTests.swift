import Dispatch
import Documents
import ImageFormats
import Recipes
import Synchronization
import Testing

@testable import Baking

@Suite struct DiagnosticTests {
    @Test func namesPlaceURLAndReason() {
        let diagnostic = Diagnostic(
            .error, document: "docs/a.md", line: 3, column: 9, url: "https://h/x.png",
            reason: "HTTP 404")
        #expect(diagnostic.text == "docs/a.md:3:9: error: https://h/x.png: HTTP 404")
    }

    @Test func leavesOutWhatIsNotKnown() {
        #expect(Diagnostic(.warning, reason: "odd").text == "warning: odd")
        #expect(Diagnostic(.error, document: "a.md", reason: "odd").text == "a.md: error: odd")
    }

    @Test(arguments: [
        ("https://user:pass@h/x.png", "https://h/x.png"),
        ("https://user@h:81/x@2x.png", "https://h:81/x@2x.png"),
        ("https://h/x.png?mail=a@b", "https://h/x.png?mail=a@b"),
        ("//a:b@h", "//h"), ("x@y", "x@y"),
    ])
    func credentialsNeverShow(url: String, expected: String) {
        #expect(Diagnostic(.error, url: url, reason: "r").text == "error: \(expected): r")
    }

    @Test func nothingThatADocumentSaysSteersTheTerminal() {
        let diagnostic = Diagnostic(
            .error, document: "a\n.md", url: "http://h/\u{1B}[2Jx", reason: "b\u{202E}ad\r")
        #expect(
            diagnostic.text == "a\u{FFFD}.md: error: http://h/\u{FFFD}[2Jx: b\u{FFFD}ad\u{FFFD}")
    }
}

@Suite struct SummaryTests {
    @Test func diagnosticsAreInTheOrderOfDocumentsAndPlaces() {
        let unordered = [
            Diagnostic(.error, document: "b.md", line: 1, reason: "r"),
            Diagnostic(.error, document: "a.md", line: 10, column: 2, reason: "r"),
            Diagnostic(.warning, document: "a.md", line: 10, column: 1, reason: "r"),
            Diagnostic(.error, document: "a.md", line: 9, reason: "r"),
        ]
        let summary = Summary(Counts(), seconds: 1, diagnostics: unordered)
        #expect(summary.diagnostics == [unordered[3], unordered[2], unordered[1], unordered[0]])
        #expect(summary.hasErrors)
    }

    @Test func warningsAreNoErrors() {
        let warning = Diagnostic(.warning, reason: "r")
        #expect(!Summary(Counts(), seconds: 1, diagnostics: [warning]).hasErrors)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DiagnosticLogTests {
    @Test func nothingWaitsForWhoeverIsTold() async {
        let gate = DispatchSemaphore(value: 0)
        let told = Mutex<[String]>([])
        let log = DiagnosticLog { diagnostic in
            gate.wait()
            told.withLock { $0.append(diagnostic.reason) }
        }
        log.add([Diagnostic(.error, reason: "a"), Diagnostic(.warning, reason: "b")])
        log.add([Diagnostic(.error, reason: "c")])
        #expect(log.all.map(\.reason) == ["a", "b", "c"])
        #expect(told.withLock(\.self).isEmpty)
        for _ in 0..<3 { gate.signal() }
        await log.flush()
        #expect(told.withLock(\.self) == ["a", "b", "c"])
    }
}

@Suite struct BakedDocumentTests {
    private let image = BakedImage(
        url: "https://h/a.png", options: VariantOptions(),
        source: String(repeating: "a", count: 64), sourceByteCount: 9,
        fileName: "a-0123456789abcdef.webp", byteCount: 5, format: .webp, width: 30,
        height: 20, original: .init(format: .jpeg, width: 60, height: 40))

    @Test func comesBackAsItWasRemembered() {
        let document = BakedDocument(
            referenceCount: 3, images: [image, image],
            splices: [
                Splice(range: 4..<9, text: "../é \"x\""),
                Splice(range: 12..<12, text: " width=\"3\""),
            ])
        #expect(BakedDocument(encoded: document.encoded()) == document)
    }

    @Test func aDocumentWithoutImagesComesBackToo() {
        #expect(BakedDocument(encoded: BakedDocument().encoded()) == BakedDocument())
    }

    @Test(arguments: ["", "x", "1\nq\t1", "1\ns\t-9\t4\tx", "1\ni\ta\tb", "1\n"])
    func whatIsDamagedIsForgotten(text: String) {
        #expect(BakedDocument(encoded: Array(text.utf8)) == nil)
    }

    @Test func aSpliceThatCannotBeWrittenAsALineIsNotRemembered() {
        let splices = [Splice(range: 0..<1, text: "a\nb")]
        #expect(BakedDocument(splices: splices).encoded().isEmpty)
    }
}
