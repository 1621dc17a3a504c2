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
        ("<script/>", "an embedded SVG with a <script>"),
        ("<image href='http://x.test/'/>", "an embedded SVG with an outside reference"),
        ("<g onload='x'/>", "an embedded SVG with an event attribute"),
        ("<image href='data:image/svg+xml,%3Csvg/%3E'/>", "an embedded SVG with an embedded SVG"),
        ("<g>", "an embedded SVG with an end tag without its element"),
    ])
    func removesOtherPicture(body: String, what: String) throws {
        let inner = "<svg xmlns='http://www.w3.org/2000/svg'>\(body)</svg>"
        for address in [
            "data:image/svg+xml,\(Self.escaped(inner))",
            "data:image/svg+xml;base64,\(Self.base64(inner))",
        ] {
            let document = Self.document(address)
            let facts = try header(of: document)
            #expect(facts.objection?.hasPrefix("the SVG has \(what)") == true)
            #expect(facts.removals == "1 embedded SVG")
            let made = try variant(of: document, recipe(.svg)).bytes
            #expect(made == Array(SVGTexts.wrap("<image/>").utf8))
        }
    }

    /// A browser might read other bytes than the check.
    @Test(arguments: [
        "data:image/svg+xml;charset=utf-7,\(escaped(circle))",
        "data:image/svg+xml;base64,\(base64(circle))*",
        "data:image/svg+xml;base64;x=1,\(base64(circle))",
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
        #expect(try header(of: Array(large.utf8)).removals == "1 embedded SVG")
        let many = SVGTexts.wrap(String(repeating: picture(200 << 10), count: 7))
        #expect(try header(of: Array(many.utf8)).removals == "2 embedded SVGs")
    }
}
