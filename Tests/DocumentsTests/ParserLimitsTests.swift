import DocumentSyntax
import Testing

@testable import Documents

/// Tests the limits on what the parsers of one document may use.
@Suite struct ParserLimitsTests {
    private func reasons(_ text: String, _ kind: DocumentKind = .markdown) -> [DocumentProblem
        .Reason]
    {
        extract(Array(text.utf8), kind: kind).problems.map(\.reason)
    }

    private func table(columns: Int, rows: Int, prefix: String = "") -> String {
        let header = String(repeating: "|a", count: columns)
        let marks = String(repeating: "|-", count: columns)
        return "![i](a.png)\n\n\(prefix)\(header)\n\(prefix)\(marks)\n"
            + String(repeating: "\(prefix)|b\n", count: rows)
    }

    private static let tooManyCells = DocumentProblem.Reason.tooComplex(
        "tables with too many cells")

    @Test(arguments: ["", "> ", "  ", "> > "])
    func refusesTablesWhoseRowsAreCompleted(prefix: String) {
        #expect(reasons(table(columns: 1_000, rows: 5_000, prefix: prefix)) == [Self.tooManyCells])
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func countsCellsWithEveryLineEnd(end: String) {
        let text = table(columns: 1_000, rows: 5_000).replacing("\n", with: end)
        #expect(reasons(text) == [Self.tooManyCells])
    }

    @Test func refusesTableInAdmonition() {
        let text = "!!! note\n\n" + table(columns: 1_000, rows: 5_000, prefix: "    ")
        #expect(reasons(text) == [Self.tooManyCells])
    }

    @Test func refusesRowsOfTooManyCells() {
        let row = String(repeating: "|a", count: 20_000) + "\n"
        let marks = String(repeating: "|-", count: 20_000) + "\n"
        #expect(
            reasons("![i](a.png)\n\n" + row + marks + String(repeating: row, count: 20))
                == [Self.tooManyCells])
    }

    @Test func refusesLongParagraphBeforeDelimiterRow() {
        let text = "![i](a.png)\n\n" + String(repeating: "a\n", count: 50_000) + "-|-\n"
        #expect(reasons(text) == [Self.tooManyCells])
    }

    @Test(arguments: [
        (100, 1_000), (1_000, 100), (5, 10_000),
    ])
    func readsLargeTables(columns: Int, rows: Int) {
        let text = table(columns: columns, rows: rows)
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.map(\.url) == ["a.png"])
        #expect(extraction.problems.isEmpty)
    }

    @Test(arguments: [
        ("a log line without pipes\n", "---\n"),
        ("- an item of a list\n", "\n|a|b|\n|-|-|\n|c|d|\n"),
        ("|", "\n"), ("a|", "\n"),
    ])
    func readsTextThatOnlyLooksLikeTables(unit: String, end: String) {
        let text = "![i](a.png)\n\n" + String(repeating: unit, count: 20_000) + end
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.map(\.url) == ["a.png"])
        #expect(extraction.problems.isEmpty)
    }

    @Test func refusesMailAddressesOfWhichEachCopiesTheRest() {
        let text = "![i](a.png)\n\n" + String(repeating: "a@b.cc ", count: 60_000)
        guard case .tooComplex(let what)? = reasons(text).first else {
            Issue.record("the document is not refused")
            return
        }
        #expect(what.contains("too much"))
    }

    /// cmark reads the end of such a link again for each of its characters, without an allocation.
    @Test(arguments: [
        ("www.a.b", "!)"), ("www.a.b", ")"), ("http://a.b/", "!)"),
        ("", "www._"), ("x ", "<?"), ("", "{{<?"),
    ])
    func timeEndsParserThatAllocatesNothing(head: String, unit: String) {
        let text =
            "![i](a.png)\n\n" + head + String(repeating: unit, count: 2_000_000 / unit.count)
        let extraction = extract(Array(text.utf8), kind: .markdown)
        guard case .tooComplex(let what)? = extraction.problems.first?.reason else {
            Issue.record("the document is not refused")
            return
        }
        #expect(what.contains("too much time"))
        // The next document has a clock of its own.
        let next = extract(Array("![b](c.png)\n".utf8), kind: .markdown)
        #expect(next.references.map(\.url) == ["c.png"])
    }

    @Test(arguments: [
        (DocumentKind.css, "", "url(a)", ""), (.html, "<img srcset=\"", "a 1w,", "\">"),
        (
            .json, "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[",
            "{\"image\":\"a\"},", "1]}"
        ),
        (.markdown, "+++\n", "image = \"b\"\n", "+++\n"),
    ])
    func refusesTooManyImages(kind: DocumentKind, head: String, unit: String, tail: String) {
        let count = ParserLimits.mostPlaces
        let most = DocumentProblem.Reason.tooComplex("more than \(count) images")
        let text = head + String(repeating: unit, count: count + 1) + tail
        #expect(reasons(text, kind) == [most])
        #expect(extract(Array(text.utf8), kind: kind).references.isEmpty)
    }

    @Test func limitsAreReleasedAfterEachDocument() {
        let large = table(columns: 1_000, rows: 5_000)
        for _ in 0..<3 {
            #expect(!reasons(large).isEmpty)
            let extraction = extract(Array("![a](b.png) <img src=c.png>".utf8), kind: .markdown)
            #expect(extraction.references.map(\.url) == ["b.png", "c.png"])
        }
    }

    @Test func concurrentDocumentsHaveLimitsOfTheirOwn() async {
        let mails = Array(("![i](a.png)\n\n" + String(repeating: "a@b.cc ", count: 5_000)).utf8)
        let page = Array("![a](b.png) ~~c~~ www.d.e <img src=f.png>".utf8)
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<12 {
                group.addTask {
                    let isLarge = index % 3 == 0
                    let result = extract(isLarge ? mails : page, kind: .markdown)
                    return isLarge
                        ? result.problems.count <= 1
                        : result.references.map(\.url) == ["b.png", "f.png"]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func parserIsLeftWhereverItsMemoryEnds() {
        let markdown = Array(
            String(
                repeating:
                    "# a *b* [c](d \"e\") `f` <g> h@i.jk\n\n|a|b\n|-|-\n|c\n\n[^l]\n\n[^l]: m\n\n",
                count: 60
            ).utf8)
        for memory in stride(from: 64 << 10, through: 1 << 20, by: 64 << 10) {
            let excess = ParserLimits.attempt(memory: memory) {
                markdown.withUnsafeBufferPointer { _ = MarkdownTree($0) != nil }
            }.1
            #expect(excess == .memory || excess == .work || excess == nil)
        }
        let tiny = ParserLimits.attempt(memory: 1 << 10) {
            markdown.withUnsafeBufferPointer { MarkdownTree($0) == nil }
        }
        #expect(tiny.0)
        #expect(tiny.1 == .memory)
    }
}
