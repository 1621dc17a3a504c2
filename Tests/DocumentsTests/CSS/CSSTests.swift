import DocumentSyntax
import Documents
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CSSTests {
    @Test(arguments: [
        "a{background:url(⟦a.png⟧)}",
        "a{background:url( ⟦a.png⟧\n)}b{background:URL(⟦b.png⟧)}",
        "a{background:url(\"⟦a.png⟧\") , url('⟦b.png⟧')}",
        "a{background:url( '⟦a(b) c.png⟧' )}",
        "@media (min-width:1px){a{background:url(⟦a.png⟧)}}",
        "a{background:image-set(\"⟦a.png⟧\" 1x, url(⟦b.png⟧) 2x, url(\"⟦c.png⟧\") 3x)}",
        "a{background:-webkit-image-set(url(⟦a.png⟧) 1x)}",
        "a{background:image-set(\"⟦a.png⟧\" type(\"image/png\"), '⟦b.png⟧' type('x'))}",
        "a{background:image-set(linear-gradient(red,blue) 1x, \"⟦a.png⟧\" 2x)}",
        "a{--x:url(⟦a.png⟧);cursor:url(⟦b.cur⟧),auto;mask:url(⟦m.svg#x⟧)}",
        "a{background:url(⟦data:image/png;base64,AA+/=⟧)}",
        "a{background:url(⟦a.png⟧",
        "a{background:url(\"⟦a.png⟧",
        "\u{FEFF}@charset \"utf-8\";a{background:url(⟦a.png⟧)}",
        "a{b:c}/**/url(⟦a.png⟧)/***/x/*/**/",
        "@font-face{src:url(f.woff)}a{b:url(⟦a.png⟧)}",
        "@font-face{src:url(f)}@media x{@font-face{src:url(f)}a{b:url(⟦a.png⟧)}}",
        "<!-- a{b:url(⟦a.png⟧)} -->",
        "a{b:url(⟦a.png⟧)}\r\nb{\r\n c:url(⟦b.png⟧)}\0",
        "@import \"x.css\";a{b:url(⟦a.png⟧)}",
        "a{filter:url(f.svg);b:url(⟦a.png⟧)}a{clip-path:url(c.svg)}",
    ])
    func findsImages(text: String) {
        expectReferences(text, .css)
    }

    @Test(arguments: [
        "/* url(a.png) */", "/* url(a.png)", "a{content:\"url(a.png)\"}",
        "a{content:'\\'url(a.png)'}",
        "a{content:\"\\\nurl(a.png)\"}",
        "@import url(a.css);@import url(\"a.css\") screen;@import 'a.css';",
        "@namespace url(http://www.w3.org/1999/xhtml);@namespace svg url(x);",
        "@font-face{font-family:x;src:url(a.woff2) format(\"woff2\"),url('b.woff')}",
        "a{background:url()}b{background:url(\"\")}",
        "a{b:url(a b.png)}c{b:url(a\"b)}d{b:url(a(b)}", "a{b:url(\"a\nb\")}",
        "a{b:1url(a.png);c:#url(a.png);d:my-url(a.png);e:@url(a.png)}",
        "a{behavior:url(x.htc);-moz-binding:url(x.xml)}", "a{b:url (a.png)}",
        "a{b:\"image-set('a')\"}",
    ])
    func ignoresOtherURLs(text: String) {
        expectReferences(text, .css)
    }

    @Test(arguments: [
        ("a{b:url(⟦a\\29.png⟧)}", "a).png"),
        ("a{b:url(⟦a\\ b.png⟧)}", "a b.png"),
        ("a{b:url(\"⟦a\\\"b\\\nc\\0000e9 d⟧\")}", "a\"bcéd"),
        ("a{b:u\\72l(⟦a.png⟧)}", "a.png"),
        ("a{b:\\55RL(⟦\\61\r\n.png⟧)}", "a.png"),
        ("a{b:url(⟦a\\0.png\\110000⟧)}", "a\u{FFFD}.png\u{FFFD}"),
        ("a{b:url(⟦a\0\\\0⟧)}", "a\u{FFFD}\u{FFFD}"),
        ("a{b:image-\\set('⟦\\a⟧')}", "\n"),
    ])
    func decodesEscapes(text: String, url: String) {
        expectReferences(text, .css, urls: [url])
    }

    /// Browsers cut the image at lengths in its pixels, or show it in its own size.
    @Test(arguments: [
        ("border-image: url(a) 30", true), ("BORDER-IMAGE-SOURCE:url(a)", true),
        ("-webkit-mask-box-image: url(a) 10", true), ("list-style: url(a)", true),
        ("content: 'x' url(a)", true), ("cursor: url(a) 2 2, auto", true),
        ("background: url(a)", false), ("border: 1px; background-image: url(a)", false),
    ])
    func fixesSizeWhereCSSDependsOnIt(declaration: String, isFixed: Bool) {
        let text = Array("a { \(declaration) } b { background: url(b) }".utf8)
        let references = extract(text, kind: .css).references
        #expect(references.map(\.fixed) == [isFixed ? .size : [], []])
    }

    @Test func escapesURLs() {
        let text = "a{a:url(a);b:url('a');c:url(\"a\");d:image-set('a' 1x)}"
        let names = ["a(1)'b c.png", "it's (1).png", "it's.png", "\\\".png"]
        #expect(
            replaceAll(text, .css, with: names)
                == "a{a:url(a\\(1\\)\\'b%20c.png);b:url('it\\'s%20(1).png');c:url(\"it's.png\");"
                + "d:image-set('%5C%22.png' 1x)}")
    }

    /// A URL in a custom property is resolved where the property is used.
    @Test(
        arguments: [
            (DocumentKind.css, ":root { --a: url(x); b: url(y) }", .absoluteIfKnown),
            (.html, "<style>:root { --a: url(x); b: url(y) }</style>", .absoluteIfKnown),
            (.html, "<p style='--a: url(x); b: url(y)'>", .absolute),
            (.markdown, "<p style='--a: url(x); b: url(y)'>", .absolute),
        ] as [(DocumentKind, String, Reference.Form)])
    func choosesFormOfURLsInCustomProperties(
        kind: DocumentKind, text: String, form: Reference.Form
    ) {
        let references = extract(Array(text.utf8), kind: kind).references
        #expect(references.map(\.form) == [form, .relative])
    }
}
