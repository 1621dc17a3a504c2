import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FeedTests {
    private func rss(_ item: String) -> String {
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- <rss> -->\n<rss version=\"2.0\""
            + " xmlns:media=\"http://search.yahoo.com/mrss/\">\r\n<channel><title>é &amp;</title>"
            + "<link>http://h/a.png</link>\r\n\(item)</channel></rss>\n"
    }

    private func atom(_ entry: String) -> String {
        "\u{FEFF}<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>\(entry)</entry></feed>"
    }

    @Test(arguments: [
        "<enclosure url=\"⟦http://h/a.png⟧\" length='3' type=\"image/png\"/>",
        "<enclosure type='image/jpeg' url='⟦http://h/a⟧' />",
        "<enclosure url=\"⟦http://h/a.png?x⟧\"/>",
        "<media:content url=\"⟦http://h/a⟧\" medium=\"image\"/>",
        "<media:content\n  type=\"image/webp\"\n  url = \"⟦http://h/a⟧\"\n></media:content>",
        "<media:group><media:content url=\"⟦http://h/a.jpg⟧\"/></media:group>",
        "<media:thumbnail url=\" ⟦http://h/a⟧ \" width=\"3\"/>",
        "<image><title>x</title><url>⟦http://h/a.png⟧</url></image>",
        "<image><url>\n  <![CDATA[ ⟦http://h/a.png⟧ ]]>\n</url></image>",
        "<image><url><!-- x --> ⟦http://h/a.png⟧ <!-- y --></url></image>",
        "<itunes:image href=\"⟦http://h/a.jpg⟧\"/>",
        "<atom:link rel=\"enclosure\" type=\"image/png\" href=\"⟦http://h/a⟧\"/>",
        "<enclosure title='a > b \"' url=\"⟦http://h/日本.png⟧\"/>",
    ])
    func findsImagesInRSS(item: String) {
        expectReferences(rss("<item>\(item)</item>"), .xml)
        expectReferences(
            "<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">\(item)</rdf:RDF>", .xml)
    }

    @Test(arguments: [
        "<logo>⟦http://h/a.png⟧</logo><icon>\n⟦/favicon.ico⟧\n</icon>",
        "<link rel=\"enclosure\" type=\"image/png\" href=\"⟦http://h/a⟧\"/><link href=\"a.png\"/>",
        "<content type=\"image/png\" src=\"⟦http://h/a⟧\"/>",
        "<content type=\"html\">&lt;img src=\"⟦a.png⟧\"&gt;</content>",
        "<summary type='text/html'><![CDATA[<img src=\"⟦a.png⟧\">]]></summary>",
        "<content type=\"xhtml\"><div><p>x <img src=\"⟦a.png⟧\" alt=\"\"/></p>"
            + "<p style='background:url(⟦b.png⟧)'/></div></content>",
        "<content type=\"xhtml\"><h:div><h:img src=\"⟦a.png⟧\"/></h:div></content>",
        "<atom:content type=\"html\">&lt;img src=⟦a.png⟧&gt;</atom:content>",
    ])
    func findsImagesInAtom(entry: String) {
        expectReferences(atom(entry), .xml)
    }

    @Test(arguments: ["content:encoded", "description", "content", "summary"])
    func findsImagesInEscapedHTML(name: String) {
        for html in [
            "<![CDATA[<p>é &amp; <img src=\"⟦http://h/a.png⟧\" srcset='⟦b.png⟧ 1x, ⟦c.png⟧ 2x'></p>]]>",
            "\n <![CDATA[<p>x</p><img src=⟦a.png⟧>]]> \n <![CDATA[ ]]>",
            "&lt;p&gt;é &amp;amp; &lt;img src=&quot;⟦http://h/a.png⟧&quot; alt=\"x\"/&gt;",
            "<!-- x -->&#60;img src='⟦a.png⟧'&#x3e;&lt;img src=\"⟦b.png⟧\"&gt;",
            "&lt;i style=\"background:url('⟦a.png⟧')\"&gt;&nbsp;&lt;/i&gt;",
            "<p>broken<img src=\"⟦a.png⟧\"/></p>",
        ] {
            expectReferences(rss("<item><\(name)>\(html)</\(name)></item>"), .xml)
        }
    }

    @Test(arguments: [
        "<enclosure url=\"http://h/a.mp3\" type=\"audio/mpeg\"/><enclosure type=\"image/png\"/>",
        "<enclosure url=\"http://h/a.png\" type=\"application/pdf\"/><enclosure url=\"\"/>",
        "<media:content url=\"http://h/a.png\" medium=\"video\"/><media:content url=\"http://h/a\"/>",
        "<media:content url=\"http://h/a.mp4\" type=\"video/mp4\"/>",
        "<url>http://h/a.png</url><guid>http://h/a.png</guid><logo>http://h/a.png</logo>",
        "<image><link>http://h/a.png</link></image><image><url> </url></image>",
        "<title>&lt;img src=\"a.png\"&gt;</title><code><![CDATA[<img src=\"a.png\">]]></code>",
        "<description>a &lt; b &amp;amp;lt;img src=\"a.png\"&gt;</description>",
        "<description><![CDATA[&lt;img src=\"a.png\">]]></description>",
        "<!-- <enclosure url=\"http://h/a.png\"/> --><?x <enclosure url=\"http://h/a.png\"/> ?>",
        "<media:thumbnail url=\"{{ page.image }}\"/><image><url>{{ x }}</url></image>",
        "<description><!-- imgbake-off -->&lt;img src=\"a.png\"&gt;</description>",
        "<!-- imgbake-off --><media:thumbnail url=\"a.png\"/><description>"
            + "&lt;img src=\"a.png\"&gt;</description><!-- imgbake-on -->",
        "<description>&lt;img data-imgbake=off src=\"a.png\"&gt;</description>",
    ])
    func ignoresOtherElements(item: String) {
        expectReferences(rss(item), .xml)
    }

    @Test(arguments: [
        "<content>&lt;img src=\"a.png\"&gt;</content>",
        "<summary type=\"text\">&lt;img src=\"a.png\"&gt;</summary>",
        "<content type=\"text\"><img src=\"a.png\"/></content>",
        "<title type=\"html\">&lt;img src=\"a.png\"&gt;</title>",
    ])
    func ignoresPlainTextOfAtom(entry: String) {
        expectReferences(atom(entry), .xml)
    }

    @Test func decodesURLsThatAreEscapedTwice() {
        expectReferences(
            rss(
                "<media:thumbnail url='⟦http://h/?a=1&amp;b=&#50;⟧'/>"
                    + "<image><url>⟦http://h/?a&amp;b&c⟧</url></image>"
                    + "<description>&lt;img src=\"⟦http://h/?a&amp;amp;b&amp;c⟧\"&gt;"
                    + "</description><summary><![CDATA[<img src=\"⟦http://h/?a&amp;b⟧\">]]>"
                    + "</summary>"),
            .xml,
            urls: ["http://h/?a=1&b=2", "http://h/?a&b&c", "http://h/?a&b&c", "http://h/?a&b"])
    }

    @Test func escapesURLsForEachLayer() {
        let text = rss(
            "<media:thumbnail url='x'/><media:thumbnail url=\"x\"/><image><url>x</url></image>"
                + "<image><url><![CDATA[x]]></url></image>"
                + "<description>&lt;img src=\"x\"&gt;&lt;i style=\"a:url('x')\"&gt;</description>"
                + "<summary><![CDATA[<img src='x'><img src=x>]]></summary>")
        let url = "http://h/it's?a&b=<c>]]>"
        let amp = "http://h/it's?a&amp;b=%3Cc%3E]]%3E"
        #expect(
            replaceAll(text, .xml, with: Array(repeating: url, count: 8))
                == rss(
                    "<media:thumbnail url='http://h/it&#39;s?a&amp;b=%3Cc%3E]]%3E'/>"
                        + "<media:thumbnail url=\"\(amp)\"/><image><url>\(amp)</url></image>"
                        + "<image><url><![CDATA[http://h/it's?a&b=%3Cc%3E]]%3E]]></url></image>"
                        + "<description>&lt;img src=\"http://h/it's?a&amp;amp;b=%3Cc%3E]]%3E\"&gt;"
                        + "&lt;i style=\"a:url('http://h/it\\'s?a&amp;amp;b=%3Cc%3E]]%3E')\"&gt;"
                        + "</description><summary><![CDATA["
                        + "<img src='http://h/it&#39;s?a&amp;b=%3Cc%3E]]%3E'>"
                        + "<img src=http://h/it&#39;s?a&amp;b&#61;%3Cc%3E]]%3E>]]></summary>"))
    }

    @Test func requiresAbsoluteURLs() {
        let text = rss(
            "<media:thumbnail url='a'/><image><url>a</url></image><description>"
                + "&lt;img src=a&gt;</description><content><img src='a'/></content>")
        let references = extract(Array(text.utf8), kind: .xml).references
        #expect(references.map(\.form) == [.absolute, .absolute, .absolute, .absolute])
        #expect(
            references.map(\.kind) == [
                .xmlAttribute(element: "media:thumbnail", attribute: "url"),
                .xmlText(element: "url"), .htmlAttribute(element: "img", attribute: "src"),
                .htmlAttribute(element: "img", attribute: "src"),
            ])
    }

    @Test func addsSizesToEscapedHTML() {
        let text = rss(
            "<description>&lt;img src=\"a\"&gt;</description>"
                + "<summary><![CDATA[<img src=b>]]></summary>")
        #expect(
            replaceAll(text, .xml, with: ["n", "m"], size: .init(width: 3, height: 4))
                == rss(
                    "<description>&lt;img src=\"n\" width=\"3\" height=\"4\"&gt;</description>"
                        + "<summary><![CDATA[<img src=m width=\"3\" height=\"4\">]]></summary>"))
    }

    @Test func removesControlsFromEscapedHTML() throws {
        let text = rss(
            "<description>&lt;img src=\"a\" data-imgbake-format=\"png\"&gt;</description>"
                + "<summary><![CDATA[<img data-imgbake='off' src=b>]]></summary>")
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .xml)
        #expect(extraction.references.map(\.control) == [0])
        #expect(extraction.controls.map(\.format) == ["png", nil])
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: extraction.references.map { Replacement(reference: $0, url: "n") },
            dropping: [0, 1])
        #expect(
            String(decoding: result.bytes, as: UTF8.self)
                == rss(
                    "<description>&lt;img src=\"n\"&gt;</description>"
                        + "<summary><![CDATA[<img src=b>]]></summary>"))
    }

    @Test(arguments: [
        ("<image><url>http://h/&x;.png</url></image>", "http://h/&x;.png"),
        ("<media:thumbnail url=\"http://h/&x;.png\"/>", "http://h/&x;.png"),
        ("<image><url>http://h/<![CDATA[a.png]]></url></image>", "http://h/a.png"),
        (
            "<description>&lt;img src=\"http://h/<![CDATA[a.png\">]]></description>",
            "http://h/a.png"
        ),
        (
            "<description><![CDATA[<pre>]]]]><![CDATA[></pre><img src=http://h/a.png>]]>"
                + "</description>", "http://h/a.png"
        ),
        (
            "<description>&lt;p&gt;<!-- x -->&lt;img src=http://h/a.png&gt;</description>",
            "http://h/a.png"
        ),
    ])
    func refusesImagesThatCannotBeReplaced(item: String, url: String) {
        let extraction = extract(Array(rss(item).utf8), kind: .xml)
        #expect(extraction.references.isEmpty)
        #expect(extraction.problems.map(\.url) == [url])
        #expect(extraction.problems.map(\.reason) == [.placeUncertain])
        let offset = extraction.problems.first?.offset ?? 0
        #expect(rss(item).utf8.dropFirst(offset).starts(with: "http://h/".utf8))
    }
}
