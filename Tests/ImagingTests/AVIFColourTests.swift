import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// AVIF files whose samples libheif leaves as they are look as in Chromium, whose values these are.
@Suite(.timeLimit(.minutes(10)))
struct AVIFColourTests {
    private static let columns = [0, 16, 64, 128, 192, 240, 255]

    /// The pixels of the ramp in these columns.
    private func pixels(_ avif: [UInt8]) throws -> [[UInt8]] {
        let made = try variant(of: avif, recipe(.png))
        try #require(!made.answer.isSource)
        let all = try Pictures.pixels(of: made.bytes)
        return Self.columns.map { all[4 * 256 + $0] }
    }

    private func expect(_ made: [[UInt8]], _ expected: [[Int]], tolerance: Int = 2) {
        let isNear = zip(made, expected).allSatisfy { pixel, values in
            zip(pixel, values).allSatisfy { abs(Int($0) - $1) <= tolerance }
        }
        #expect(isNear && made.count == expected.count, "\(made)")
    }

    private func expectKept(_ avif: [UInt8]) throws {
        let made = try variant(of: avif, recipe(.webp, width: 100))
        #expect(made.answer.format == .avif && made.answer.width == 256)
        #expect(try header(of: avif).isKept == true)
    }

    @Test func greyOfFullRangeHasAllValues() throws {
        let avif = try Pictures.ramp(.grey, ["--yuv", "400", "--range", "full"])
        try expect(pixels(avif), Self.columns.map { [$0] })
    }

    @Test func alphaOfFullRangeHasAllValues() throws {
        let avif = try Pictures.ramp(.colourAlpha)
        try expect(pixels(avif).map { Array($0.suffix(1)) }, Self.columns.map { [$0] })
    }

    /// The bit for alpha is in the sequence header (AV1 Bitstream, section 5.5.2), before that of film
    /// grain.
    @Test func samplesOfAnotherFormAreKeptAndTold() throws {
        try expectKept(Pictures.ramp(.grey, ["--yuv", "400", "--range", "limited"]))
        try expectKept(Pictures.ramp(.colourAlpha, ["--premultiply"]))
        var avif = try Pictures.ramp(.colourAlpha)
        let head = try #require(avif.firstRange(of: [0x18, 0x1C, 0xBF, 0xFB, 0x0A, 0x80]))
        avif[head.lowerBound + 4] = 0x08
        try expectKept(avif)
    }

    @Test(
        arguments: [
            ("12/13/6", [[0, 255, 112], [0, 243, 114], [0, 194, 122], [127, 127, 127]]),
            ("1/6/6", [[0, 255, 129], [17, 239, 128], [64, 191, 128], [127, 127, 127]]),
        ] as [(String, [[Int]])])
    func appliesCodePoints(code: String, expected: [[Int]]) throws {
        let made = try pixels(Pictures.ramp(.colour, ["--cicp", code]))
        expect(Array(made.prefix(4)), expected, tolerance: 3)
    }

    @Test(
        arguments: [
            "9/16/9", "1/16/6", "1/18/6", "1/17/6", "9/13/9", "11/13/6", "5/13/6", "1/13/12",
            "1/4/6", "1/5/6", "1/8/6", "1/13/8",
            "1/13/7", "22/13/6", "6/6/6", "7/7/7", "1/7/6",
        ])
    func otherColoursAreKeptAndTold(code: String) throws {
        let avif = try Pictures.ramp(.colour, ["--yuv", "444", "--cicp", code])
        try expectKept(avif)
    }

    /// No browser shows it, so it is not kept.
    @Test(arguments: ["PeQ", "HLG"])
    func brightJPEGXLIsRefused(transfer: String) throws {
        let jxl = try Pictures.encoded(
            Pictures.scene(as: "png[strip]"), as: "png", to: "jxl", by: .jpegXLEncoder,
            ["INPUT", "OUTPUT", "-x", "color_space=RGB_D65_202_Rel_\(transfer)"])
        #expect(try jobError(of: jxl).code == .unsupported)
    }

    @Test func gainMapIsTold() throws {
        let jpeg = try Pictures.scene(as: "jpg[Q=95,strip]")
        let xmp = Array(
            "http://ns.adobe.com/xap/1.0/\0<x xmlns:h='http://ns.adobe.com/hdr-gain-map/1.0/'/>"
                .utf8
        )
        let name = Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0, 0, 0]
        for (mark, content) in [(0xE1, xmp), (0xE2, name)] as [(UInt8, [UInt8])] {
            let segment = [0xFF, mark, 0, UInt8(content.count + 2)] + content
            #expect(try header(of: jpeg[..<2] + segment + jpeg[2...]).hasGainMap == true)
        }
        #expect(try header(of: jpeg).hasGainMap == nil)
    }
}
