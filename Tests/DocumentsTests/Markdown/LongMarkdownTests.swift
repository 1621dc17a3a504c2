import DocumentSyntax
import Documents
import Testing

/// Tests texts for which an algorithm with quadratic time would take seconds.
@Suite(.timeLimit(.minutes(10)))
struct LongMarkdownTests {
    private func urls(_ text: String) -> [String] {
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.problems == [])
        return extraction.references.map(\.url)
    }

    @Test func readsTagWithManyAttributes() {
        let attributes = (0..<40_000).map { " a\($0)" }.joined()
        #expect(urls("<img src=\"a.png\"\(attributes)>\n") == ["a.png"])
    }

    @Test(arguments: ["src=", "/src=", "<img/src=", "src=\\", "src='", "src=\"", "src= ", "<style"])
    func readsManyIncompleteValues(pattern: String) {
        let text = String(repeating: pattern, count: 40_000)
        #expect(urls("<p><img src=\"a.png\"></p>\n\n\(text)\n").first == "a.png")
        #expect(urls("<style>a{b:url(a.png)}</style>\n\n\(text)\n").first == "a.png")
    }

    @Test func readsLongValueWithManyIncompleteValues() {
        let url = String(repeating: "a", count: 150_000)
        let text = String(repeating: "src=", count: 40_000)
        #expect(urls("<p><img src=\(url)></p>\n\n\(text)\n") == [url])
    }

    @Test func findsAdjacentUnquotedValues() {
        expectReferences(
            "<div>\nx?src=y<img/src=⟦a.png?src=b&image=c⟧><img/src=⟦b.png⟧>\n</div>\n", .markdown)
        expectReferences(
            "<div>\n<img src=⟦a.png⟧><img/src='⟦b.png⟧'/srcset=⟦c.png⟧>\n</div>\n", .markdown)
    }

    @Test func readsWordsThatLookLikeTokens() {
        let words = "zqj " + (0..<40_000).map { "zq\($0)j " }.joined()
        #expect(urls("![a](a.png)\n\n\(words)\n") == ["a.png"])
    }

    @Test func readsManyControls() {
        let tags = (0..<10_000).map { "<img src=\"\($0).png\" data-imgbake-quality=40>\n" }
        let text = Array(tags.joined().utf8)
        let extraction = extract(text, kind: .markdown)
        #expect(extraction.controls.count == 10_000)
        #expect(extraction.references.map(\.control) == (0..<10_000).map { $0 })
    }
}
