import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// SVGs that hide unsafe parts, and the bytes that remain.
@Suite(.timeLimit(.minutes(10)))
struct SVGSanitiserTests {
    private func sanitised(_ text: String) throws -> String {
        String(decoding: try variant(of: Array(text.utf8), recipe(.svg)).bytes, as: UTF8.self)
    }

    @Test func countsRemovals() throws {
        let text = SVGTexts.wrap(
            """
            <script>1</script><script/><g onload='1' onclick='2'/><foreignObject/>
            <image href='//x.test/a'/><style>@import '//x.test/a';</style>
            """)
        #expect(
            try header(of: Array(("<!DOCTYPE svg SYSTEM 'x'>" + text).utf8)).removals
                == "2 scripts, 2 event attributes, 1 embedded element, 2 external references, "
                + "1 document type")
        #expect(try header(of: Array(SVGTexts.safe.utf8)).removals == nil)
    }

    /// Browsers join the pieces of a style sheet before they read it.
    @Test(arguments: [
        "<style>a{b:ur<!-- -->l(//x.test/a)}</style>",
        "<style>a{b:u<![CDATA[rl(//x.test]]>/a)}</style>",
        "<style><![CDATA[@im]]><![CDATA[port '//x.test';]]></style>",
        "<style>@imp<?pi?>ort '//x.test';</style>",
        "<style>a{b:url<g/>(//x.test/a)}</style>",
        "<style>a{b:ur<g>l(//x.test</g>)}</style>",
        "<style>a{b:ur<g><!-- --></g>l(//x.test/a)}</style>",
        "<style>a{b:src('//x.test/a')}</style>",
        "<rect style='fill:src(&quot;//x.test/a&quot;)'/>",
        "<style>@import&#32;'//x.test/a.css';</style>",
        "<style>&#64;import '//x.test/a.css';</style>",
        "<svg:style xmlns:svg='http://www.w3.org/2000/svg'>a{b:ur<!---->l(//x.test)}</svg:style>",
    ])
    func joinsPiecesOfStyleSheets(body: String) throws {
        let text = SVGTexts.wrap("<rect id='kept'/>\n\(body)\n<rect id='last'/>")
        #expect(try header(of: Array(text.utf8)).objection != nil)
        let clean = try sanitised(text)
        #expect(!clean.contains("x.test"), "\(clean)")
        #expect(clean.contains("<rect id=\"kept\"/>"))
        #expect(clean.contains("<rect id=\"last\"/>"))
    }

    @Test(arguments: [
        "<!DOCTYPE svg SYSTEM \"http://x.test/a.dtd\">",
        "<!DOCTYPE svg PUBLIC \"-//x//y\" \"http://x.test/a.dtd\">",
        "<!DOCTYPE svg [<!ENTITY % e SYSTEM \"http://x.test/e\"> %e;]>",
        "<!DOCTYPE svg [<!ENTITY e SYSTEM \"http://x.test/e\">]>",
        "<!DOCTYPE svg [<!-- ]> --><!ATTLIST rect onload CDATA \"x.test\">]>",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x' [<!ATTLIST a b CDATA 'x.test'>]>",
    ])
    func removesDocumentTypesThatLoadOrDeclare(type: String) throws {
        let text = "<?xml version='1.0'?>\n\(type)\n\(SVGTexts.safe)"
        #expect(try header(of: Array(text.utf8)).objection != nil)
        #expect(
            try sanitised(text) == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(SVGTexts.safe)")
    }

    /// Illustrator writes its namespaces in this way.
    @Test func expandsTextEntities() throws {
        let text = """
            <!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY name 'a "b"'>]>
            <svg xmlns="&ns;" width="12" height="8"><title id="&name;">&name;<![CDATA[&name;]]></title></svg>
            """
        let expected = """
            <svg xmlns="http://www.w3.org/2000/svg" width="12" height="8">\
            <title id="a &quot;b&quot;">a "b"&amp;name;</title></svg>
            """
        #expect(try sanitised(text) == expected)
    }

    /// Bodies that no browser shows.
    @Test(arguments: [
        "<g a='1' a='2'/>", "<g a=1/>", "<g a/>", "<g a='1'b='2'/>", "<g a='<'/>", "<g></h>", "<g>",
        "</g>", "<1/>", "<g \u{D7}='1'/>", "a]]>b", "&name;", "& ", "&#0;", "&#xFFFE;",
        "<g a='&b;'/>",
        "<!-- a -- b -->", "<!-- a --->", "<!--", "<![CDATA[a", "<?xml version='1.0'?>",
        "<?XML a?>",
        "<? a?>", "<?a", "<!DOCTYPE svg>", "<!ELEMENT g ANY>", "\u{7}", "\u{FFFF}",
        "<g xmlns:a='urn:a' xmlns:b='urn:a' a:c='' b:c=''/>",
    ])
    func refusesBodiesThatAreNotWellFormed(body: String) throws {
        #expect(try jobError(of: Array(SVGTexts.wrap(body).utf8)).code == .corrupt)
    }

    @Test(arguments: [
        "<!DOCTYPE svg><!DOCTYPE svg>", "<!DOCTYPE svg [<!ENTITY a 'b'>",
        "<g/>",
        "<!DOCTYPE svg [<!-- <!ENTITY name 'a'> -->]><!-- &name; --><?a &name;?>&name;", "</svg>",
    ])
    func refusesPrologsThatAreNotWellFormed(prolog: String) throws {
        let code = try jobError(of: Array((prolog + SVGTexts.safe).utf8)).code
        #expect(code == (prolog == "<g/>" ? .unsupported : .corrupt))
    }

    /// Parsers take such names, and skip such declarations.
    @Test(arguments: [
        ("<g \u{E9}='1' id='a'/>", "<g id=\"a\"/>"), ("<\u{E9}/>", ""), ("<a:b:c/>", ""),
        ("<g xmlns:a='' id='b'/>", "<g id=\"b\"/>"), ("<g xmlns:xml='urn:a'/>", "<g/>"),
        ("<g xmlns:xmlns='urn:a'/>", "<g/>"), ("<g a:b='c'/>", "<g/>"), ("<a:g/>", ""),
        ("<text><![CDATA[a\r\n]]></text>", "<text>a\n</text>"),
    ])
    func readsUnusualXML(body: String, left: String) throws {
        #expect(try sanitised(SVGTexts.wrap(body)) == SVGTexts.wrap(left))
    }

    @Test func refusesEntitiesThatMultiply() throws {
        let nested = "<!DOCTYPE svg [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]>\(SVGTexts.wrap("&b;"))"
        #expect(try jobError(of: Array(nested.utf8)).code == .unsafe)
        let long = String(repeating: "x", count: 1 << 16)
        let many = String(repeating: "&a;", count: 1000)
        let wide =
            "<!DOCTYPE svg [<!ENTITY a '\(long)'>]>\(SVGTexts.wrap("<title>\(many)</title>"))"
        #expect(try jobError(of: Array(wide.utf8)).code == .unsafe)
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", ""), ("<script\n href='x'/>", ""),
        ("<g onclick=\"x\" id='a'/>", "<g id=\"a\"/>"), ("<g  onload = 'x' />", "<g/>"),
        ("<foreignObject><b xmlns='http://www.w3.org/1999/xhtml'>x</b></foreignObject>", ""),
        ("<a href='https://h/' id=\"q\">t</a>", "<a id=\"q\">t</a>"),
        ("<style>@import url(//h/a.css); rect{fill:red}</style>", "<style> rect{fill:red}</style>"),
        ("<style>a{fill:url( \"//h/a\" ) red}</style>", "<style>a{fill:url(#) red}</style>"),
        ("<style><![CDATA[@IMPORT 'a;b';b{}]]></style>", "<style>b{}</style>"),
        (
            "<rect style='fill:url(//h/a) red;stroke:blue'/>",
            "<rect style=\"fill:url(#) red;stroke:blue\"/>"
        ),
        (
            "<rect style='fill:u\\72l(//h/a);stroke:blue'/>",
            "<rect style=\"fill:url(#);stroke:blue\"/>"
        ),
        ("<a><set attributeName='href' to='x'/><g/></a>", "<a><g/></a>"),
        ("<g><script><g/></script><g onload='x'/></g>", "<g><g/></g>"),
        ("<?xml-stylesheet href='x'?><?other ><script>?>", ""),
        ("<g title='a > b' onload='c > d'>x > y</g>", "<g title=\"a > b\">x &gt; y</g>"),
        ("<!--><script>a</script>--><script/><![CDATA[<script>]]>", "&lt;script&gt;"),
    ])
    func keepsOtherContent(body: String, left: String) throws {
        #expect(try sanitised(SVGTexts.wrap(body)) == SVGTexts.wrap(left))
    }

    @Test func removesScriptsInAnyEncoding() throws {
        let start = Array("<?xml version='1.0' encoding='ISO-8859-1'?>".utf8)
        let text = SVGTexts.wrap("<text>caf?</text><script/>").utf8.map { $0 == 0x3F ? 0xE9 : $0 }
        let made = try variant(of: start + text, recipe(.svg))
        #expect(made.bytes.contains(Array("café".utf8)))
        #expect(!made.bytes.contains(Array("script".utf8)))
    }

    @Test func drawsSVGWithoutSizeByViewBox() throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 16'/>"
        #expect(try variant(of: Array(text.utf8), recipe(.png)).answer.width == 24)
        let made = try variant(of: Array(text.utf8), recipe(.png, width: 240))
        #expect((made.answer.width, made.answer.height) == (240, 160))
        let huge = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 30000 30000'/>"
        #expect(try jobError(of: Array(huge.utf8), recipe(.png)).code == .tooManyPixels)
    }
}
