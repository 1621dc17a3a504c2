import Documents
import Testing

/// Tests pages in the `srcdoc` of an `<iframe>`.
@Suite(.timeLimit(.minutes(10)))
struct SrcdocTests {
    @Test(
        arguments: [
            "<iframe srcdoc=\"<img src='⟦a.png⟧'><p style='background:url(⟦b.png⟧)'>\"></iframe>",
            "<iframe srcdoc='<img src=\"⟦a.png⟧\" srcset=\"⟦b.png⟧ 2x, ⟦c.png⟧ 3x\">'></iframe>",
            "<iframe srcdoc='<img src=⟦a.png⟧>' src=b.png></iframe> <img src=\"⟦c.png⟧\">",
            "<iframe SRCDOC=\"<style>a{b:url('⟦a.png⟧')}</style>\"></iframe>",
            "<iframe srcdoc=\"<!-- imgbake-off --><img src=a><!-- imgbake-on --><img src=⟦b⟧>\"></iframe>",
            "<iframe srcdoc=\"<img data-imgbake=off src=a.png>\"></iframe>",
            "<iframe data-imgbake=off srcdoc=\"<img src=a.png>\"></iframe>",
            "<iframe srcdoc='<p>text</p>'></iframe><iframe srcdoc></iframe>",
            "<iframe srcdoc=\"<p><i style='background:url(⟦a.png⟧)'>x<p>y<p>z\"></iframe>",
            "<div srcdoc='<img src=a.png>'></div>",
        ], [DocumentKind.html, .markdown, .mdx])
    func findsImagesInSrcdoc(text: String, kind: DocumentKind) {
        expectReferences(text, kind)
    }

    @Test(
        arguments: [
            (
                "<iframe srcdoc=\"&lt;img src=&quot;⟦a?b&amp;amp;c⟧&quot;&gt;\"></iframe>",
                ["a?b&c"]
            ),
            ("<iframe srcdoc='<img src=\"⟦a?b&amp;c⟧\">'></iframe>", ["a?b&c"]),
            ("<iframe srcdoc=\"<iframe srcdoc='<img src=⟦a⟧>'></iframe>\"></iframe>", ["a"]),
            (
                "<iframe srcdoc=\"<iframe srcdoc='&amp;lt;img src=⟦a⟧&amp;gt;'></iframe>\"></iframe>",
                ["a"]
            ),
        ], [DocumentKind.html, .markdown])
    func decodesEntitiesInSrcdoc(case given: (text: String, urls: [String]), kind: DocumentKind) {
        expectReferences(given.text, kind, urls: given.urls)
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func escapesURLsForEachLayer(kind: DocumentKind) {
        let text =
            "<iframe srcdoc=\"<img src='a'><b style='c:url(d)'>\"></iframe> "
            + "<iframe srcdoc='<img src=\"e\">'></iframe>"
        #expect(
            replaceAll(text, kind, with: ["a'&b", "c(d)", "e'&f"])
                == "<iframe srcdoc=\"<img src='a&amp;#39;&amp;amp;b'>"
                + "<b style='c:url(c\\(d\\))'>\"></iframe> "
                + "<iframe srcdoc='<img src=\"e&#39;&amp;amp;f\">'></iframe>")
    }

    @Test func findsImagesInSrcdocOfFeedsAndXHTML() {
        expectReferences(
            "<rss><channel><item><description><![CDATA[<iframe srcdoc=\"<img src='⟦a.png⟧'>\">"
                + "</iframe>]]></description></item></channel></rss>", .xml)
        expectReferences(
            "<html><body><iframe srcdoc=\"&lt;img src='⟦a.png⟧'&gt;\"/></body></html>", .xml)
    }

    @Test func addsNoSize() {
        let text = "<iframe srcdoc=\"<img src='a'>\"></iframe>"
        let size = Replacement.Size(width: 4, height: 3)
        #expect(
            replaceAll(text, .html, with: ["b"], size: size)
                == "<iframe srcdoc=\"<img src='b'>\"></iframe>")
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func limitsNestingDepth(kind: DocumentKind) {
        let text = String(repeating: "<iframe/srcdoc=", count: 5_000) + "<img/src=a>"
        let extraction = extract(Array(text.utf8), kind: kind)
        #expect(extraction.references.isEmpty)
    }
}
