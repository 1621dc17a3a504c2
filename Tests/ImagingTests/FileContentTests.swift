import ImageFormats
import TestSupport
import Testing

/// The command judges by these what a file holds besides its picture.
@Suite(.timeLimit(.minutes(10)))
struct FileContentTests {
    private func content(of bytes: [UInt8]) throws -> FileContent {
        guard case .format(let format) = ImageSniffer.verdict(on: bytes, isWhole: true) else {
            throw CancellationError()
        }
        return bytes.withUnsafeBytes { FileContent(of: $0, format: format) }
    }

    @Test(arguments: ["jpg[strip]", "png[strip]", "gif", "webp[strip]", "webp[lossless,strip]"])
    func knowsWhereFileEnds(encoding: String) throws {
        let scene = try Pictures.scene(width: 40, height: 30, as: encoding)
        // libvips 8.14 adds EXIF to every WebP.
        let bare = scene
        #expect(try content(of: bare) <= (encoding.hasPrefix("webp") ? .metadata : .picture))
        #expect(try content(of: bare + Array("<script>".utf8)) == .foreign)
        #expect(try content(of: bare.dropLast()) == .foreign)
    }

    @Test(arguments: ["tEXt", "zTXt", "iTXt", "tIME", "sPLT", "prVt", "HIDE"])
    func otherChunkIsMetadata(name: String) throws {
        let text = [(name: name, data: Array("Comment\0<script>".utf8))]
        #expect(try content(of: Pictures.row(width: 2, [1, 2], chunks: text)) == .metadata)
        #expect(try content(of: Pictures.row(width: 2, [1, 2])) == .picture)
    }

    @Test func commentIsMetadata() throws {
        let jpeg = try Pictures.scene(width: 40, height: 30, as: "jpg[strip]")
        let comment: [UInt8] = [0xFF, 0xFE, 0, 6] + Array("<b/>".utf8)
        #expect(try content(of: jpeg) == .picture)
        #expect(try content(of: jpeg[..<2] + comment + jpeg[2...]) == .metadata)
        let gif = Pictures.gif(canvas: (4, 4), frame: (4, 4))
        let text: [UInt8] = [0x21, 1, 4] + Array("<b/>".utf8) + [0]
        #expect(try content(of: gif) == .picture)
        #expect(try content(of: gif.dropLast() + text + [0x3B]) == .metadata)
    }

    @Test func textInEndOfPNGIsForeign() throws {
        let png = Pictures.row(width: 2, [1, 2])
        let end: [UInt8] = [0, 0, 0, 4] + Array("IEND<b/>".utf8) + [1, 2, 3, 4]
        #expect(try content(of: png.dropLast(12) + end) == .foreign)
    }
}
