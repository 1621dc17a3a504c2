import FoundationEssentials
import ImageFormats
import Imaging
import Recipes
import SafeSVG
import TestSupport
import Testing

/// SVG pictures in `data:` URLs inside an SVG.
@Suite(.timeLimit(.minutes(10)))
struct EmbeddedSVGTests {
    private static let circle =
        "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='60'><circle r='9'/></svg>"

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    private static func document(_ address: String, in element: String = "image") -> [UInt8] {
        Array(SVGTexts.wrap("<\(element) href=\"\(address)\"/>").utf8)
    }

    @Test(arguments: [
        "data:image/svg+xml,\(escaped(circle))", "data:image/svg+xml;utf8,\(escaped(circle))",
        "data:image/svg+xml;base64,\(base64(circle))",
        "data:image/svg+xml;charset=UTF-8;base64,\(base64(circle + " "))",
        "DATA:image/SVG+xml;charset=utf-8,\(escaped(circle))#here",
        " data:image/svg+xml,\(circle.replacing("<", with: "&lt;"))",
        "data:image/svg+xml;base64,\(base64(circle).prefix(40))&#10;\(base64(circle).dropFirst(40))",
    ])
    func keepsSafePicture(address: String) throws {
        for element in ["image", "feImage"] {
            let document = Self.document(address, in: element)
            #expect(try header(of: document).objection == nil)
            let made = try variant(of: document, recipe(.svg)).bytes
            #expect(made.contains(Array("href=\"data:image/svg+xml;base64,".utf8)))
            #expect(SVGJudge.objection(toSVG: made) == nil)
        }
    }

    @Test(arguments: [
        ("<script/>", "a <script>", ""), ("<g onload='x'/>", "an event attribute", "<g/>"),
        ("<image href='http://x.test/'/>", "an outside reference", "<image/>"),
    ])
    func cleansOtherPicture(body: String, what: String, left: String) throws {
        let (inner, expected) = (Self.picture(body), Self.picture(left, quote: "\""))
        for address in [
            "data:image/svg+xml,\(Self.escaped(inner))",
            "data:image/svg+xml;base64,\(Self.base64(inner))",
        ] {
            let document = Self.document(address)
            let facts = try header(of: document)
            #expect(facts.objection?.hasPrefix("the SVG has an embedded SVG with \(what)") == true)
            #expect(facts.removals == "1 embedded SVG")
            let made = try variant(of: document, recipe(.svg)).bytes
            let clean = "data:image/svg+xml;base64,\(Self.base64(expected))"
            #expect(made == Array(SVGTexts.wrap("<image href=\"\(clean)\"/>").utf8))
        }
    }

    private static func picture(_ body: String, quote: String = "'") -> String {
        "<svg xmlns=\(quote)http://www.w3.org/2000/svg\(quote)>\(body)</svg>"
    }

    @Test(arguments: [
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x'>\(circle)", "<!-- a -->\(circle)",
        "<?xml version='1.0' encoding='us-ascii'?>\(circle)",
    ])
    func writesSafePictureAnew(picture: String) throws {
        let document = Self.document("data:image/svg+xml;base64,\(Self.base64(picture))#part")
        let facts = try header(of: document)
        #expect(facts.objection == nil && facts.removals == nil)
        let made = try variant(of: document, recipe(.svg)).bytes
        #expect(SVGJudge.objection(toSVG: made) == nil)
        #expect(made.contains(Array("href=\"data:image/svg+xml;base64,".utf8)))
        #expect(made.contains(Array("#part\"".utf8)))
    }

    /// Browsers show nothing for it.
    @Test func removesPictureWithFaults() throws {
        let document = Self.document("data:image/svg+xml,\(Self.escaped(Self.picture("<g>")))")
        #expect(try header(of: document).removals == "1 embedded SVG")
    }

    @Test func refusesPictureInsideAnother() throws {
        let inner = Self.picture("<image href='data:image/svg+xml,%3Csvg/%3E'/>")
        let document = Self.document("data:image/svg+xml,\(Self.escaped(inner))")
        #expect(try jobError(of: document).code == .unsafe)
    }

    /// A browser might read other bytes than the check.
    @Test(arguments: [
        "data:image/svg+xml;charset=utf-7,\(escaped(circle + "é"))",
        "data:image/svg+xml;base64,\(base64(circle))*",
        "data:image/svg+xml,&lt;svg fill='#000'/>", "data:image/svg+xml",
    ])
    func removesPictureInUnclearEncoding(address: String) throws {
        let facts = try header(of: Self.document(address))
        #expect(facts.removals == "1 embedded SVG")
    }

    /// Elements other than pictures take parts of the file into the document.
    @Test func keepsNoPictureOutsideOfImages() throws {
        let use = Self.document("data:image/svg+xml,\(Self.escaped(Self.circle))#a", in: "use")
        #expect(try header(of: use).removals == "1 embedded file")
    }

    @Test func limitsSize() throws {
        func picture(_ count: Int) -> String {
            let text = Self.circle + String(repeating: " ", count: count)
            return "<image href='data:image/svg+xml;base64,\(Self.base64(text))'/>"
        }
        let large = SVGTexts.wrap(picture(256 << 10))
        #expect(try jobError(of: Array(large.utf8)).code == .unsafe)
        let many = SVGTexts.wrap(String(repeating: picture(200 << 10), count: 7))
        #expect(try jobError(of: Array(many.utf8)).code == .unsafe)
    }
}
