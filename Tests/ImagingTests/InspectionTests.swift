import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InspectionTests {
    @Test(arguments: [
        ("jpg", ImageFormat.jpeg), ("png", .png), ("gif", .gif), ("webp", .webp), ("avif", .avif),
    ])
    func readsFormatAndSize(encoding: String, format: ImageFormat) throws {
        let header = try header(of: Pictures.scene(width: 150, height: 100, as: encoding))
        #expect(header.format == format)
        #expect(header.width == 150)
        #expect(header.height == 100)
        #expect(header.frameCount == 1)
        #expect(!header.isAnimated)
        #expect(!header.isReoriented)
        #expect(header.isStandardColour)
    }

    @Test(arguments: 1...8)
    func appliesOrientationToSize(orientation: Int) throws {
        let header = try header(of: Pictures.oriented(orientation, width: 120, height: 80))
        #expect(header.width == 120)
        #expect(header.height == 80)
        #expect(header.isReoriented == (orientation > 1))
        #expect(header.hasMetadata)
    }

    @Test(arguments: ["png", "webp", "avif"])
    func detectsAlpha(format: String) throws {
        #expect(try header(of: Pictures.scene(channels: .colourAlpha, as: format)).hasAlpha)
        #expect(try !header(of: Pictures.scene(channels: .colour, as: format)).hasAlpha)
    }

    @Test(arguments: ["jpg", "png"])
    func greyIsStandardColour(format: String) throws {
        #expect(try header(of: Pictures.scene(channels: .grey, as: format)).isStandardColour)
    }

    @Test func detectsColoursThatNeedConversion() throws {
        #expect(try !header(of: Pictures.sixteenBit()).isStandardColour)
        #expect(try !header(of: Pictures.cmyk()).isStandardColour)
        #expect(try !header(of: Pictures.cmyk(hasProfile: false)).isStandardColour)
        #expect(try !header(of: Pictures.displayP3()).isStandardColour)
        #expect(try !header(of: Pictures.displayP3(as: "png")).isStandardColour)
        #expect(try !header(of: Pictures.displayP3(as: "webp")).isStandardColour)
    }

    @Test(arguments: ["gif", "webp"])
    func countsFrames(format: String) throws {
        let header = try header(of: Pictures.animation(as: format))
        #expect(header.frameCount == 3)
        #expect(header.isAnimated)
        #expect(header.width == 80)
        #expect(header.height == 60)
    }

    @Test func countsFramesOfAnAnimatedPNG() throws {
        let still = try Pictures.scene(as: "png")
        let announced: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 0]
        let control = [UInt8](repeating: 0, count: 26)
        var animated = Pictures.addingChunk("acTL", announced, to: still)
        animated = Pictures.addingChunk("fcTL", control, to: animated)
        #expect(try ImagingTests.header(of: animated).frameCount == 1)
        let header = try header(of: Pictures.addingChunk("fcTL", control, to: animated))
        #expect(header.frameCount == 2)
        #expect(header.format == .png)
    }

    @Test func detectsMetadata() throws {
        let png = try Pictures.scene(as: "png")
        let jpeg = try Pictures.scene(as: "jpg[strip]")
        let comment: [UInt8] = [0xFF, 0xFE, 0, 6] + Array("note".utf8)
        #expect(try header(of: Pictures.located()).hasMetadata)
        #expect(
            try header(of: Pictures.addingChunk("tEXt", Array("a\0b".utf8), to: png)).hasMetadata)
        #expect(try header(of: jpeg[..<2] + comment + jpeg[2...]).hasMetadata)
        #expect(try !header(of: png).hasMetadata)
        #expect(try !header(of: jpeg).hasMetadata)
    }

    @Test func readsLargestSizeOfIcon() throws {
        let header = try header(of: Pictures.icon(sizes: [16, 48, 32]))
        #expect(header.format == .ico)
        #expect(header.width == 48)
        #expect(header.height == 48)
        #expect(try ImagingTests.header(of: Pictures.icon(sizes: [256, 16])).width == 256)
    }

    @Test(arguments: [0.1, 0.5, 0.99])
    func refusesTruncatedIcon(part: Double) throws {
        let icon = try Pictures.icon()
        #expect(try jobError(of: Pictures.cut(icon, to: part)).code == .corrupt)
        #expect(try jobError(of: [0, 0, 1, 0, 0, 0]).code == .corrupt)
    }

    /// Pages use cursors in CSS.
    @Test func keepsCursor() throws {
        var cursor = try Pictures.icon()
        cursor[2] = 2
        #expect(try header(of: cursor).format == .cursor)
        #expect(try header(of: cursor).width == 48)
        #expect(try jobError(of: Pictures.cut(cursor)).code == .corrupt)
    }

    @Test(arguments: [
        ("%!PS-Adobe", "a PostScript"), ("8BPS....", "a Photoshop document"),
        ("%PDF-1.7", "a PDF"),
        ("<!DOCTYPE html><html>", "an HTML page"), ("\n <HTML lang=en>", "an HTML page"),
        ("\u{0}\u{0}\u{0}\u{18}ftypisom\0\0\0\0mp42....", "a film"),
        ("RIFF\u{8}\0\0\0WAVEfmt ", "a RIFF file of kind WAVE"),
        ("hello", "text"), ("\u{1}\u{2}hello", "no image of a known format"), ("", "empty"),
        ("<rss/>", "an XML document (rss)"),
    ])
    func refusesOtherFiles(text: String, what: String) throws {
        let failure = try jobError(of: Array(text.utf8))
        #expect(failure.code == .unsupported)
        #expect(failure.reason.hasPrefix("the file is \(what)"), "\(failure.reason)")
    }

    @Test(arguments: ["v", "ppm", "hdr"])
    func refusesOtherFormatsOfLibvips(format: String) throws {
        let bytes = try Pictures.scene(width: 32, height: 32, as: format)
        #expect(try jobError(of: bytes).code == .unsupported)
        #expect(try jobError(of: bytes, recipe(.webp)).code == .unsupported)
    }

    @Test func refusesInvalidDescriptor() throws {
        let answer = try ImageProcessor().answer(to: Job(), source: -1)
        #expect(answer.failure?.code == .corrupt)
    }

    /// The first bytes are those of a JPEG and the rest is a PNG: no other loader may read it.
    @Test func refusesPNGWithJPEGSignature() throws {
        let bytes = try [0xFF, 0xD8, 0xFF] + Pictures.scene(as: "png")
        #expect(try jobError(of: bytes).code == .corrupt)
        #expect(try jobError(of: bytes, recipe(.webp)).code == .corrupt)
    }
}
