import DocumentSyntax
import Documents
import Testing

/// Tests image URLs that are reported because they cannot be rewritten.
@Suite(.timeLimit(.minutes(10)))
struct UnreadURLTests {
    private func unread(_ text: String, _ kind: DocumentKind) -> [UnreadImage] {
        let extraction = extract(Array(text.utf8), kind: kind)
        #expect(extraction.problems == [])
        return extraction.unread
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func reportsURLsInScripts(kind: DocumentKind) throws {
        let text = """
            <script>var a = "https://h/a.png", b = 'http:\\/\\/h\\/b.jpg?x=1', c = "https://h/c.js";</script>

            <script type="application/json">{"d": "https://h/d.webp", "e": "/e.png"}</script>

            """
        let found = unread(text, kind)
        #expect(found.map(\.place) == [.script, .script, .script])
        #expect(
            found.map(\.url) == ["https://h/a.png", "http://h/b.jpg?x=1", "https://h/d.webp"])
    }

    @Test(
        arguments: [
            "<script>var a = 'https://h/a.js', b = {'c': 'd'}</script>",
            "<script src=a.js></script>",
            "<script>load('/a.png')</script>", "<p>https://h/a.png</p>",
        ], [DocumentKind.html, .markdown])
    func ignoresOtherScripts(text: String, kind: DocumentKind) {
        #expect(unread(text, kind) == [])
    }

    @Test func ignoresScriptsAfterOffComment() {
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
    func reportsURLsInTemplatesOfGeneratedPages(text: String, count: Int) {
        let found = unread(text, .html)
        #expect(found.map(\.place) == Array(repeating: .template, count: count))
    }

    @Test(
        arguments: [
            ("<img src=\"https://h/{{ x }}/a.png\">", .markdown, 1),
            ("x <img src=\"//h/{{ x }}\"> <img src='https://h/{% y %}'>", .markdown, 2),
            ("<img src=\"{{ x }}\">", .markdown, 0),
            ("<img src=\"https://h/{{ x }}\" data-imgbake=off>", .markdown, 0),
            ("`<img src=\"https://h/{{ x }}\">`", .markdown, 0),
            ("{% assign a = \"https://h/a.png\" %}", .markdown, 1),
            ("---\ntitle: x\n---\n<img src=\"https://h/{{ a }}\">", .html, 1),
            ("{% if x %}<img src=\"https://h/{{ a }}\">", .html, 1),
            ("<img src=\"https://h/{{ include.src }}\">", .html, 1),
            ("<img src=\"{{ include.src }}\">", .html, 0),
        ] as [(String, DocumentKind, Int)])
    func reportsURLsThatAGeneratorComputes(text: String, kind: DocumentKind, count: Int) {
        let found = unread(text, kind)
        #expect(found.map(\.place) == Array(repeating: .source, count: count))
    }
}
