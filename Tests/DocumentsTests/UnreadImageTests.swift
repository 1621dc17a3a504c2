import DocumentSyntax
import Documents
import Testing

/// What no rule reads is named.
@Suite(.timeLimit(.minutes(10)))
struct UnreadImageTests {
    private func unread(_ text: String, _ kind: DocumentKind) -> [String] {
        let bytes = Array(text.utf8)
        let found = extract(bytes, kind: kind)
        #expect(mayNameImages(bytes, kind: kind) || found.unread.isEmpty)
        #expect(found.problems == [])
        return found.unread.map(\.url)
    }

    @Test(arguments: [
        "<p data-something=\"https://h/a.png\">", "<p data-something='//cdn.h/a.png 2x'>",
        "<img src=b.png onmouseover=\"this.src='https://h/a.png'\">",
        "<p data-settings='{&quot;a&quot;:&quot;https:\\/\\/h\\/a.png&quot;}'>",
        "<p data-settings='{\"a\":\"https:\\u002F\\u002Fh\\u002Fa.png\"}'>",
        "<p data-settings='https:&#x2F;&#x2F;h&#x2F;a.png'>",
        "<p><td background=https://h/a.png></td>",
        "<x-image picture=https://h/a.png></x-image>", "<iframe src=https://h/a.png></iframe>",
        "<svg><style><![CDATA[a { fill: url(https://h/a.png) }]]></style></svg>",
        "<svg><rect mask='url(https://h/a.svg#m)'/></svg>",
        "<script>a = {avatarUrl: 'https://h/a.png'}</script>",
        "<script>a = `https://h/a.png`</script>",
        "<script src='x' data-a='https://h/a.png'></script>",
        "<meta name=unknown content='https://h/a.png'>",
        "<p data-something=\"b.png, https://h/a.png, https://h/page\">",
        "<style>p { --a: \"https://h/a.png\" }</style>",
        "<p style=\"--a: 'https://h/a.png'\">", "<p style='--a: &quot;https://h/a.png&quot;'>",
        "<style>@property --a { initial-value: 'https://h/a.png' }</style>",
        "<style>@function --a() { result: 'https://h/a.png' }</style>",
        "<style>p { clip-path: url(https://h/a.svg#m) }</style>",
        "<p style=\"filter: url('https://h/a.svg#m')\">",
        "<style>@import url(\"data:text/css,p{background:url(https://h/a.png)}\")</style>",
        "<script>a = 'https:\\x2f\\x2fh\\x2fa.png'</script>",
    ])
    func placeInAPageThatIsNotReadIsNamed(text: String) {
        let found = unread(text, .html)
        #expect(found.count == 1, "\(found)")
        #expect(
            ["https://h/a.png", "//cdn.h/a.png", "https://h/a.svg#m"].contains(found.first ?? ""))
    }

    @Test(arguments: [
        "<script>a = {avatarUrl: 'https://h/a?w=8'}</script>",
        "<script type=application/json>{\"image\" : \"https:\\/\\/h\\/a\"}</script>",
        "<p data-a=\"{&quot;src&quot;:&quot;https://h/a&quot;}\">",
        "<script>a = \"{\\\"heroImage\\\":\\\"https://h/a\\\"}\"</script>",
    ])
    func imageIsKnownByTheNameOfItsMember(text: String) {
        #expect(unread(text, .html).count == 1)
        #expect(unread(text.replacing("/a", with: "/a.js"), .html) == [])
        #expect(unread(text.replacing(/avatarUrl|image|src|heroImage/, with: "link"), .html) == [])
    }

    @Test(arguments: [
        "<picture><source src=https://h/b.png data-x=https://h/a.png><img src=c.png></picture>",
        "<image src=https://h/b.png data-x=https://h/a.png>",
    ])
    func imageThatIsReadIsNotNamedBesideOneThatIsNot(text: String) {
        #expect(
            extract(Array(text.utf8), kind: .html).references.map(\.url).contains("https://h/b.png")
        )
        #expect(unread(text, .html) == ["https://h/a.png"])
    }

    @Test(arguments: ["p { --a: 'https://h/a.png' }", "p { clip-path: url(https://h/a.png) }"])
    func valueOfAStyleSheetThatIsUsedElsewhereIsNamed(text: String) {
        #expect(unread(text, .css) == ["https://h/a.png"])
        #expect(unread("p { content: 'https://h/a.png' } /* https://h/a.png */", .css) == [])
    }

    @Test func itemsOfAListAreNamedOneByOne() {
        let text = "<svg><animate values='https://h/a.png;https://h/b.png; https://h/c.png'/></svg>"
        #expect(unread(text, .html) == ["a", "b", "c"].map { "https://h/\($0).png" })
    }

    @Test(arguments: [
        ("<img src=https://h/a?b=1><script>'https:\\/\\/h\\/a?b=1'</script>", 1),
        ("<script>'//h.x/a?b=1'</script><img srcset='https://h.x/a?b=1 2x'>", 1),
        ("<img src=https://h/a><script>'https://h/a/b'</script>", 0),
        ("<a href=https://h/a>x</a><script>'https://h/a'</script>", 0),
        ("<img src=https://h/a data-imgbake=off><script>'https://h/a'</script>", 0),
        ("<img src=https://h/a><!-- imgbake-off --><script>'https://h/a'</script>", 0),
    ])
    func imageThatThePageLoadsIsKnownInItsScripts(text: String, count: Int) {
        let found = extract(Array(text.utf8), kind: .html).unread
        #expect(found.map(\.place) == Array(repeating: .script, count: count))
    }

    @Test(arguments: [
        ("Title: x\nImage: https://h/a.png\n\ntext", 1), ("Cover: https://h/a\n\ntext", 1),
        ("Title: x\nSource: https://h/a.png\n\ntext", 0), ("x\nImage: https://h/a.png\n", 0),
        ("Title: x\n\nImage: https://h/a.png\n", 0),
    ])
    func imageInTheFirstLinesOfPythonMarkdownIsNamed(text: String, count: Int) {
        #expect(unread(text, .markdown).count == count)
    }

    @Test func dataNamesImagesByUnquotedKeys() {
        let text = "image_url: https://h/a\nheader_image: https://h/b\nurl: https://h/c\n"
        let found = urls(inData: Array(text.utf8))
        #expect(found.images.map(\.url) == ["https://h/a"])
        #expect(found.others.map(\.url) == ["https://h/b", "https://h/c"])
    }

    @Test func attributesOfARepeatedBodyAreNamed() {
        let text = "<body><p>x</p><body background=https://h/a.png><img src=b.png>"
        #expect(unread(text, .html) == ["https://h/a.png"])
    }

    @Test(arguments: [
        "<a href=https://h/a.png>x</a>", "<p>https://h/a.png</p>", "<!-- https://h/a.png -->",
        "<img src=https://h/a.png>", "<p title='see https://h/a.png' aria-label=https://h/a.png>",
        "<meta name=description content='see https://h/a.png'>", "<pre>'https://h/a.png'</pre>",
        "<link rel=canonical href=https://h/a.png>", "<q cite=https://h/a.png>",
        "<img data-imgbake=off data-something=https://h/a.png src=b.png>",
        "<p data-share='https://h/share?image=https://h/a.png'>", "<p data-a=https://h/a.html>",
        "<!-- imgbake-off --><p data-a=https://h/a.png>", "<p data-a='/a.png' data-b='a//b/c.png'>",
        "<script type=application/ld+json>{\"image\": \"https://h/a.png\"}</script>",
        "<style>a { background: url(https://h/a.png) } /* https://h/b.png */</style>",
        "<style>a { content: 'https://h/a.png' } a[href='https://h/a.png'] {}</style>",
        "<style>@import 'https://h/a.css'; @font-face { src: url(https://h/a.svg) }</style>",
        "<p style='--a: url(https://h/a.png)'>",
        "<p data-a='https://h/_next/image?url=https%3A%2F%2Fh%2Fa.png'>",
    ])
    func whatNobodyLoadsOrIsReadIsNotNamed(text: String) {
        #expect(unread(text, .html) == [])
    }

    @Test(arguments: [
        "<p data-something='https://h/a.png'>", "text <x-y data-something=https://h/a.png>\n",
        "<script>a='https://h/a.png'</script>\n",
    ])
    func placeInMarkdownThatIsNotReadIsNamed(text: String) {
        #expect(unread(text, .markdown) == ["https://h/a.png"])
        #expect(unread("<!-- imgbake-off -->\n\n" + text, .markdown) == [])
        #expect(unread("    " + text, .markdown) == [])
    }

    @Test(arguments: [
        "https://h/a.png", "[x](https://h/a.png)", "`<p data-a='https://h/a.png'>`",
        "![](https://h/a.png)", "<https://h/a.png>",
    ])
    func textAndLinksOfMarkdownAreNotNamed(text: String) {
        #expect(unread(text, .markdown) == [])
    }

    @Test(arguments: [
        ("<webfeeds:icon>https://h/a.png</webfeeds:icon>", 1),
        ("<snf:logo><url>https://h/a.png</url></snf:logo>", 1),
        ("<podcast:images srcset=\"https://h/a.png 1x, https://h/b.png 2x\"/>", 2),
        ("<item><image>https://h/a.png</image></item>", 1),
        ("<item><x:text>&lt;img src=&quot;https://h/a.png&quot;&gt;</x:text></item>", 1),
        ("<item><link>https://h/a.png</link><guid>https://h/a.png</guid></item>", 0),
        ("<item><description>see https://h/a.png</description></item>", 0),
        ("<item><title>https://h/a.png</title></item>", 0),
        ("<item><enclosure url=\"https://h/a.png\" type=\"image/png\"/></item>", 0),
        ("<item><description>&lt;img src='https://h/a.png'></description></item>", 0),
        ("<item><description>&lt;p data-x='https://h/a.png'></description></item>", 1),
    ])
    func placeInAFeedThatIsNotReadIsNamed(text: String, count: Int) {
        let found = unread("<rss version='2.0'><channel>\(text)</channel></rss>", .xml)
        #expect(found.count == count, "\(found)")
    }

    @Test(arguments: [
        ("<browserconfig><logo src=\"https://h/a.png\"/></browserconfig>", DocumentKind.xml),
        ("{\"pages\": [\"https:\\/\\/h\\/a.png\"]}", .json),
        ("{\"name\": \"x\", \"icons\": [], \"other\": \"https://h/a.png\"}", .json),
    ])
    func dataThatIsNotReadIsNamed(text: String, kind: DocumentKind) {
        #expect(unread(text, kind) == ["https://h/a.png"])
    }

    /// An index for search has the text of pages, and a page may show code with a URL.
    @Test(arguments: [
        (#"{"text":"code ![a](https://h/a.png) and https://h/b.png, so"}"#, 0),
        (#"{"text":"<p>a <img src=\\"https://h/a.png\\"> b"}"#, 1),
        (#"{"text":"<p style=background:url(https://h/a.png)>"}"#, 1),
        (#"{"text":"<img src=https://h/a.png>"}"#, 1),
        (#"{"text":"\u003cimg src=\u0022https://h/a.png\u0022>"}"#, 1),
        (#"{"text":"&lt;img src=&quot;https://h/a.png&quot;>"}"#, 1),
    ])
    func urlAmidATextOfDataIsNotNamed(text: String, count: Int) {
        #expect(
            extract(Array(text.utf8), kind: .json).unread.count { !$0.isGuess } == count)
    }

    @Test func imagesOfManifestsAreNotNamed() {
        let text = """
            {"name": "https://h/a.png", "icons": [{"src": "https://h/b.png"}], "start_url": "/"}
            """
        #expect(unread(text, .json) == [])
    }

    @Test(arguments: [
        "<p data-bgset=\"⟦https://h/a.png⟧ 400w, ⟦https://h/b.png⟧ 800w\">",
        "<section data-background-image=\"⟦https://h/a.png⟧, ⟦https://h/b.png⟧\">",
        "<p data-setbg=⟦https://h/a.png⟧ data-url=https://h/page>",
        "<img src=⟦a.png⟧ nitro-lazy-src=⟦https://h/a⟧>",
        "<amp-img src=⟦https://h/a.png⟧ srcset='⟦https://h/b.png⟧ 2x'></amp-img>",
        "<model-viewer poster=⟦https://h/a.webp⟧ src=https://h/a.glb></model-viewer>",
        "<sl-avatar image=⟦https://h/a.png⟧></sl-avatar>",
        "<img data-src='⟦https://h/{%22a%22:1}.png⟧'>",
        "<img data-src='https://h/a_{width}x.png' src=⟦b.png⟧>",
        "<img data-src='⟦https://h/w_300,h_200/a.png⟧'>",
    ])
    func attributesAndElementsOfLazyLoadingAreRead(text: String) {
        expectReferences(text, .html)
    }

    @Test func placeholderInAURLIsATemplate() {
        let text = "<img data-src='https://h/a_{width}x.png'>"
        let found = extract(Array(text.utf8), kind: .html)
        #expect(found.references.isEmpty)
        #expect(found.unread.map(\.place) == [.template])
    }

    /// A browser loads such a URL as it is written.
    @Test func bracesInAURLThatNoScriptReadsAreNoTemplate() {
        let text = "<img src='https://h/{id}.png'>"
        let found = extract(Array(text.utf8), kind: .html)
        #expect(found.references.map(\.url) == ["https://h/{id}.png"])
        #expect(found.unread == [])
    }
}
