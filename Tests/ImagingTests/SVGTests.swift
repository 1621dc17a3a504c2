import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SVGTests {
    @Test func keepsSafeSVG() throws {
        let header = try header(of: Array(SVGTexts.safe.utf8))
        #expect(header.format == .svg)
        #expect(header.width == 120)
        #expect(header.height == 80)
        #expect(header.hasAlpha)
    }

    @Test(arguments: SVGTexts.unsafe)
    func findsAndRemovesUnsafeContent(name: String, text: String) throws {
        #expect(try header(of: Array(text.utf8)).objection != nil)
        let made = try variant(of: Array(text.utf8), recipe(.svg))
        #expect(made.answer == .init(format: .svg, width: 120, height: 80, isSource: false))
        let header = try header(of: made.bytes)
        #expect(header.objection == nil)
        #expect(header.width == 120)
        #expect(try variant(of: Array(text.utf8), recipe(.png)).answer.width == 120)
    }

    @Test(arguments: [
        ("<SCRIPT>x</SCRIPT>", "a <script> (line 2)"),
        ("<g>\n<script>x</script></g>", "a <script> (line 3)"),
        ("<x:script xmlns:x='http://www.w3.org/2000/svg'>x</x:script>", "a <script>"),
        ("<rect ONCLICK='x'/>", "an event attribute ONCLICK of <rect>"),
        ("<rect xlink:onclick='x'/>", "an event attribute xlink:onclick of <rect>"),
        ("<h:img xmlns:h='http://www.w3.org/1999/xhtml'/>", "HTML, a <img>"),
        ("<use href=' //x/y.svg#a'/>", "an outside reference in attribute href of <use>"),
        ("<use href='other.svg'/>", "an outside reference"),
        ("<a xlink:href='JaVa\tscript:x'/>", "an outside reference in attribute xlink:href of <a>"),
        ("<a xlink:href='&#106;avascript:x'/>", "a script in attribute xlink:href of <a>"),
        ("<image href='data:image/svg+xml;base64,AA'/>", "an embedded SVG with"),
        ("<use href='data:image/svg+xml;base64,AA'/>", "embedded data in attribute href of <use>"),
        ("<use href='data:text/html,x'/>", "embedded data of type text/html"),
        ("<rect fill='url( \"http://x/\" )'/>", "an outside reference by url() in attribute fill"),
        ("<rect style='fill:u\\72 l(//x)'/>", "an outside reference by url() in attribute style"),
        ("<rect style='fill:UR\\4c(//x)'/>", "an outside reference by url()"),
        ("<style>a{}</style><style><![CDATA[a{b:url(x.png)}]]></style>", "an outside reference"),
        ("<style>a{content:\"/*\";b:url(x.png);content:\"*/\"}</style>", "an outside reference"),
        ("<style>@IMPORT \"x.css\";</style>", "an @import in <style>"),
        ("<style>@im\\port 'x';</style>", "an @import in <style>"),
        ("<style>a{b:image-set('x.png' 1x)}</style>", "an image-set() in <style>"),
        ("<set attributeName='xlink:href' to='x'/>", "an animation of href"),
        ("<animate attributeName=' onload' to='x'/>", "an animation of onload"),
        ("<animate attributeName='fill' values='url(//x);red'/>", "an outside reference by url()"),
        ("<g xml:base='http://x/'/>", "a base address"),
        ("<iframe src='x'/>", "a <iframe>"),
        ("<link rel='stylesheet' href='x'/>", "a <link>"),
        ("<?XML-stylesheet href='x'?>", "an xml-stylesheet"),
    ])
    func namesUnsafeContent(body: String, what: String) throws {
        let text = Array(SVGTexts.wrap(body).utf8)
        let objection = try #require(try header(of: text).objection)
        #expect(objection.hasPrefix("the SVG has \(what)"), "\(objection)")
        #expect(try header(of: variant(of: text, recipe(.svg)).bytes).objection == nil)
    }

    @Test(arguments: [
        "<image href='data:image/png;base64,iVBORw0KGgo='/>",
        "<style>@font-face { src: url(data:font/woff2;base64,AAAA) }</style>",
        "<rect fill='url(#a)' style='filter: url(\"#b\")'/>",
        "<use href='#a'/><use xlink:href='#b'/><use href=''/>",
        "<animate attributeName='fill' values='red;blue' dur='1s'/>",
        "<metadata xmlns:r='urn:r'><r:li r:resource='http://x/'/></metadata>",
        "<text>a script says onload=\"x\" and url(http://x)</text>",
        "<?xpacket begin='x'?><!-- <script> -->",
        "<title>Option</title><desc>href=http://x</desc>",
    ])
    func acceptsHarmlessContent(body: String) throws {
        let header = try header(of: Array(SVGTexts.wrap(body).utf8))
        #expect(header.width == 120)
        #expect(header.objection == nil)
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n",
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/svg11.dtd\">\n",
        "\u{FEFF}", "\n\t ", "<!-- \(String(repeating: "long ", count: 800)) -->",
    ])
    func acceptsAnyProlog(prolog: String) throws {
        #expect(try header(of: Array((prolog + SVGTexts.safe).utf8)).height == 80)
    }

    @Test func findsAttributeDeclarationsAndOtherEncodings() throws {
        let list = "<!DOCTYPE svg [\n<!ATTLIST svg onload CDATA 'x'>]>"
        let objection = try header(of: Array((list + SVGTexts.safe).utf8)).objection
        #expect(objection == "the SVG has an attribute declaration (line 2)")
        let coded = "<?xml version='1.0' encoding='UTF-7'?>"
        #expect(try jobError(of: Array((coded + SVGTexts.safe).utf8)).code == .unsafe)
        #expect(try jobError(of: Array(SVGTexts.safe.utf8) + [0]).code == .corrupt)
    }

    @Test func readsSupersetsOfASCII() throws {
        let start = "<?xml version='1.0' encoding='ISO-8859-1'?>"
        let text = SVGTexts.wrap("<text>caf?</text>").utf8.map { $0 == 0x3F ? 0xE9 : $0 }
        #expect(try header(of: Array(start.utf8) + text).width == 120)
        #expect(try jobError(of: text).code == .corrupt)
    }

    @Test func acceptsInstructionWithoutData() throws {
        #expect(try header(of: Array(SVGTexts.wrap("<?x?>").utf8)).width == 120)
    }

    @Test func refusesTooManyElements() throws {
        let many = SVGTexts.wrap(String(repeating: "<g/>", count: 200_001))
        #expect(try jobError(of: Array(many.utf8)).code == .unsafe)
    }

    @Test(arguments: ["width='0' height='0'", "width='-5' height='5'"])
    func refusesSVGWithoutSize(size: String) throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg' \(size)/>"
        let failure = try jobError(of: Array(text.utf8))
        #expect(failure.code == .corrupt)
        #expect(failure.reason.hasPrefix("the SVG cannot be measured"))
    }

    @Test(arguments: [
        ("width='120' height='80px'", 120, 80), ("width='2in' height='1in'", 192, 96),
        ("width='460.8pt' height='345.6pt'", 614, 461), ("width='210mm' height='10cm'", 794, 378),
        ("viewBox='0 0 24 16'", 0, 0), ("width='48' viewBox='0 0 24 16'", 48, 32),
        ("height='32' viewBox='0,0,24,16'", 48, 32),
        ("width='100%' viewBox='0 0 300 100'", 0, 0), ("width='10em' height='5rem'", 160, 80),
        ("font-size='10' width='10em' height='100Q'", 100, 94),
        ("width='10ex' viewBox='0 0 2 1'", 80, 40),
        ("width='200' height='50%' viewBox='0 0 10 20'", 200, 400), ("width='200'", 0, 0),
    ])
    func measuresLikeBrowser(size: String, width: Int, height: Int) throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg' \(size)/>"
        let header = try header(of: Array(text.utf8))
        #expect(header.width == width)
        #expect(header.height == height)
    }

    @Test func refusesDeepNesting() throws {
        let deep = String(repeating: "<g>", count: 5000) + String(repeating: "</g>", count: 5000)
        #expect(try jobError(of: Array(SVGTexts.wrap(deep).utf8)).code == .unsafe)
        let less = deepNest(of: 210)
        #expect(try jobError(of: Array(less.utf8)).code == .unsafe)
        #expect(try header(of: Array(deepNest(of: 150).utf8)).width == 120)
    }

    /// Nested elements, each on its own line.
    private func deepNest(of count: Int) -> String {
        let opening = String(repeating: "<g>\(String(repeating: " ", count: 60))\n", count: count)
        return SVGTexts.wrap(opening + String(repeating: "</g>\n", count: count))
    }

    @Test func refusesLongDocument() throws {
        let long = SVGTexts.wrap(String(repeating: "<g id='padding'/>", count: 1 << 20))
        #expect(try jobError(of: Array(long.utf8)).code == .unsafe)
    }

    @Test(arguments: ["<svg", "<svg xmlns='http://www.w3.org/2000/svg'><g></svg>", "<svg/><svg/>"])
    func refusesMalformedXML(text: String) throws {
        let failure = try jobError(of: Array(text.utf8))
        #expect(failure.code == .corrupt, "\(failure.reason)")
        #expect(failure.reason.contains("well-formed"))
    }

    @Test func keepsBytesOfSource() throws {
        let made = try variant(of: Array(SVGTexts.safe.utf8), recipe(.svg))
        #expect(made.answer.isSource)
        #expect(made.answer.width == 120)
    }

    @Test(arguments: [
        ("width='2in' height='1in'", 192, 96), ("width='10em' height='50'", 160, 50),
        ("width='10em' height='5em' viewBox='0 0 50 20'", 160, 80), ("", 300, 150),
        ("width='100%' height='100%'", 300, 150), ("width='200'", 200, 150),
        ("height='200px'", 300, 200), ("viewBox='0 0 24 16'", 24, 16),
    ])
    func drawsAtSizeOfBrowser(size: String, width: Int, height: Int) throws {
        let text = """
            <svg xmlns='http://www.w3.org/2000/svg' \(size)><rect width='9' height='9'/></svg>
            """
        let made = try variant(of: Array(text.utf8), recipe(.png))
        #expect((made.answer.width, made.answer.height) == (width, height))
        let facts = try PictureFacts(of: made.bytes)
        #expect((facts.width, facts.height) == (width, height))
    }

    @Test(arguments: [(1600, 300), (100, 100)])
    func drawsNoLargerThanBrowserWithoutSize(width: Int, expected: Int) throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg'><rect width='9' height='9'/></svg>"
        let made = try variant(of: Array(text.utf8), recipe(.png, width: width))
        #expect((made.answer.width, made.answer.height) == (expected, expected / 2))
    }

    /// librsvg would show the drawn area alone.
    @Test func drawsFromOriginWithoutSize() throws {
        let text = """
            <svg xmlns='http://www.w3.org/2000/svg'><rect x='9' y='9' width='9' height='9'/></svg>
            """
        let pixels = try Pictures.pixels(of: variant(of: Array(text.utf8), recipe(.png)).bytes)
        try #require(pixels.count == 300 * 150)
        #expect(pixels[8 * 300 + 8].last == 0)
        #expect(pixels[9 * 300 + 9].last == 255)
    }

    /// Chromium shows them by their byte order mark.
    @Test(arguments: [true, false], ["", "<?xml version='1.0' encoding='UTF-16'?>\n"])
    func readsUTF16(isBigEndian: Bool, start: String) throws {
        func coded(_ text: String) -> [UInt8] {
            ("\u{FEFF}" + start + text).utf16.flatMap { unit in
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isBigEndian ? pair : pair.reversed()
            }
        }
        let safe = coded(SVGTexts.safe)
        let facts = try header(of: safe)
        #expect(facts.format == .svg && facts.width == 120 && facts.objection == nil)
        #expect(try variant(of: safe, recipe(.png)).answer.width == 120)
        let unsafe = coded(SVGTexts.wrap("<script/><title>é 🦊</title>"))
        #expect(try header(of: unsafe).objection?.hasPrefix("the SVG has a <script>") == true)
        let made = try variant(of: unsafe, recipe(.svg)).bytes
        #expect(String(decoding: made, as: UTF8.self).hasSuffix("<title>é 🦊</title>\n</svg>"))
        #expect(!made.contains(Array("script".utf8)))
    }

    @Test(arguments: [(nil, 120), (60, 60), (500, 120)])
    func drawsIfRequested(width: Int?, expected: Int) throws {
        let made = try variant(of: Array(SVGTexts.safe.utf8), recipe(.png, width: width))
        let facts = try PictureFacts(of: made.bytes)
        #expect(facts.width == expected)
        #expect(facts.height == expected * 2 / 3)
        #expect(facts.loader == "pngload")
        #expect(facts.bands == 4)
    }
}
