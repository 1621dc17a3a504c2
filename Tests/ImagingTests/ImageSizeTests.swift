import ImageFormats
import Recipes
import TestSupport
import Testing

/// Sizes that are read from the first bytes of files.
@Suite(.timeLimit(.minutes(10))) struct ImageSizeTests {
    private func verdict(_ bytes: [UInt8]) throws -> ImageSize.Verdict {
        guard case .format(let format) = ImageSniffer.verdict(on: bytes, isWhole: true) else {
            throw CancellationError()
        }
        return format.size(in: bytes)
    }

    @Test(arguments: [
        ("jpg", false), ("jpg[interlace]", true), ("png", false), ("png[interlace]", true),
        ("gif", false), ("webp", false), ("webp[lossless]", false), ("avif", false),
        ("tif", false),
    ])
    func readsSizeOfImage(encoding: String, isBuffered: Bool) throws {
        let expected = ImageSize(width: 322, height: 241, isBuffered: isBuffered)
        for channels in [Pictures.Channels.colour, .colourAlpha] {
            let scene = try Pictures.scene(
                width: 322, height: 241, channels: channels, as: encoding)
            #expect(try verdict(scene) == .size(expected))
        }
    }

    @Test(arguments: ["gif", "webp"])
    func readsSizeOfFrame(format: String) throws {
        let animation = try Pictures.animation(as: format)
        let header = try header(of: animation)
        #expect(
            try verdict(animation) == .size(ImageSize(width: header.width, height: header.height)))
    }

    /// A number that is not complete is not read.
    @Test(arguments: ["jpg", "jpg[interlace]", "png", "gif", "webp", "webp[lossless]", "avif"])
    func isUndecidedUntilSizeArrives(encoding: String) throws {
        let scene = try Pictures.scene(width: 322, height: 241, as: encoding)
        let size = try verdict(scene)
        var last = ImageSize.Verdict.undecided
        for count in 16..<min(scene.count, 2_000) {
            let verdict = try verdict(Array(scene.prefix(count)))
            #expect(verdict == size || verdict == .undecided && last == .undecided, "\(count)")
            last = verdict
        }
        #expect(last == size)
    }

    @Test func followsLongMetadataOfAJPEG() throws {
        let scene = try Pictures.scene(width: 322, height: 241, as: "jpg[strip]")
        let segment = [0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 0x20, count: 65_533)
        let long = scene.prefix(2) + segment + segment + scene.dropFirst(2)
        #expect(try verdict(Array(long)) == verdict(scene))
        #expect(try verdict(Array(long.prefix(65_536))) == .undecided)
    }

    @Test func isUnknownInInvalidFiles() {
        #expect(ImageFormat.jpeg.size(in: [0xFF, 0xD8, 0xFF, 0xDA, 0, 0]) == .unknown)
        #expect(ImageFormat.jpeg.size(in: [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0]) == .unknown)
        #expect(ImageFormat.png.size(in: [UInt8](repeating: 0, count: 40)) == .unknown)
        #expect(ImageFormat.avif.size(in: [UInt8](repeating: 0, count: 40)) == .unknown)
        #expect(ImageFormat.tiff.size(in: Array("MM\0+".utf8) + [0, 0, 0, 8]) == .unknown)
        for format in ImageFormat.all {
            _ = format.size(in: [])
            _ = format.size(in: [UInt8](repeating: 0xFF, count: 100))
        }
    }

    @Test func readsTopDownBitmap() {
        func little(_ value: Int32) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian, Array.init)
        }
        let start = Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + little(40)
        let bitmap = start + little(30) + little(-20)
        #expect(ImageFormat.bmp.size(in: bitmap) == .size(ImageSize(width: 30, height: 20)))
    }

    @Test func overflowGivesLargestSize() {
        #expect(ImageSize(width: .max, height: 2).pixels == .max)
    }
}
