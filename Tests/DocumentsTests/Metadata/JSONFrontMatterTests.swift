import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct JSONFrontMatterTests {
    @Test(arguments: [
        "{\"image\": \"⟦http://h/a.png⟧\"}",
        "{\n  \"title\": \"x\",\n  \"images\": [\"⟦http://h/a.png⟧\", {\"src\": \"⟦/b.png⟧\"}]\n}",
        "{ \"cover\" : { \"image\" : \" ⟦http://h/a.png⟧ \", \"alt\": \"http://h/no.png\" } , \"n\": -1.5e3}",
        "{\"a\":[[],{},{\"b\":[true,false,null,0,{\"ogImage\":\"⟦//h/é.png⟧\"}]}]}",
    ])
    func findsStrings(json: String) {
        expectReferences("\(json)\ntext", .markdown)
        expectReferences("\u{FEFF}\(json)\r\n\r\n![x](⟦x.png⟧)", .mdx)
        expectReferences("---json\n\(json)\n---\n![x](⟦x.png⟧)", .markdown)
        expectReferences(json, .markdown)
    }

    @Test func decodesEscapes() {
        expectReferences(
            "{\"im\\u0061ge\": \"⟦http:\\/\\/h\\u002Fa\\ud83d\\ude00\\ud83d.png⟧\"}\n", .markdown,
            urls: ["http://h/a😀\u{FFFD}.png"])
    }

    @Test(arguments: [
        "{\"image\": \"http://h/a.png\",}", "{\"image\": 'http://h/a.png'}",
        "{image: \"http://h/a.png\"}", "{\"image\": \"http://h/a.png\"", "{}",
        "{\"image\": \"http://h/\\q.png\"}", "{\"image\": \"http://h/\n.png\"}",
        "{\"image\": 01, \"logo\": \"http://h/a.png\"}", "{\"image\" \"http://h/a.png\"}",
        "{\"image\": \"http://h/a.png\"]", "{{< x \"http://h/a.html\" >}}",
        "{/* \"image\": \"http://h/a.png\" */}", "{\"image\": [\"http://h/a.png\",]}",
        "{\"image\": \"http://h/a.png\"} x", "{\"title\": \"http://h/a.png\"}",
        "{\"image\": \"http://h/a.png\" \"b\": 1}",
        "{\"image\": tru, \"logo\": \"http://h/a.png\"}",
    ])
    func ignoresOtherValuesAndInvalidJSON(json: String) {
        expectReferences("\(json)\n\n![x](⟦x.png⟧)\n", .markdown)
    }

    @Test func skipsJavaScript() {
        expectReferences("---js\n{image: \"![a](http://h/a.png)\"}\n---\n![x](⟦x.png⟧)", .markdown)
    }

    @Test(arguments: ["[", "{\"a\":", "\"", "{\"image\":\"a.png\",\"a\":[", "\\", "1", "[1,"])
    func readsLongInput(pattern: String) {
        let text = "{\"image\": \(String(repeating: pattern, count: 10_000))"
        #expect(extract(Array(text.utf8), kind: .markdown).references.isEmpty)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct JSONLDTests {
    private func page(_ json: String) -> String {
        "<p><script type=\"application/ld+json\">\(json)</script><img src=\"⟦x.png⟧\">"
    }

    @Test(arguments: [
        "{\"image\": \"⟦http://h/a.png⟧\"}",
        "{\"image\": [\"⟦http://h/a.png⟧\", \"⟦http://h/b.png⟧\"]}",
        "{\"image\": {\"@type\": \"ImageObject\", \"url\": \"⟦http://h/a.png⟧\", \"width\": 3}}",
        "{\"image\": [{\"contentUrl\": \"⟦a.png⟧\"}], \"thumbnailUrl\": \"⟦b.png⟧\"}",
        "{\"publisher\": {\"logo\": {\"url\": \"⟦http://h/a.png⟧\"}, \"url\": \"http://h/\"}}",
        "\n[{\"@graph\": [{\"logo\": \"⟦http://h/a.png⟧\"}]}]\n",
        "{\"@graph\": [{\"url\": \"⟦a.png⟧\", \"@type\": \"ImageObject\", \"@id\": \"http://h/\"}]}",
        "{\"@type\": [\"ImageObject\"], \"contentUrl\": \"⟦a.png⟧\", \"x\": {\"url\": \"http://h/\"}}",
        "{\"@type\": \"WebPage\", \"url\": \"http://h/\", \"image\": {\"url\": \"⟦a.png⟧\"}}",
        "//\n{\"image\": \"⟦http://h/a.png⟧\"}\n//",
    ])
    func findsImagesInHTML(json: String) {
        expectReferences(page(json), .html)
        expectReferences("text\n\n\(page(json))\n", .markdown)
        let isMarked = !json.contains("<")
        #expect(isMarked)
        expectReferences("<html><body>\(page(json))</img></p></body></html>", .xml)
    }

    @Test(arguments: [
        "{\"url\": \"http://h/a.png\"}", "{\"image\": \"\"}", "{\"image\": \"{{ page.image }}\"}",
        "{\"image\": \"http://h/a.png\", }", "{\"image\": {{ page.image | jsonify }}}",
        "{\"image\": {\"name\": \"a.png\"}}", "{\"image\": \"http://h/a.png\"", "image",
    ])
    func ignoresOtherStrings(json: String) {
        expectReferences(page(json), .html)
    }

    @Test(arguments: [
        ("//<![CDATA[\n", "\n//]]>"), ("/*<![CDATA[*/", "/*]]>*/"),
        ("// <![CDATA[\n", "\n// ]]>\n"),
        ("\n/* <![CDATA[ */ ", " /* ]]> */\n"), ("<!--\n", "\n-->"), ("<!-- ", " //-->"),
        ("<![CDATA[", "]]>"),
    ])
    func findsImagesInsideComments(start: String, end: String) {
        let json = page("\(start){\"image\": [\"⟦http://h/a.png⟧\"]}\(end)")
        expectReferences(json, .html)
        expectReferences("text\n\n\(json)\n", .markdown)
    }

    @Test func findsImagesInCDATAOfXHTML() {
        let json = page("//<![CDATA[\n{\"image\": \"⟦a.png⟧\"}\n//]]>")
        expectReferences("<html><body>\(json)</img></p></body></html>", .xml)
    }

    @Test func readsLongTextOfNestedObjects() {
        for (depth, count) in [(60, 50_000), (500, 0)] {
            let open = (0..<depth).map { "{\"part\($0)\":" }.joined()
            let values = Array(repeating: "\"image\":\"⟦a⟧\"", count: 50_000)
                .joined(separator: ",")
            let close = String(repeating: "}", count: depth)
            let text = Marked(page("\(open){\(values)}\(close)"))
            let references = extract(text.bytes, kind: .html).references
            #expect(references.count == count + 1)
        }
    }

    @Test func reportsKindRoleAndForm() {
        let text = page("{\"image\": {\"url\": \"http:\\/\\/h\\/a.png\"}, \"logo\": \"b.png\"}")
        let references = extract(Marked(text).bytes, kind: .html).references
        #expect(
            references.prefix(2).map(\.kind) == [.jsonLD(key: "image.url"), .jsonLD(key: "logo")])
        #expect(references.first?.url == "http://h/a.png")
        #expect(references.first?.form == .absoluteIfKnown)
    }
}
