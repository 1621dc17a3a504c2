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
        #expect(ImageFormat.jpeg.size(in: [0xFF, 0xD8, 0xFF, 0xC0, 0, 2, 0, 0]) == .unknown)
        #expect(ImageFormat.png.size(in: [UInt8](repeating: 0, count: 40)) == .unknown)
        #expect(ImageFormat.avif.size(in: [UInt8](repeating: 0, count: 40)) == .unknown)
        #expect(ImageFormat.tiff.size(in: Array("MM\0+".utf8) + [0, 0, 0, 8]) == .unknown)
        for format in ImageFormat.all {
            _ = format.size(in: [])
            _ = format.size(in: [UInt8](repeating: 0xFF, count: 100))
        }
    }

    /// Such a header would be that of an image with too many pixels.
    @Test(arguments: Pictures.garbled) func isUnknownInGarbledHeaders(name: String) throws {
        let bytes = try Pictures.garbled(name)
        switch try verdict(bytes) {
        case .unknown: break
        case .size(let size):
            let format = try header(of: Pictures.scene(as: name == "jpeg" ? "jpg" : "png")).format
            #expect(!format.canHold(size.pixels, in: bytes.count))
        case .undecided: Issue.record("undecided")
        }
    }

    @Test func readsTopDownBitmap() {
        func little(_ value: Int32) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian, Array.init)
        }
        let start = Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + little(40)
        let bitmap = start + little(30) + little(-20) + [1, 0, 8, 0, 1, 0, 0, 0]
        #expect(ImageFormat.bmp.size(in: bitmap) == .size(ImageSize(width: 30, height: 20)))
    }

    @Test(arguments: ["ico", "cur"])
    func readsLargestPictureOfIcon(kind: String) throws {
        let type: UInt8 = kind == "ico" ? 1 : 2
        func entry(_ width: UInt8, _ height: UInt8) -> [UInt8] {
            [width, height] + [UInt8](repeating: 0, count: 14)
        }
        let start: [UInt8] = [0, 0, type, 0, 3, 0]
        let entries = entry(16, 16) + entry(0, 128) + entry(48, 48)
        #expect(try verdict(start + entries) == .size(ImageSize(width: 256, height: 128)))
        #expect(try verdict(start + entries.dropLast(40)) == .undecided)
        let none: [UInt8] = [0, 0, type, 0, 0, 0]
        #expect(try verdict(none) == .unknown)
    }

    @Test func firstFrameEnlargesTheCanvasOfAGIF() throws {
        let screen = Array("GIF89a".utf8) + [4, 0, 3, 0, 0, 0, 0]
        let comment: [UInt8] = [0x21, 0xFE, 2, 0x2C, 0x2C, 0]
        let frame: [UInt8] = [0x2C, 5, 0, 0, 0, 10, 0, 2, 0, 0, 2]
        #expect(try verdict(screen + comment + frame) == .size(ImageSize(width: 15, height: 3)))
        #expect(try verdict(screen + [0x3B]) == .unknown)
        #expect(try verdict(screen + comment + frame.prefix(7)) == .undecided)
    }

    /// The primary item of a HEIF file decides, with its crop and its turn.
    @Test(arguments: [
        ([1], 64, 48), ([1, 3], 48, 64), ([1, 4, 3], 20, 30), ([2], 160, 120), ([9], 160, 120),
    ])
    func readsPrimaryItemOfHEIF(properties: [UInt8], width: Int, height: Int) throws {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
        }
        func ispe(_ width: UInt8, _ height: UInt8) -> [UInt8] {
            box("ispe", [0, 0, 0, 0, 0, 0, 0, width, 0, 0, 0, height])
        }
        func fraction(_ value: UInt8) -> [UInt8] { [0, 0, 0, value, 0, 0, 0, 1] }
        let clap = box("clap", fraction(30) + fraction(20) + fraction(0) + fraction(0))
        let container = box("ipco", ispe(64, 48) + ispe(160, 120) + box("irot", [1]) + clap)
        let list: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 7, UInt8(properties.count)] + properties
        let meta = box(
            "meta",
            [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0, 7])
                + box("iprp", container + box("ipma", list)))
        let file = box("ftyp", Array("avif".utf8) + [0, 0, 0, 0]) + meta
        #expect(try verdict(file) == .size(ImageSize(width: width, height: height)))
        // It never reads behind the end of damaged boxes.
        for count in 0..<file.count {
            _ = ImageFormat.avif.size(in: Array(file.prefix(count)))
            var damaged = file
            for value: UInt8 in [0, 0x7F, 0xFF] {
                damaged[count] = value
                _ = ImageFormat.avif.size(in: damaged)
            }
        }
    }

    @Test func overflowGivesLargestSize() {
        #expect(ImageSize(width: .max, height: 2).pixels == .max)
    }
}
