import DocumentSyntax
import Documents
import Testing

/// Tests long inputs that can cause deep recursion or quadratic time.
@Suite(.timeLimit(.minutes(10)))
struct HostileXMLTests {
    private static let patterns = [
        "<a ", "<a>", "</a>", "<a b=\"", "<a b='", "<a b=\"c\" ", "<![CDATA[", "<![CDATA[]]>",
        "]]>",
        "<!--", "<!-- -->", "-", "<?", "<!", "<!DOCTYPE [", "&amp;", "&", "&#1", "<", ">", "\"",
        "'",
        "</", "<description>", "<content type='xhtml'>", "<style>", "<image><url>",
        "<media:content ",
        "<description>&lt;", "\0", "\r", "<x/>", "<a b", "=",
    ]

    @Test(arguments: patterns)
    func readsLongFeeds(pattern: String) {
        let text =
            "<rss><media:thumbnail url='a.png'/>" + String(repeating: pattern, count: 5_000)
            + "<media:thumbnail url='b.png'/>"
        let extraction = extract(Array(text.utf8), kind: .xml)
        #expect(extraction.references.first?.url == "a.png")
    }

    @Test(arguments: patterns)
    func readsOrRefusesLongSVG(pattern: String) {
        let text = "<svg><image href='a.png'/>" + String(repeating: pattern, count: 5_000)
        let extraction = extract(Array(text.utf8), kind: .xml)
        #expect(extraction.references.first?.url == "a.png" || extraction.problems.count == 1)
    }

    @Test(arguments: ["&lt;img src=a&gt;", "<![CDATA[<img src=a>]]>", "&lt;p&gt;&lt;b&gt;", "&lt;"])
    func readsLongTextsInFeeds(pattern: String) {
        let text =
            "<rss><description>\(String(repeating: pattern, count: 3_000))</description>"
            + "<media:thumbnail url='b.png'/></rss>"
        let extraction = extract(Array(text.utf8), kind: .xml)
        #expect(extraction.references.last?.url == "b.png")
    }

    @Test func findsManyItems() {
        let items = (0..<500).map {
            "<item><enclosure url=\"⟦http://h/\($0).png⟧\" type=\"image/png\"/>\r\n<description>"
                + "&lt;img src=\"⟦http://h/d\($0).png⟧\"&gt;</description></item>"
        }
        expectReferences("<rss><channel>\(items.joined())</channel></rss>", .xml)
    }
}
