import Documents
import Testing

/// Texts for which what grows with the square of their length would take seconds.
@Suite(.timeLimit(.minutes(5)))
struct LongMarkdownTests {
    private func urls(_ text: String) -> [String] {
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.refusals == [])
        return extraction.references.map(\.url)
    }

    @Test func aTagWithManyAttributesIsRead() {
        let attributes = (0..<40_000).map { " a\($0)" }.joined()
        #expect(urls("<img src=\"a.png\"\(attributes)>\n") == ["a.png"])
    }
}
