import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Sources whose own bytes are used without metadata.
@Suite(.timeLimit(.minutes(10)))
struct StrippingTests {
    private static let comment: [UInt8] = [0xFF, 0xFE, 0, 6] + Array("note".utf8)

    /// The scene without metadata: libvips 8.14 writes EXIF to every WebP.
    private func plain(_ format: String) throws -> [UInt8] {
        try variant(of: Pictures.scene(as: format), recipe(.png, or: .onlySource)).bytes
    }

    /// A JPEG with a comment; no encoding of it is smaller.
    @Test func removesCommentOfJPEGAndKeepsPixels() throws {
        let plain = try Pictures.scene(as: "jpg[Q=30,strip]")
        let made = try variant(
            of: plain[..<2] + Self.comment + plain[2...], recipe(.png, or: .source))
        #expect(!made.answer.isSource)
        #expect(made.answer.format == .jpeg)
        #expect(made.bytes == plain)
    }

    /// Browsers do not agree on what to show if a PNG states more frames than it has.
    @Test func keepsPNGWithAnimationChunkButNoFrames() throws {
        let still = try Pictures.scene(as: "png[strip]")
        let stated = Pictures.addingChunk("acTL", [0, 0, 0, 5, 0, 0, 0, 0], to: still)
        #expect(try header(of: stated).frameCount == 1)
        #expect(try variant(of: stated, recipe(.webp, width: 50, or: .source)).answer.isSource)
    }

    @Test func keepsBytesOfPlainSource() throws {
        for format in ["jpg[Q=30,strip]", "webp[Q=20]", "gif"] {
            let plain = try plain(format)
            #expect(
                try variant(of: plain, recipe(.png, or: .onlySource)).answer.isSource, "\(format)")
        }
    }

    @Test(arguments: ["jpg[Q=30,strip]", "png[strip]", "webp[Q=20,strip]", "gif", "avif"])
    func removesTrailingBytes(format: String) throws {
        let plain = try plain(format)
        let made = try variant(of: plain + Array("PK and more".utf8), recipe(.png, or: .onlySource))
        #expect(made.bytes == plain)
        #expect(!made.answer.isSource)
    }

    @Test(arguments: 2...8)
    func keepsOrientationOfJPEG(orientation: Int) throws {
        let stored = try Pictures.oriented(orientation, width: 320, height: 240)
        let secret = Array("Exif\0\0secret".utf8)
        let second = [0xFF, 0xE1, 0, UInt8(secret.count + 2)] + secret
        let made = try variant(
            of: stored[..<2] + stored[2...].withInserted(second),
            recipe(.png, or: .onlySource))
        #expect(made.answer.format == .jpeg)
        #expect((made.answer.width, made.answer.height) == (320, 240))
        let facts = try PictureFacts(of: made.bytes)
        #expect(facts.fields["orientation"] == "\(orientation)")
        #expect(!made.bytes.contains(Array("secret".utf8)))
        let upright = try Fingerprint(of: Pictures.scene(width: 320, height: 240))
        #expect(try Fingerprint(of: made.bytes).resembles(upright))
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func keepsColourProfile(format: String) throws {
        let source = try Pictures.displayP3(as: format)
        let made = try variant(
            of: source + Array("trailing".utf8), recipe(.png, or: .onlySource))
        #expect(try PictureFacts(of: made.bytes).fields["icc-profile-data"] != nil)
        let colours = try Colours(of: source)
        #expect(try Colours(of: made.bytes).distance(to: colours) < 1)
    }

    @Test func removesUnusedChunksOfPNG() throws {
        let plain = try self.plain("png[strip]")
        let texts = ["tEXt", "zTXt", "iTXt", "tIME", "eXIf", "caBX", "vpAg"]
        var source = plain
        for text in texts { source = Pictures.addingChunk(text, Array("a\0b".utf8), to: source) }
        source = Pictures.addingChunk("gAMA", [0, 0, 0xB1, 0x8F], to: source)
        let made = try variant(of: source, recipe(.png, or: .onlySource))
        #expect(made.bytes == Pictures.addingChunk("gAMA", [0, 0, 0xB1, 0x8F], to: plain))
    }

    @Test func removesCommentsOfGIFAndKeepsLoop() throws {
        let plain = try Pictures.animation(delays: [50, 100, 200], loop: 3, as: "gif")
        let head = 13 + (plain[10] & 0x80 == 0 ? 0 : 3 << (Int(plain[10] & 7) + 1))
        let comment: [UInt8] = [0x21, 0xFE, 4] + Array("note".utf8) + [0]
        let xmp: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [1, 0x20, 0]
        let source = Array(plain[..<head]) + comment + xmp + plain[head...]
        let made = try variant(of: source, recipe(.gif, or: .onlySource))
        #expect(made.bytes == plain)
        let facts = try PictureFacts(of: made.bytes)
        #expect(facts.delays == [50, 100, 200])
        #expect(facts.loop == 3)
    }

    @Test func removesEXIFAndXMPOfWebP() throws {
        let plain = try Pictures.scene(as: "webp[Q=20,strip]")
        // VP8X with the flags of EXIF and XMP, the size less 1 in three bytes each.
        let size: [UInt8] = [63, 1, 0, 239, 0, 0]
        let head: [UInt8] = Array("VP8X".utf8) + [10, 0, 0, 0, 0x0C, 0, 0, 0] + size
        let tail =
            Array("EXIF".utf8) + [6, 0, 0, 0] + Array("secret".utf8)
            + Array("XMP ".utf8) + [5, 0, 0, 0] + Array("place".utf8) + [0]
        let bare = Array(plain[12...].starts(with: "VP8X".utf8) ? plain[30...] : plain[12...])
        var source = Array(plain[..<12]) + head + bare + tail
        let length = source.count - 8
        for byte in 0..<4 { source[4 + byte] = UInt8(length >> (8 * byte) & 0xFF) }
        let made = try variant(of: source, recipe(.png, or: .onlySource))
        #expect(!made.bytes.contains(Array("secret".utf8)))
        #expect(!made.bytes.contains(Array("place".utf8)))
        #expect(made.bytes.count < source.count - tail.count + 1)
        #expect(
            try Fingerprint(of: made.bytes).resembles(Fingerprint(of: Pictures.scene())))
    }

    /// Its items are overwritten in place, because removing them would move all others.
    @Test func blanksEXIFOfAVIF() throws {
        let source = try Pictures.encoded(
            Pictures.located(width: 320, height: 240), as: "jpg", to: "avif", by: .heifEncoder,
            ["-A", "INPUT", "-o", "OUTPUT"])
        #expect(source.contains(Array(Pictures.secret.utf8)))
        #expect(try header(of: source).hasMetadata)
        let made = try variant(of: source + Array("more".utf8), recipe(.png, or: .onlySource))
        #expect(made.answer.format == .avif)
        #expect(made.bytes.count == source.count)
        #expect(!made.bytes.contains(Array(Pictures.secret.utf8)))
        #expect(try !header(of: made.bytes).hasMetadata)
        #expect(try Colours(of: made.bytes).distance(to: Colours(of: source)) == 0)
    }

    /// To overwrite such EXIF would damage the picture.
    @Test func refusesAVIFWhoseEXIFOverlapsPicture() throws {
        var file = try Pictures.encoded(
            Pictures.located(width: 320, height: 240), as: "jpg", to: "avif", by: .heifEncoder,
            ["-A", "INPUT", "-o", "OUTPUT"])
        let box = try #require(file.firstRange(of: Array("iloc".utf8))).upperBound
        // The version and flags, the sizes and the number of items, then 18 bytes for each item.
        let (picture, exif) = (box + 8 + 4, box + 8 + 18 + 4)
        file.replaceSubrange(exif..<exif + 4, with: file[picture..<picture + 4])
        #expect(try jobError(of: file, recipe(.png, or: .onlySource)).code == .corrupt)
    }

    @Test(arguments: ["jpg", "png", "gif", "webp", "avif"])
    func keepsOnlyCompleteSource(format: String) throws {
        let cut = try Pictures.cut(Pictures.noise(width: 200, height: 150, as: format), to: 0.8)
        #expect(try jobError(of: cut, recipe(.png, or: .onlySource)).code == .corrupt)
        let damaged = try Pictures.damaged(Pictures.noise(width: 200, height: 150, as: "png"))
        #expect(try jobError(of: damaged, recipe(.png, or: .onlySource)).code == .corrupt)
    }

    @Test func usesSmallestOfThree() throws {
        let photo = try Pictures.photo(width: 300, height: 200, as: "jpg[Q=40,strip]")
        let png = Recipe.Encoding(format: .png)
        let fine = Recipe.Encoding(format: .jpeg, quality: 98)
        let coarse = Recipe.Encoding(format: .jpeg, quality: 5)
        let kept = try variant(of: photo, recipe(.png, or: .encodingOrSource(fine)))
        #expect(kept.bytes == photo)
        let made = try variant(of: photo, recipe(.png, or: .encodingOrSource(coarse)))
        #expect(made.answer.format == .jpeg)
        #expect(made.bytes.count < photo.count)
        let scaled = try variant(
            of: photo, recipe(.webp, 100, width: 299, or: .encodingOrSource(png)))
        #expect(scaled.bytes.count <= photo.count)
    }
}

extension ArraySlice<UInt8> {
    /// The slice with a segment inserted after its first segment.
    fileprivate func withInserted(_ segment: [UInt8]) -> [UInt8] {
        let first = 2 + Int(self[startIndex + 2]) << 8 + Int(self[startIndex + 3])
        return Array(prefix(first)) + segment + dropFirst(first)
    }
}
