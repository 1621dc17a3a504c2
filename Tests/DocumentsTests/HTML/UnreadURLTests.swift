import Documents
import Testing

/// URLs of images that are named because they cannot be read.
@Suite(.timeLimit(.minutes(10)))
struct UnreadURLTests {
    private func unread(_ text: String, _ kind: DocumentKind) -> [UnreadURLs] {
        let extraction = extract(Array(text.utf8), kind: kind)
        #expect(extraction.refusals == [])
        return extraction.unread
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func inScriptsAreCountedOncePerDocument(kind: DocumentKind) throws {
        let text = """
            <script>var a = "https://h/a.png", b = 'http:\\/\\/h\\/b.jpg?x=1', c = "https://h/c.js";</script>

            <script type="application/json">{"d": "https://h/d.webp", "e": "/e.png"}</script>

            """
        let found = unread(text, kind)
        #expect(found.map(\.place) == [.scripts])
        #expect(found.map(\.count) == [3])
        #expect(found.map(\.url) == ["https://h/a.png"])
    }

    @Test(
        arguments: [
            "<script>var a = 'https://h/a.js', b = {'c': 'd'}</script>",
            "<script src=a.js></script>",
            "<script>load('/a.png')</script>", "<p>https://h/a.png</p>",
        ], [DocumentKind.html, .markdown])
    func otherScriptsAreNot(text: String, kind: DocumentKind) {
        #expect(unread(text, kind) == [])
        #expect(!mayNameImages(Array(text.utf8), kind: kind))
    }

    @Test func inScriptsThatAreSwitchedOffAreNot() {
        let text = "<!-- imgbake-off --><script>a='https://h/a.png'</script>"
        #expect(unread(text, .html) == [])
    }

    @Test(arguments: [
        ("<img src=\"{{ a }}\"><img src='https://h/${b}.png'>", 2),
        ("<img srcset=\"{{a}} 2x\">", 1),
        ("<p style=\"background:url({{ a }})\"><img src=b.png>", 1),
        ("<img alt=\"{{ a }}\" src=b>", 0),
        ("<meta property=og:image content='{{ a }}'>", 1),
        ("<img src=\"{{ a }}\" data-imgbake=off>", 0), ("{% if x %}<img src=\"{{ a }}\">", 0),
        ("---\ntitle: x\n---\n<img src=\"{{ a }}\">", 0), ("<img src=\"{{ .Src }}\">", 0),
        ("<img src=\"<%= a %>{{\">", 0),
    ])
    func thatAGeneratedPageMakesAreCounted(text: String, count: Int) {
        let found = unread(text, .html)
        #expect(found.map(\.place) == (count == 0 ? [] : [.templates]))
        #expect(found.map(\.count) == (count == 0 ? [] : [count]))
    }
}

/// Images in what CommonMark takes for code and MkDocs does not.
@Suite(.timeLimit(.minutes(10)))
struct AdmonitionTests {
    @Test(arguments: [
        "!!! note\n\n    ![](https://h/a.png)\n", "??? note \"T\"\n\n    ![](https://h/a.png)\n",
        "???+ tip\n\n    x\n\n    <img src=\"https://h/a.png\">\n",
        "=== \"Tab\"\n\n    ![a][r]\n\n    [r]: https://h/a.png\n",
        "x\n=== \"Tab\"\n\n    > - ![](https://h/a.png)\n",
        "- x\n\n    !!! note\n\n        ![](https://h/a.png)\n",
        "!!! a\n\n    !!! b\n\n        ![](https://h/a.png)\n",
    ])
    func areNamedInAdmonitionsAndTabs(text: String) {
        let extraction = extract(Array(text.utf8), kind: .markdown)
        #expect(extraction.references == [])
        #expect(extraction.refusals.map(\.url) == ["https://h/a.png"])
        #expect(extraction.refusals.map(\.reason) == [.markdownInAdmonition])
        let line = positions(of: extraction.refusals.map(\.offset), in: Array(text.utf8))[0].line
        let expected = text.split(separator: "\n", omittingEmptySubsequences: false)
            .firstIndex { $0.contains("![") || $0.contains("<img") }.map { $0 + 1 }
        #expect(line == expected || text.contains("x\n\n    <img"))
    }

    @Test(arguments: [
        "x\n\n    ![](https://h/a.png)\n",
        "!!! note\n\n    ```\n    ![](https://h/a.png)\n    ```\n",
        "!!! note\n\n    `![](https://h/a.png)`\n", "!!! note\n\n```\n![](https://h/a.png)\n```\n",
        "!!!note\n\n    ![](https://h/a.png)\n",
        "!!! note\n\n    text\n\n        ![](https://h/a.png)\n",
        "!!! note\n\n    <!-- imgbake-off -->\n\n    ![](https://h/a.png)\n",
    ])
    func areNotNamedInCode(text: String) {
        expectReferences(text, .markdown)
    }

    @Test func thatCommonMarkReadsTooAreReferences() {
        expectReferences("!!! note\n    ![](⟦https://h/a.png⟧)\n", .markdown)
    }
}
