import Documents
import Testing

/// Tests long inputs that can cause deep recursion or quadratic time.
@Suite(.timeLimit(.minutes(10)))
struct HostileDocumentTests {
    @Test(arguments: [
        "![", "](", "((((", "[[[[", "]]]]", "<img ", "> ", "- ", "![](", "![a](b", "![](<", "](a)",
        "[a]:", "![a]: x ", "[a]: \"", "<img src=\"", "src='", "`", "`a``", "*_a ", "<!--",
        "<![CDATA[",
        "<?", "\\", "&amp;", "!", "|", "|a", "QUJD", "\r", "\0", "a\n===\n", "[^1]: ", "http://",
        "w",
        "![a][b]", "<script>", "<div>\n\n", "]:a", "](\\(", "a@",
    ])
    func readsLongMarkdown(pattern: String) {
        let text = "![i](first.png)\n\n" + String(repeating: pattern, count: 3_000) + "\n\n[x]: y\n"
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.first?.url == "first.png")
        #expect(extraction.problems.isEmpty)
    }

    @Test(arguments: [
        "<p>", "</p>", "<img>", "<!--", "<![CDATA[", "<script>", "<style>", "<title>", "&amp;", "&",
        "<a href=x>", "<li>", "<td>", "<select>", "<option>", "<br", "\"", "=", "<", ">", "</",
        "<!",
        "<table>", "</table>", "<svg/>", "<template></template>", "\0", "\r", "<p><b>a", "<img ",
    ])
    func readsOrRefusesLongHTML(pattern: String) {
        let text = "<img src=first.png>" + String(repeating: pattern, count: 3_000)
        let extraction = extract(Array(text.utf8), kind: .html)
        let isRead = extraction.references.first?.url == "first.png"
        #expect(isRead || extraction.problems.count == 1)
        // Only unclosed tags are refused; the other inputs do not nest without limit.
        #expect(isRead == (pattern != "<img "))
    }

    @Test(arguments: [
        "(", "{", "[", "url(", "url(\"", "\"", "'", "/*", "\\", "@", "@import ", "image-set(", "}",
        ")",
        "a{", "-", "--", "#", "1", "é", "\0", "url(a b", "@font-face{", ";", ":",
    ])
    func readsLongCSS(pattern: String) {
        let text = "a{b:url(first.png)}" + String(repeating: pattern, count: 3_000)
        let extraction = extract(Array(text.utf8), kind: .css)
        #expect(extraction.references.first?.url == "first.png")
    }

    @Test func refusesLongDefinitionWithManyUses() {
        let url = String(repeating: "x", count: 200_000)
        let text = "[a]: \(url)\n\n" + String(repeating: "![a]\n", count: 5_000)
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references.isEmpty)
        #expect(
            extraction.problems.map(\.reason)
                == [.tooComplex("a very long definition and too many uses")])
    }

    @Test func refusesLongTitleWithManyUses() {
        let title = String(repeating: "x ", count: 100_000)
        let text = "[a]: b\n'\(title)'\n\n" + String(repeating: "![a]\n", count: 5_000)
        #expect(extract(Array(text.utf8), kind: .markdown).problems.count == 1)
    }

    @Test func findsImageWithLongURL() {
        let data = "data:image/png;base64," + String(repeating: "QUJD", count: 50_000)
        for (kind, text) in [
            (DocumentKind.markdown, "![a](⟦\(data)⟧)\n\n![b](⟦b.png⟧)"),
            (.html, "<img src=\"⟦\(data)⟧\"><img srcset=\"⟦\(data)⟧ 1x, ⟦b.png⟧ 2x\">"),
            (.css, "a{b:url(⟦\(data)⟧)}c{d:url(⟦b.png⟧)}"),
        ] {
            expectReferences(text, kind)
        }
    }

    @Test func findsImagesOnManyLines() {
        let lines = (0..<2_000).map { "> ![a\($0)](⟦\($0).png⟧) <img src=\"⟦h\($0).png⟧\">\r\n" }
        expectReferences(lines.joined(), .markdown)
    }
}
