import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Damaged and truncated images are rejected.
@Suite(.timeLimit(.minutes(10)))
struct DamageTests {
    static let formats = ["jpg", "jpg[interlace]", "png", "png[interlace]", "gif", "webp", "avif"]

    @Test(arguments: formats, [0.02, 0.3, 0.6, 0.97])
    func refusesTruncatedImage(format: String, part: Double) throws {
        let whole = try Pictures.noise(width: 200, height: 150, as: format)
        let failure = try jobError(of: Pictures.cut(whole, to: part), recipe(.webp, width: 100))
        #expect(failure.code == .corrupt, "\(failure.reason)")
    }

    @Test(arguments: ["gif", "webp"])
    func refusesTruncatedAnimation(format: String) throws {
        let whole = try Pictures.animation(width: 160, height: 120, as: format)
        let failure = try jobError(of: Pictures.cut(whole, to: 0.8), recipe(.webp))
        #expect(failure.code == .corrupt)
    }

    @Test(arguments: ["png", "gif"])
    func refusesImageWithWrongChecksum(format: String) throws {
        let whole = try Pictures.noise(width: 200, height: 150, as: format)
        let failure = try jobError(of: Pictures.damaged(whole), recipe(.png))
        #expect(failure.code == .corrupt)
    }

    /// A marker within the pixels ends them early; libjpeg would only print a warning and fill the
    /// rest with grey.
    @Test func refusesJPEGWithMissingPixels() throws {
        var bytes = try Pictures.noise(width: 200, height: 150, as: "jpg")
        let middle = bytes.count / 2
        bytes.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
        #expect(try jobError(of: bytes, recipe(.webp)).code == .corrupt)
    }

    @Test(arguments: formats)
    func acceptsTrailingBytes(format: String) throws {
        let whole = try Pictures.scene(as: format)
        let made = try variant(of: whole + Array("and more".utf8), recipe(.png))
        #expect(made.answer.width == 320)
    }

    /// Some cameras and editors write such bytes.
    @Test func acceptsJPEGWithBytesBetweenSegments() throws {
        let whole = try Pictures.scene(as: "jpg[strip]")
        let first = 2 + 2 + Int(whole[4]) << 8 + Int(whole[5])
        let padded = whole[..<first] + [0, 0, 0] + whole[first...]
        #expect(try header(of: Array(padded)).width == 320)
        #expect(try variant(of: Array(padded), recipe(.webp)).answer.width == 320)
        #expect(try jobError(of: Pictures.cut(Array(padded)), recipe(.webp)).code == .corrupt)
    }

    @Test func acceptsGIFWithoutTrailer() throws {
        let whole = try Pictures.animation(as: "gif")
        #expect(whole.last == 0x3B)
        #expect(try header(of: Array(whole.dropLast())).frameCount == 3)
    }

    @Test func reasonIsOneClauseWithoutPath() throws {
        for format in Self.formats {
            let whole = try Pictures.noise(width: 200, height: 150, as: format)
            let reason = try jobError(of: Pictures.cut(whole), recipe(.webp)).reason
            #expect(!reason.contains("/"), "\(reason)")
            #expect(!reason.contains("\n"), "\(reason)")
            #expect(!reason.hasSuffix("."), "\(reason)")
            #expect(reason.contains("damaged") || reason.contains("cut short"), "\(reason)")
        }
    }

    @Test func refusesBareSignature() throws {
        let starts: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            Array("GIF89a".utf8), Array("RIFF\u{10}\0\0\0WEBPVP8 ".utf8),
            Array("\0\0\0\u{14}ftypavif\0\0\0\0avif".utf8),
        ]
        for start in starts {
            #expect(try jobError(of: start).code == .corrupt)
        }
    }

    @Test func continuesAfterDamagedImage() throws {
        let fixture = try ImageFixture()
        _ = try fixture.transform(Pictures.cut(Pictures.noise()), recipe(.webp))
        let answer = try fixture.transform(Pictures.scene(), recipe(.webp))
        #expect(answer.variant != nil)
    }
}
