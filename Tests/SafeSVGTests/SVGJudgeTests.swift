import SafeSVG
import Testing

/// The decision on an SVG from its bytes alone.
@Suite(.timeLimit(.minutes(5)))
struct SVGJudgeTests {
    private func objection(_ body: String) -> String? {
        SVGJudge.objection(toSVG: Array(Self.wrap(body).utf8))
    }

    private static func wrap(_ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
        width="9" height="9">\(body)</svg>
        """
    }

    @Test(arguments: [
        "<rect/>", "<title>&amp;&#65;&#x41; é</title>",
        "<use href='#a' xlink:href=\"#a\"/>", "<image href='data:image/png;base64,AAAA'/>",
        "<style>a{fill:url(#a)} @media print{b{mask:url( '#b' )}}</style>",
        "<style>@font-face{src:url(data:font/woff2;base64,AAAA)}</style>",
        "<style>@namespace svg url(http://www.w3.org/2000/svg);</style>",
        "<g fill='url(#a) red' style='filter: url(\"#b\"); --x: var(--y)' class='a b'/>",
        "<animate attributeName='fill' values='url(#a);red'/><a href='#b'/><a href='#'/>",
        "<x:y xmlns:x='urn:x' x:z='url(http://x.test)'><x:w/></x:y>",
        "<rect font-family='A\\ B' aria-label='image(1) url(http://x.test)'/>",
    ])
    func accepts(body: String) { #expect(objection(body) == nil) }

    @Test(arguments: ["", "\u{FEFF}", "<?xml version='1.0'?>\n", "\n"])
    func acceptsPrologs(prolog: String) {
        #expect(SVGJudge.objection(toSVG: Array((prolog + Self.wrap("")).utf8)) == nil)
    }

    @Test(arguments: [
        "<!DOCTYPE svg>", "<!DOCTYPE svg SYSTEM 'x'>", "<?xml version='1.1'?>",
        "<?xml version='1.0' encoding='UTF-7'?>", "<?xml version='1.0' encoding='ISO-8859-1'?>",
        "<?xml version='1.0' x='y'?>", " <?xml version='1.0'?>", "x", "<a/>", "\u{FEFF}\u{FEFF}",
        "<?xml-stylesheet href='x'?>", "<!-- c -->",
        "<?xml version='1.0'\(String(repeating: " ", count: 1024))?>",
    ])
    func rejectsPrologs(prolog: String) {
        #expect(SVGJudge.objection(toSVG: Array((prolog + Self.wrap("")).utf8)) != nil)
    }

    @Test(arguments: [
        "<script/>", "<x:script xmlns:x='urn:x'/>", "<foreignObject/>", "<unknown/>",
        "<h:b xmlns:h='http://www.w3.org/1999/xhtml'/>", "<g onload=''/>", "<g xml:base='a'/>",
        "<x:a/>", "<g x:a=''/>", "&nbsp;", "<g a='&b;'/>", "&#0;", "&#xFFFE;", "]]>", "<g a='<'/>",
        "<g a='1' a='2'/>", "<g a='1'b='2'/>", "<g a=1/>", "<g a/>", "<g", "</g>", "<g></h>",
        "<!-- a -- b -->", "<!-- a -->", "<!--><script>a</script>-->", "<?a b?>", "<![CDATA[a]]>",
        "<desc><![CDATA[><script>a</script>]]></desc>", "<desc><?a ><script>a</script>?></desc>",
        "<!ELEMENT a>", "<g xmlns:a='urn:a' xmlns:b='urn:a' a:c='' b:c=''/>",
        "<g xmlns:xml='urn:a'/>", "<g xmlns:a=''/>", "<gé/>", "<g é='1'/>", "<a:b:c/>",
        "<image href='#a'/>", "<image href='x'/>", "<image href=' data:image/png;base64,AAAA'/>",
        "<image href='d ata:image/png,/../x'/>", "<image href='data:image/png;base64,AA AA'/>",
        "<image href='data:text/html,x'/>", "<use href='data:image/png;base64,AAAA'/>",
        "<use href=' #a'/>", "<a href=''/>", "<g fill='url(x)'/>", "<g fill='url(\"&apos;#x\")'/>",
        "<g cursor='url(#a)'/>", "<g style='background:url(#a)'/>", "<g style='@import \"x\"'/>",
        "<style>a{background:url(#a)}</style>", "<style>@font-face{src:url(#a)}</style>",
        "<style>@\\69\r\nmport 'x';</style>", "<style>a{b:\\75&#13;&#10;rl(x)}</style>",
        "<style>a{b:url(\u{301}x)}</style>", "<style>a{b:url(\u{200D}x)}</style>",
        "<style>a{b:src('x')}</style>", "<style>a{b:image-set('x' 1x)}</style>",
        "<style>a{b:\u{A0}url(x)}</style>", "<style><g/></style>", "<style>@unknown x;</style>",
        "<style>a{b:url('data:image/png,/../../x')}</style>", "<style>a{b:url(x</style>",
        "<style>a{b:url(x y)}</style>", "<style>a{--b:url(#a)}</style>",
        "<set attributeName='href' to='x'/>", "<set attributeName=' xlink:href'/>",
        "<animate attributeName='cursor' values='url(#a)'/>", "<animate values='url(x)'/>",
    ])
    func rejects(body: String) { #expect(objection(body) != nil) }

    @Test func rejectsOtherText() {
        let text = Array(Self.wrap("").utf8)
        #expect(SVGJudge.objection(toSVG: []) != nil)
        #expect(SVGJudge.objection(toSVG: text + [0]) != nil)
        #expect(SVGJudge.objection(toSVG: text + Array("<script/>".utf8)) != nil)
        #expect(SVGJudge.objection(toSVG: text + [0xFF]) != nil)
        #expect(SVGJudge.objection(toSVG: [0xFE, 0xFF] + text.flatMap { [0, $0] }) != nil)
        #expect(SVGJudge.objection(toSVG: Array("<html xmlns='urn:x'/>".utf8)) != nil)
        #expect(SVGJudge.objection(toSVG: Array("<svg xmlns='urn:x'/>".utf8)) != nil)
    }

    @Test func namesLine() {
        #expect(objection("\n\n<g>\n<script/></g>") == "a <script> (line 4)")
    }

    /// Ten elements that each draw the ones before ten times.
    private func bomb(_ levels: Int, _ step: (Int) -> String) -> String {
        (0...levels).map(step).joined()
    }

    @Test func boundsInstances() {
        let uses = { (level: Int) in
            let content =
                level == 0
                ? "<rect/>" : String(repeating: "<use href='#a\(level - 1)'/>", count: 10)
            return "<g id='a\(level)'>\(content)</g>"
        }
        #expect(objection(bomb(4, uses)) == nil)
        #expect(objection(bomb(8, uses)) != nil)
        let patterns = { (level: Int) in
            let content = String(repeating: "<rect fill='url(#a\(level - 1))'/>", count: 10)
            return "<pattern id='a\(level)'>\(content)</pattern>"
        }
        #expect(objection(bomb(8, patterns)) != nil)
        let classes = { (level: Int) in
            let content = String(repeating: "<rect class='c\(level - 1)'/>", count: 10)
            return "<style>.c\(level){mask:url(#a\(level))}</style>"
                + "<mask id='a\(level)'>\(content)</mask>"
        }
        #expect(objection(bomb(4, classes)) == nil)
        #expect(objection(bomb(8, classes)) != nil)
        let vertices = String(repeating: "L1 1", count: 50_000)
        let marker = "<marker id='m'>\(String(repeating: "<rect/>", count: 100))</marker>"
        #expect(objection("\(marker)<path d='M0 0\(vertices)'/>") == nil)
        #expect(objection("\(marker)<path marker-mid='url(#m)' d='M0 0\(vertices)'/>") != nil)
    }

    @Test(arguments: [
        "<g id='a'><use href='#a'/></g>", "<use id='a' href='#b'/><use id='b' href='#a'/>",
        "<mask id='a'><g mask='url(#b)'/></mask><mask id='b'><g mask='url(#a)'/></mask>",
        "<style>.c{clip-path:url(#a)}</style><clipPath id='a'><path class='c'/></clipPath>",
    ])
    func rejectsCircles(body: String) { #expect(objection(body) != nil) }

    /// Each was quadratic in an earlier version, and is now read or refused at once.
    @Test(arguments: [
        "<g \((0..<100_000).map { "a\($0)='' " }.joined())/>",
        "<style>\(String(repeating: "url(#", count: 100_000))</style>",
        "<style>\(String(repeating: "a{fill:url(#a)}", count: 20_000))</style>",
        "<style>\(String(repeating: "image(", count: 50_000))</style>",
        "<style>\(String(repeating: "@x{", count: 50_000))</style>",
        "<g style='\(String(repeating: "a:url(#b);", count: 20_000))'/>",
        String(repeating: "&#65", count: 50_000), String(repeating: "<![CDATA[", count: 30_000),
        "<linearGradient id='a0'/>"
            + (1...5_000).map { "<linearGradient id='a\($0)' href='#a\($0 - 1)'/>" }.joined(),
        String(repeating: "<g xmlns:a='\(String(repeating: "x", count: 150))' a:b=''>", count: 150)
            + String(repeating: "</g>", count: 150),
    ])
    func isLinear(body: String) { _ = objection(body) }
}
