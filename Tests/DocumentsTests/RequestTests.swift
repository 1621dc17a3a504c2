import Testing

@testable import Documents

/// The URLs of other files than images, which are read if an option asks for them.
struct RequestTests {
    private func requests(
        _ text: String, _ kind: DocumentKind = .html
    ) -> [String] {
        var options = ExtractionOptions()
        options.readsRequests = true
        return extract(Array(text.utf8), kind: kind, options: options).requests.map {
            "\($0.role.rawValue) \($0.url)"
        }
    }

    @Test(arguments: [
        ("<link rel=stylesheet href=//h/a.css>", "style //h/a.css"),
        ("<link rel='alternate stylesheet' title=x href=a.css disabled>", "style a.css"),
        ("<link rel=preload as=style href=a.css>", "style a.css"),
        ("<link rel=preload as=font href=a.woff2 crossorigin>", "font a.woff2"),
        ("<link rel=preload as=fetch href=a.json>", "other a.json"),
        ("<link rel=prefetch href=next.html>", "other next.html"),
        ("<link rel=modulepreload href=a.mjs>", "script a.mjs"),
        ("<link rel=manifest href=a.json>", "other a.json"),
        ("<link rel=preconnect href=https://h>", "preconnect https://h"),
        ("<link rel=dns-prefetch href=//h>", "preconnect //h"),
        ("<script src=a.js></script>", "script a.js"),
        ("<script type=module src=a.js></script>", "script a.js"),
        ("<svg><script href=a.js></script></svg>", "script a.js"),
        ("<video src=a.mp4></video>", "media a.mp4"),
        ("<video><source src=a.mp4><track src=a.vtt></video>", "media a.mp4|media a.vtt"),
        ("<audio src=a.mp3></audio>", "media a.mp3"),
        ("<iframe src=a.html></iframe>", "frame a.html"),
        ("<frameset><frame src=a.html></frameset>", "frame a.html"),
        ("<embed src=a.pdf>", "frame a.pdf"),
        ("<object data=a.pdf type=application/pdf></object>", "frame a.pdf"),
        ("<a href=b ping=//h/p>", "beacon //h/p"),
        ("<style>@import 'a.css';</style>", "style a.css"),
        ("<style>@import url(a.css) screen;</style>", "style a.css"),
        (
            "<style>@font-face{src:local('x'),url(a.woff2)format('woff2'),url('a.ttf')}</style>",
            "font a.woff2|font a.ttf"
        ),
        ("<iframe srcdoc=\"<script src='a.js'></script>\"></iframe>", "script a.js"),
    ])
    func requestHasItsKind(html: String, expected: String) {
        #expect(requests(html).joined(separator: "|") == expected)
        let images = extract(Array(html.utf8), kind: .html)
        #expect(images.requests.isEmpty)
        #expect(images.references.isEmpty)
    }

    @Test(arguments: [
        "<link rel=canonical href=//h/>", "<link rel=alternate href=//h/feed>",
        "<script type='text/template' src=a.js></script>", "<a href=//h/></a>",
        "<form action=//h/></form>", "<style>@namespace url(a);b{behavior:url(c)}</style>",
    ])
    func linkIsNoRequest(html: String) { #expect(requests(html) == []) }

    @Test func imagesAreReferencesAndNoRequests() {
        let html = """
            <link rel=icon href=a.png><link rel=preload as=image href=b.png><img src=c.png>
            <picture><source srcset=d.png><img src=e.png></picture><embed src=f.png>
            <object data=g.svg></object><style>i{background:url(h.png)}</style>
            """
        var options = ExtractionOptions()
        let plain = extract(Array(html.utf8), kind: .html, options: options)
        options.readsRequests = true
        let all = extract(Array(html.utf8), kind: .html, options: options)
        #expect(all.references.map(\.url) == plain.references.map(\.url))
        #expect(all.references.count == 8)
        #expect(all.requests.isEmpty)
    }

    @Test func requestsOfStyleSheetsAndMarkdownAreRead() {
        let css = "@import \"a.css\" layer(x);@font-face{src:url(b.woff2)}c{background:url(d.png)}"
        #expect(requests(css, .css) == ["style a.css", "font b.woff2"])
        let markdown = "text\n\n<iframe src=//h/v></iframe>\n\nmore <script src=a.js></script>\n"
        #expect(requests(markdown, .markdown) == ["frame //h/v", "script a.js"])
        let svg = "<svg xmlns='http://www.w3.org/2000/svg'><style>@import url(a.css);</style></svg>"
        #expect(requests(svg, .xml) == ["style a.css"])
    }

    @Test func requestIsNotReadWhereACommentTurnsImgbakeOff() {
        let html =
            "<!-- imgbake-off --><script src=a.js></script><!-- imgbake-on --><script src=b.js>"
        #expect(requests(html) == ["script b.js"])
    }
}
