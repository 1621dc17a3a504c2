import DocumentSyntax
import Documents
import Testing

/// Tests attributes that name images, in HTML, in raw HTML in Markdown, and in JSX in MDX.
@Suite(.timeLimit(.minutes(10)))
struct ImageAttributeTests {
    @Test(
        arguments: [
            "<video poster=\"⟦a.png⟧\" src=\"a.mp4\"></video>",
            "<input type=image src=⟦a.png⟧ alt=x>", "<INPUT SRC='⟦a.png⟧' TYPE=' Image '>",
            "<object data=\"⟦a.png⟧\" type=\"image/png\"></object>",
            "<object type=image/svg+xml data='⟦a⟧'></object>",
            "<object data='⟦a.svg?v=2⟧'></object>",
            "<embed src=⟦a.png⟧>", "<embed src=⟦a⟧ type=image/gif>",
            "<table background=\"⟦a.png⟧\"><tr><td background='⟦b.png⟧'>x</table>",
            "<svg><image href=\"⟦a.png⟧\"/><image xlink:href='⟦b.png⟧'/></svg>",
            "<svg><image href=⟦a.png⟧ xlink:data-src=b.png xlink:style='fill:url(c.png)' /></svg>",
            "<svg><filter><feImage href=⟦a.png⟧ /></filter></svg>",
            "<svg><g style=\"fill:url(⟦#x⟧);mask:url('⟦a.png⟧')\"/></svg>",
            "<img data-src=\"⟦a.png⟧\" src=\"⟦data:image/gif;base64,R0lG⟧\">",
            "<img data-srcset='⟦a.png⟧ 1x, ⟦b.png⟧ 2x' data-original=⟦c.png⟧ data-lazy-src=⟦d.png⟧>",
            "<div data-bg=\"⟦a.png⟧\"></div><section data-background-image=\"url('⟦b.png⟧')\"></section>",
            "<picture><source data-srcset=\"⟦a.png⟧\" data-src=⟦b.png⟧><img src=⟦c.png⟧></picture>",
        ], [DocumentKind.html, .markdown, .mdx])
    func findsImagesInAttributes(text: String, kind: DocumentKind) {
        expectReferences(text, kind)
    }

    @Test(arguments: [
        "<link rel=icon href=\"⟦a.png⟧\">", "<link href='⟦a.png⟧' REL='shortcut ICON'>",
        "<link rel=apple-touch-icon sizes=180x180 href=⟦a.png⟧>",
        "<link rel=mask-icon color=red href=⟦a.svg⟧><link rel=image_src href=⟦b.png⟧>",
        "<link rel=preload as=image href=⟦a.png⟧ imagesrcset=\"⟦b.png⟧ 1x, ⟦c.png⟧ 2x\">",
        "<link rel=\"i&#99;on\" href=\"⟦a.png⟧\">",
        "<link itemprop=image href=⟦a⟧><link itemprop=\"name thumbnailUrl\" href='⟦b⟧'>",
        "<body background=\"⟦a.png⟧\">",
        "<head><style>a{b:url(⟦a.png⟧)}</style><noscript><style>c{d:url(⟦b.png⟧)}</style></noscript>",
    ])
    func findsImagesInAttributesOfPages(text: String) {
        expectReferences(text, .html)
    }

    @Test(
        arguments: [
            "<video src=a.mp4 data-src=b.mp4></video>", "<input type=text src=a.png>",
            "<input src=a.png>", "<object data=a.pdf></object>",
            "<object data=a.png type=text/html></object>",
            "<embed src=a.swf>", "<div background=a.png></div>", "<svg><use href=a.svg#b /></svg>",
            "<svg><g style=fill:none xlink:style='fill:url(a.png)' /></svg>",
            "<svg><a href=a.png></a></svg>", "<iframe data-src=a.html></iframe>",
            "<script data-src=a.js></script>", "<a href=a.png data-href=b.png>x</a>",
            "<p style='font:url'>x</p>", "<p data-src>x</p>", "<link rel=stylesheet href=a.png>",
            "<link rel=preload as=font href=a.png imagesrcset=b.png>",
            "<link rel=\"icons\" href=a.png>", "<link href=a.png>",
            "<meta property=og:image:alt content=a.png>", "<meta name=image-size content=3>",
            "<meta property=og:image:width content=300>", "<meta charset=utf-8>",
            "<video><source src=a.mp4 data-src=b.mp4></video>",
        ], [DocumentKind.html, .markdown])
    func ignoresOtherAttributes(text: String, kind: DocumentKind) {
        expectReferences(text, kind)
    }

    @Test(arguments: [
        ("<meta property=\"og:image\" content=\"⟦a.png⟧\">", "og:image"),
        ("<META CONTENT='⟦a.png⟧' PROPERTY='og:image:secure_url'>", "og:image:secure_url"),
        ("<meta name=twitter:image content=⟦a.png⟧>", "twitter:image"),
        ("<meta name=\"og:image\" content=\"⟦a.png⟧\">", "og:image"),
        ("<meta property=\"twitter:image:src\" content=\"⟦a.png⟧\">", "twitter:image:src"),
        ("<meta itemprop=image content=⟦a.png⟧>", "image"),
        (
            "<meta name=msapplication-TileImage content=⟦a.png⟧>", "msapplication-tileimage"
        ),
        ("<meta property='og:url og:image' content=⟦a.png⟧>", "og:image"),
        ("<meta name=thumbnail content=⟦a.png⟧>", "thumbnail"),
        ("<meta name=parsely-image-url content='⟦a⟧'>", "parsely-image-url"),
        ("<meta name=sailthru.image.full content='⟦a⟧'>", "sailthru.image.full"),
        ("<meta name=sailthru.image.thumb content='⟦a⟧'>", "sailthru.image.thumb"),
        ("<meta itemprop=thumbnailUrl content=\"⟦a.png⟧\">", "thumbnailurl"),
    ])
    func requiresAbsoluteURLsInMetaElements(text: String, name: String) throws {
        for kind in [DocumentKind.html, .markdown] {
            expectReferences(text, kind)
            let references = extract(Marked(text).bytes, kind: kind).references
            let reference = try #require(references.first)
            #expect(reference.form == .absolute)
            #expect(reference.kind == .htmlAttribute(element: "meta", attribute: name))
        }
    }

    @Test(arguments: [
        "<img srcset=\"https://h/{{ a }}.png 1x, ⟦b.png⟧ 2x, {{ c, d.png }} 3x, ⟦e.png⟧ 4x\">",
        "<img {% if x %}src=\"⟦a.png⟧\"{% endif %}>",
        "<svg><image {% if x %}xlink:href=\"⟦a.png⟧\"{% endif %}/></svg>",
        "<p style=\"background:\\75rl(⟦a.png⟧)\">", "<style>a{background:\\75rl(⟦a.png⟧)}</style>",
        "<p style=\"background:url&#40;⟦a.png⟧&#41;\">",
    ])
    func findsImagesNextToTemplatesAndEscapes(text: String) {
        expectReferences(text, .html)
    }

    @Test func findsImagesInConfiguredAttributes() {
        let text = "<img data-hi-res=a.png DATA-X-SRCSET='b.png 1x, c.png 2x' data-no=d.png>"
        let options = ExtractionOptions(lazyAttributes: ["data-hi-res", "Data-X-Srcset"])
        for kind in [DocumentKind.html, .markdown] {
            let bytes = Array(text.utf8)
            #expect(extract(bytes, kind: kind).references.isEmpty)
            let extraction = extract(bytes, kind: kind, options: options)
            #expect(extraction.references.map(\.url) == ["a.png", "b.png", "c.png"])
            let result = try? rewrite(
                bytes, extraction: extraction,
                replacements: extraction.references.map { Replacement(reference: $0, url: "n") })
            #expect(
                result.map { String(decoding: $0.bytes, as: UTF8.self) }
                    == "<img data-hi-res=n DATA-X-SRCSET='n 1x, n 2x' data-no=d.png>")
        }
    }

    @Test(
        arguments: [
            "<img src=\"{{ .Src }}\">", "<img src='https://h/{{page.image}}.png'>",
            "<img src=\"{% asset a.png %}\">", "<img src=\"<%= image %>\">",
            "<img src='<?php echo 1 ?>'>",
            "<img srcset=\"{{ a | b: 'x, c.png' }} 1x, {% if x, d.png %} 2x, {{e}}.png, f{{g\">",
            "<p style=\"background:url({{ a }})\">x</p>",
            "<p style=\"background:url('{{a}}.png')\">",
            "<img src={image} alt=x>", "<img src={`https://h/${id}.png`}>",
            "<video poster='{{< ref >}}'></video>", "<img src=\"${base}/a.png\">",
        ], [DocumentKind.html, .markdown, .mdx])
    func ignoresTemplates(text: String, kind: DocumentKind) {
        expectReferences(text, kind)
    }
}
