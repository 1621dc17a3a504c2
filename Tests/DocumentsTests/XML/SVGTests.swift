import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SVGTests {
    private func svg(_ text: String) -> String {
        "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\" [\n"
            + "<!ENTITY ns \"http://h/a.png\">\n<!-- <image href=\"no.png\"/> ' -->\n]>\n"
            + "<svg xmlns=\"http://www.w3.org/2000/svg\">\(text)</svg>\n"
    }

    @Test(arguments: [
        "<image href=\"⟦a.png⟧\" width=\"3\"/>",
        "<image\n\txlink:href = '⟦a.png⟧'\n/>",
        "<svg:image xlink:href=\"⟦a.png⟧\"></svg:image>",
        "<filter><feImage href=\"⟦a.png⟧\"/></filter>",
        "<g style=\"mask:url(⟦m.png⟧);fill:url('⟦f.png⟧')\"/>",
        "<style>a{fill:url(⟦a.png⟧)} b>c{fill:url(\"⟦b.png⟧\")}</style>",
        "<style type=\"text/css\"><![CDATA[ a{fill:url(⟦a.png⟧)} ]]></style>",
        "<style>/*<![CDATA[*/ a{fill:url(⟦a.png⟧)} /*]]>*/</style>",
        "<foreignObject><html:img src=\"⟦a.png⟧\" srcset=\"⟦b.png⟧ 1x, ⟦c.png⟧ 2x\"/></foreignObject>",
        "<image href='⟦data:image/png;base64,AAAA⟧'/>",
        "<g data-src=\"⟦a.png⟧\"/>",
        "<a b='>' c=\"'\"><image href=\"⟦a.png⟧\"/></a>",
        "<g><image href=\"⟦a.png⟧\"/></x></y><image href=\"⟦b.png⟧\"/>",
        "<image href=\"⟦a.png⟧\" href=\"b.png\"/>",
    ])
    func findsImages(text: String) {
        expectReferences(svg(text), .xml)
    }

    @Test(arguments: [
        "<use href=\"a.svg#x\"/><a href=\"a.png\"/><script href=\"a.png\"/>",
        "<text>&lt;image href=\"a.png\"/></text><desc><![CDATA[<image href=\"a.png\"/>]]></desc>",
        "<!-- <image href=\"a.png\"/> --><?x <image href=\"a.png\"/>?>",
        "<image href=\"\"/><image/><image href=\"{{ x }}\"/><image href=a.png />",
        "<style>/* url(a.png) */ @import url(b.css);</style>",
        "<!-- imgbake-off --><image href=\"a.png\"/><style>a{b:url(c.png)}</style>"
            + "<!-- imgbake-on -->",
        "<image data-imgbake=\"off\" href=\"a.png\"/>",
        "<x:image href=\"a.png\"/>", "<image href=\"a.png\"", "<image href=\"a.png",
        "<image href=\"a.png\" <g/>",
    ])
    func ignoresOtherURLs(text: String) {
        expectReferences(svg(text), .xml)
    }

    @Test func decodesAndEscapesURLs() {
        let text = svg(
            "<image href='⟦a?b&amp;c&#x26;d⟧'/><style>a{fill:url(⟦a?b&amp;c⟧)}</style><style><![CDATA["
                + "b{fill:url(⟦a?b&c⟧)}]]></style><g style=\"fill:url(&quot;⟦a&#32;b⟧&quot;)\"/>")
        let urls = ["a?b&c&d", "a?b&c", "a?b&c", "a b"]
        expectReferences(text, .xml, urls: urls)
        #expect(
            replaceAll(Marked(text).text, .xml, with: Array(repeating: "it's?(x)&y", count: 4))
                == svg(
                    "<image href='it&#39;s?(x)&amp;y'/><style>a{fill:url(it\\'s?\\(x\\)&amp;y)}"
                        + "</style><style><![CDATA["
                        + "b{fill:url(it\\'s?\\(x\\)&y)}]]></style>"
                        + "<g style=\"fill:url(&quot;it's?(x)&amp;y&quot;)\"/>"))
    }

    @Test func refusesImagesThatCannotBeReplaced() {
        let text = svg(
            "<image href=\"&ns;\"/><style>a{b:url(c<![CDATA[d.png)}]]></style>"
                + "<style>/*<![CDATA[*/ a{b:url(e.png)} /*]]>*/ c{}</style>")
        let extraction = extract(Array(text.utf8), kind: .xml)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.url) == ["&ns;", "cd.png", "e.png"])
        #expect(extraction.problems.allSatisfy { $0.reason == .placeUncertain })
    }

    @Test func keepsBytesOfOtherEncodings() throws {
        let before = Array("<svg><!-- ".utf8) + [0xE9] + Array(" --><image a='".utf8) + [0xFF]
        let bytes =
            before + Array("' href='a.png'/><image href='".utf8) + [0xE9] + Array("'/></svg>".utf8)
        let extraction = extract(bytes, kind: .xml)
        let reference = try #require(extraction.references.first)
        #expect(extraction.references.count == 1)
        #expect(extraction.problems.map(\.reason) == [.urlNotUTF8])
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: [Replacement(reference: reference, url: "b.png")])
        var expected = bytes
        expected.replaceSubrange(reference.range, with: Array("b.png".utf8))
        #expect(result.bytes == expected)
    }

    @Test(arguments: ["ISO-2022-JP", "utf-7"])
    func refusesEncodingsThatAreNotSupersetsOfASCII(name: String) {
        let text = "<?xml version='1.0' encoding = '\(name)'?><svg><image href='a.png'/></svg>"
        let extraction = extract(Array(text.utf8), kind: .xml)
        #expect(extraction.references.isEmpty)
        #expect(
            extraction.problems == [
                DocumentProblem(offset: 0, reason: .encoding(name.lowercased()))
            ])
    }

    @Test(arguments: ["Shift_JIS", "windows-1252", "utf-16"])
    func readsEncodingsThatAreSupersetsOfASCII(name: String) {
        expectReferences(
            "<?xml version=\"1.0\" encoding=\"\(name)\"?><svg><image href='⟦a.png⟧'/></svg>", .xml)
    }

    @Test func readsControls() throws {
        let text = svg(
            "<image data-imgbake-format='png'\n data-imgbake-quality=\"9\" href=\"a.png\"/>"
                + "<image href=\"b.png\"/><image href=\"c.png\" data-imgbake=\"off\"/>")
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .xml)
        #expect(extraction.references.map(\.url) == ["a.png", "b.png"])
        #expect(extraction.references.map(\.control) == [0, nil])
        #expect(extraction.controls.map(\.format) == ["png", nil])
        #expect(extraction.controls.map(\.quality) == ["9", nil])
        #expect(extraction.controls.map(\.isOff) == [false, true])
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: extraction.references.map { Replacement(reference: $0, url: "n") },
            dropping: [0, 1])
        #expect(
            String(decoding: result.bytes, as: UTF8.self)
                == svg("<image href=\"n\"/><image href=\"n\"/><image href=\"c.png\"/>"))
    }

    @Test func refusesTagsWithTooManyAttributes() {
        let attributes = (0..<300).map { " a\($0)=\"\"" }.joined()
        let extraction = extract(
            Array(svg("<image href=\"a.png\"/><g\(attributes)/>").utf8), kind: .xml)
        #expect(extraction.references.isEmpty)
        #expect(
            extraction.problems.map(\.reason)
                == [.tooComplex("a tag with more than 256 attributes")])
    }
}
