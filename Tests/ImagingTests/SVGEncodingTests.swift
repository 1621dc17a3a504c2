import ImageFormats
import Imaging
import Recipes
import SafeSVG
import TestSupport
import Testing

/// SVGs in other encodings, and values in other forms than the published one.
@Suite(.timeLimit(.minutes(10)))
struct SVGEncodingTests {
    private func published(_ bytes: [UInt8]) throws -> String {
        let made = try variant(of: bytes, recipe(.svg)).bytes
        #expect(SVGJudge.objection(toSVG: made) == nil)
        return String(decoding: made, as: UTF8.self)
    }

    private func document(_ encoding: String, _ text: [UInt8], space: Int = 1) -> [UInt8] {
        let space = String(repeating: " ", count: space)
        return Array("<?xml version=\"1.0\"\(space)encoding=\"\(encoding)\"?>".utf8)
            + Array(SVGTexts.wrap("<title>").dropLast("\n</svg>".count).utf8) + text
            + Array("</title></svg>".utf8)
    }

    @Test(arguments: [
        ("ISO-8859-1", [0x80, 0xE9] as [UInt8], "€é"), ("windows-1252", [0x93], "“"),
        ("us-ascii", [0xFC], "ü"), ("ISO-8859-15", [0xA4], "€"), ("utf-8", [0xC3, 0xA9], "é"),
        ("Shift_JIS", [0x41], "A"), ("windows-1251", [0x41], "A"),
    ])
    func convertsToUTF8(encoding: String, bytes: [UInt8], text: String) throws {
        let made = try published(document(encoding, bytes))
        #expect(made.contains("<title>\(text)</title>"))
        #expect(!made.contains("encoding") || made.lowercased().contains("encoding=\"utf-8\""))
    }

    @Test(arguments: [
        ("UTF-7", [0x41] as [UInt8], 1), ("UTF-7", [0x41], 1024), ("UTF-16", [0x41], 1),
        ("ISO-2022-JP", [0x41], 1), ("HZ-GB-2312", [0x41], 1), ("UTF-32", [0x41], 1),
        ("windows-1251", [0xE9], 1), ("Shift_JIS", [0x83, 0x41], 1), ("EBCDIC-US", [0x41], 1),
    ])
    func refusesUncertainEncoding(encoding: String, bytes: [UInt8], space: Int) throws {
        #expect(try jobError(of: document(encoding, bytes, space: space)).code == .unsafe)
    }

    @Test(arguments: [
        ("<image href=' data:image/PNG;base64,AA AA'/>", "href=\"data:image/png;base64,AAAA\""),
        ("<image href='data:image/png,%00%00%00'/>", "href=\"data:image/png;base64,AAAA\""),
        ("<image href='data:img/png;base64,iVBORw0K'/>", "\"data:image/png;base64,iVBORw0K\""),
        ("<image href='data:;base64,/9j/4AAQ'/>", "\"data:image/jpeg;base64,/9j/4AAQ\""),
        ("<image href='data:image/*;base64,R0lGODlh'/>", "\"data:image/gif;base64,R0lGODlh\""),
        ("<image href='data:application/octet-stream;x=y;base64,iVBORw0K'/>", "\"data:image/png;"),
        (
            "<image href='data:image/png;charset=utf-8;base64,iVBORw0K'/>",
            "\"data:image/png;base64,"
        ),
        (
            "<image href='DATA:IMAGE/PNG ; base64,iVBOR&#10;w0K'/>",
            "\"data:image/png;base64,iVBORw0K"
        ),
        (
            "<style>@font-face{src:url(data:font/woff;charset=utf-8;base64,AAAA)}</style>",
            "url(data:font/woff;base64,AAAA)"
        ),
        (
            "<style>@font-face{src:url(data:;base64,d09GMg==)}</style>",
            "url(data:font/woff2;base64,"
        ),
        ("<use href=' #a'/>", "href=\"#a\""),
        ("<style>a{fill:url( \"#a\" )}</style>", "fill:url( \"#a\" )"),
        ("<style>@font-face{src:url('data:font/woff;base64,A A\nAA')}</style>", "base64,AAAA"),
        ("<style>a{background:url(x)}</style>", "background:url(data:,)"),
    ])
    func writesURLsInCanonicalForm(body: String, expected: String) throws {
        let body = body.replacing("A A\nAA", with: "A AAA")
        for other in ["<script/>", ""] {
            let made = try published(Array(SVGTexts.wrap(other + body).utf8))
            #expect(made.contains(expected), "\(made)")
        }
    }

    @Test func keepsNoDocumentType() throws {
        let type =
            "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/svg11.dtd\">"
        let facts = try header(of: Array((type + SVGTexts.safe).utf8))
        #expect(facts.objection == nil && facts.removals == nil)
        #expect(try published(Array((type + SVGTexts.safe).utf8)) == SVGTexts.safe)
    }

    @Test(arguments: [100_000, 251])
    func refusesTooManyAttributes(count: Int) throws {
        let attributes = (0..<count).map { "a\($0)=''" }.joined(separator: " ")
        #expect(try jobError(of: Array(SVGTexts.wrap("<g \(attributes)/>").utf8)).code == .unsafe)
    }

    @Test func refusesTooManyInstances() throws {
        let levels = (0..<8).map { level in
            "<g id='a\(level + 1)'>"
                + String(repeating: "<use href='#a\(level)'/>", count: 10) + "</g>"
        }
        let bomb = SVGTexts.wrap("<rect id='a0'/>" + levels.joined())
        #expect(try jobError(of: Array(bomb.utf8)).code == .unsafe)
    }
}
