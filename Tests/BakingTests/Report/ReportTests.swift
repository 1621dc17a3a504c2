import Dispatch
import Documents
import ImageFormats
import Locks
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports

@Suite struct SummaryTests {
    private typealias Place = Diagnostic.Place

    private let problem = Problem(.timeout, "r")

    @Test func ordersDiagnosticsByDocumentAndPlace() {
        let unordered = [
            Diagnostic(problem, .error, at: Place("b.md", line: 1), url: "1"),
            Diagnostic(problem, .error, at: Place("a.md", line: 10, column: 2), url: "2"),
            Diagnostic(problem, .warning, at: Place("a.md", line: 10, column: 1), url: "3"),
            Diagnostic(problem, .error, at: Place("a.md", line: 9), url: "4"),
        ]
        let summary = Summary(Counts(), seconds: 1, diagnostics: unordered)
        #expect(summary.diagnostics == [unordered[3], unordered[2], unordered[1], unordered[0]])
        #expect(summary.hasErrors)
    }

    @Test func warningsAreNotErrors() {
        let warning = Diagnostic(problem, .warning)
        #expect(!Summary(Counts(), seconds: 1, diagnostics: [warning]).hasErrors)
    }
}

@Suite(.timeLimit(.minutes(10))) struct DiagnosticLogTests {
    @Test func slowReaderDoesNotBlockBake() async {
        let gate = DispatchSemaphore(value: 0)
        let told = Locked<[String]>([])
        let log = DiagnosticLog { diagnostic in
            gate.wait()
            told.withLock { $0.append(diagnostic.reason) }
        }
        log.add([
            Diagnostic(Problem(.timeout, "a"), .error),
            Diagnostic(Problem(.timeout, "b"), .warning),
        ])
        log.add([Diagnostic(Problem(.timeout, "c"), .error)])
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
        sourceDigest: .ofNoBytes, sourceByteCount: 9,
        fileName: "a-0123456789abcdef.webp", byteCount: 5, format: .webp, width: 30,
        height: 20, original: .init(format: .jpeg, width: 60, height: 40))

    @Test func roundTrips() {
        let document = BakedDocument(
            referenceCount: 3, images: [image, image],
            edits: [
                Edit(
                    splices: [
                        Splice(range: 4..<9, text: "../é \"x\""),
                        Splice(range: 12..<12, text: " width=\"3\""),
                    ],
                    images: [
                        Edit.Image(url: "a b", replacement: "../é \"x\"", splice: 0, offset: 0)
                    ]),
                Edit(
                    splices: [Splice(range: 20..<40, text: "")],
                    images: [Edit.Image(url: "c", replacement: "d", splice: 0, offset: nil)]),
            ])
        #expect(BakedDocument(encoded: document.encoded()) == document)
    }

    @Test func documentWithoutImagesRoundTrips() {
        #expect(BakedDocument(encoded: BakedDocument().encoded()) == BakedDocument())
    }

    @Test(arguments: ["", "x", "1\nq\t1", "1\ns\t-9\t4\tx", "1\ni\ta\tb", "1\n"])
    func ignoresDamagedEntry(text: String) {
        #expect(BakedDocument(encoded: Array(text.utf8)) == nil)
    }

    @Test func doesNotStoreSpliceWithLineBreak() {
        let splices = [Splice(range: 0..<1, text: "a\nb")]
        #expect(BakedDocument(edits: [Edit(splices: splices)]).encoded().isEmpty)
    }
}
