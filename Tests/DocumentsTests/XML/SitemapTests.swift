import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SitemapTests {
    @Test func findsImageLocations() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <?xml-stylesheet type="text/xsl" href="a.png"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
                xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
              <url>
                <loc>http://h/a.png</loc>
                <image:image><image:loc>⟦http://h/a.png?x=1⟧</image:loc></image:image>
                <image:image>
                  <image:loc>
                    ⟦http://h/b.png⟧
                  </image:loc>
                  <image:caption>&lt;img src="a.png"&gt;</image:caption>
                </image:image>
                <image:image><image:loc><![CDATA[⟦http://h/c.png⟧]]></image:loc></image:image>
              </url>
            </urlset>

            """
        expectReferences(text, .xml)
        let reference = try #require(extract(Marked(text).bytes, kind: .xml).references.first)
        #expect(reference.form == .absolute)
        #expect(reference.kind == .xmlText(element: "image:loc"))
    }

    @Test(arguments: [
        "<other><image:loc>http://h/a.png</image:loc><img src=\"a.png\"/></other>",
        "<opml><enclosure url=\"a.png\"/></opml>", "<image:loc>a.png</image:loc>", "", "text", "<",
        "<?xml version=\"1.0\"?>", "<!DOCTYPE rss [<!ELEMENT rss (x)>", "<!-- <rss> ",
        "<urlset><loc>a.png</loc></urlset>",
        "<urlset><media:thumbnail url='a.png'/><image:loc></image:loc></urlset>",
        "<urlset><image:loc>a.png", "<rss",
        "<rss><image:loc/>",
    ])
    func ignoresOtherXML(text: String) {
        expectReferences(text, .xml)
    }

    @Test(arguments: [
        ("<urlset><loc>x</loc></urlset>", false), ("<urlset><image:loc/></urlset>", true),
        ("<other><image:loc/></other>", false), ("<rss/>", true),
        ("<svg><path d='M0'/></svg>", false),
        ("<svg><s:image/></svg>", false), ("<h:html><h:input/></h:html>", true),
        ("<svg><a style='fill:url(x)'/></svg>", true),
    ])
    func precheckFindsImageLocations(text: String, isPossible: Bool) {
        #expect(mayNameImages(Array(text.utf8), kind: .xml) == isPossible)
    }
}
