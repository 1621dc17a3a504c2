import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct XHTMLTests {
    private func page(_ body: String, head: String = "") -> String {
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!DOCTYPE html>\r\n"
            + "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>\(head)</head>"
            + "<body>\(body)</body></html>\r\n"
    }

    @Test(arguments: [
        "<p><img src=\"⟦a.png⟧\" alt=\"é\"/></p>",
        "<picture><source srcset=\"⟦a.png⟧\" src=\"⟦b.png⟧\"/><img src=\"⟦c.png⟧\"/></picture>",
        "<video poster='⟦a.png⟧'><source src=\"a.mp4\"/></video>",
        "<table background=\"⟦a.png⟧\"><tr><td/></tr></table>",
        "<svg><image xlink:href=\"⟦a.png⟧\"/></svg>",
        "<noscript><img src=\"⟦a.png⟧\"/></noscript><textarea><img src=\"⟦b.png⟧\"/></textarea>",
        "<script>//<![CDATA[\n'<img src=\"a.png\"/>'\n//]]></script><img src=\"⟦a.png⟧\"/>",
        "<input type=\"image\" src=\"⟦a.png⟧\"/><input src=\"a.png\"/>",
    ])
    func findsImages(text: String) {
        expectReferences(page(text), .xml)
    }

    @Test(arguments: [
        "<link rel=\"icon\" href=\"⟦a.png⟧\"/>",
        "<meta property=\"og:image\" content=\"⟦a.png⟧\"/>",
        "<style>body{background:url(⟦a.png⟧)}</style>",
        "<script type=\"application/ld+json\">{\"a &amp; b\": 1, \"image\": \"⟦a.png⟧\"}</script>",
        "<script type=\"application/ld+json\"><![CDATA[{\"image\": \"⟦a.png⟧\"}]]></script>",
        "<title>&lt;img src=\"a.png\"/></title>",
    ])
    func findsImagesInTheHead(head: String) {
        expectReferences(page("", head: head), .xml)
    }

    @Test func returnsBaseURL() {
        let text = page(
            "<img src='a'/>", head: "<base target='x'/><base href=\"http://h/?a&amp;b\"/>")
        #expect(extract(Array(text.utf8), kind: .xml).baseHref == "http://h/?a&b")
    }

    @Test func appliesControlOfPictureToItsChildren() {
        let text = page(
            "<picture data-imgbake-max-width=\"9\"><source srcset='a'/><img src='b'/></picture>"
                + "<picture><img src='c'/></picture>")
        let extraction = extract(Array(text.utf8), kind: .xml)
        #expect(extraction.references.map(\.control) == [0, 0, nil])
        #expect(extraction.controls.first?.maximumWidth == "9")
    }

    @Test func usesSameURLFormsAsHTML() {
        let text = page(
            "<img src='a'/>",
            head: "<meta property='og:image' content='b'/><link rel='icon' href='c'/>"
        )
        let references = extract(Array(text.utf8), kind: .xml).references
        #expect(references.map(\.form) == [.absolute, .relative, .relative])
    }
}
