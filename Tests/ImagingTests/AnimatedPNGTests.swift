import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Animated PNG, whose frames libvips does not read.
@Suite(.timeLimit(.minutes(10)))
struct AnimatedPNGTests {
    static let lossless = Recipe(encoding: .init(format: .webp))

    static func plain(
        _ colour: [UInt8], width: Int = 16, height: Int = 12
    ) throws -> [UInt8] {
        try Pictures.drawn(
            width: width, height: height, channels: .colourAlpha, as: "png[strip]"
        ) { _, _ in colour }
    }

    /// The colours at a place in each frame of an animation, with 8 bits.
    func colours(of made: [UInt8], x: Int, y: Int) throws -> [[UInt8]] {
        let facts = try PictureFacts(of: made)
        let all = try Pictures.frameColours(of: made)
        return (0..<facts.frameCount).map { frame in
            all[(frame * facts.height + y) * facts.width + x].map { UInt8($0 >> 8) }
        }
    }

    @Test(
        .enabled(if: ExternalTool.apngEncoder.isExpected, "\(ExternalTool.apngEncoder.absence)"),
        arguments: [0, 3])
    func convertsToAnimatedWebP(loop: Int) throws {
        let delays = [40, 130, 900, 20]
        let png = try Pictures.animatedPNG(width: 120, height: 90, delays: delays, loop: loop)
        #expect(try header(of: png).frameCount == 4)
        for width in [nil, 60] {
            let made = try variant(of: png, recipe(.webp, width: width, or: .source))
            #expect(made.answer.format == .webp)
            #expect(made.bytes.count < png.count)
            #expect(made.answer.width == width ?? 120)
            let facts = try PictureFacts(of: made.bytes)
            #expect((facts.frameCount, facts.loop) == (4, loop))
            #expect(facts.delays == delays)
            #expect(facts.height == (width ?? 120) * 3 / 4)
        }
        let made = try variant(of: png, Self.lossless)
        let frames = try Pictures.frameColours(of: made.bytes)
        for frame in 0..<4 {
            let scene = try Pictures.scene(
                width: 120, height: 90, seed: UInt64(frame + 1), as: "png")
            let size = 120 * 90
            let shown = Array(frames[frame * size..<(frame + 1) * size])
            #expect(try shown == Pictures.colours(of: scene), "frame \(frame)")
        }
    }

    @Test(.enabled(if: ExternalTool.apngEncoder.isExpected))
    func convertsInSandbox() throws {
        let png = try Pictures.animatedPNG()
        let options = VariantOptions(format: .webp, maximumWidth: 40)
        #expect(try variantByWorker(of: png, options) == variant(of: png, options).bytes)
    }

    @Test func appliesDisposalAndBlending() throws {
        let red: [UInt8] = [255, 0, 0, 255]
        let none: [UInt8] = [0, 0, 0, 0]
        let part = try Self.plain([0, 0, 255, 255], width: 4, height: 3)
        let half = try Self.plain([0, 255, 0, 51], width: 4, height: 3)
        let frames = [
            APNGFrame(try Self.plain(red)),
            APNGFrame(part, left: 2, top: 1, disposal: 2),
            APNGFrame(half, left: 2, top: 1, disposal: 1, blending: 1),
            APNGFrame(half, left: 8, top: 6),
            APNGFrame(half, left: 8, top: 6, blending: 1),
        ]
        let made = try variant(of: Pictures.animatedPNG(frames), Self.lossless).bytes
        // Opaque red below a fifth of green; a fifth over a fifth.
        #expect(
            try colours(of: made, x: 3, y: 2) == [
                red, [0, 0, 255, 255], [204, 51, 0, 255], none, none,
            ])
        let green: [UInt8] = [0, 255, 0, 51]
        #expect(
            try colours(of: made, x: 9, y: 7) == [red, red, red, green, [0, 255, 0, 92]])
        #expect(try colours(of: made, x: 0, y: 0) == Array(repeating: red, count: 5))
    }

    /// Two equal frames would become one.
    @Test func keepsSourceIfFrameWouldBeLost() throws {
        let same = try Self.plain([1, 2, 3, 255])
        let png = Pictures.animatedPNG([APNGFrame(same), APNGFrame(same), APNGFrame(same)])
        let made = try variant(of: png, recipe(.webp, or: .source))
        #expect(made.answer == .init(format: .png, width: 16, height: 12, isSource: true))
    }

    @Test func stripsMetadataOfSmallerSource() throws {
        let frames = try [[1, 2, 3, 255], [3, 2, 1, 255]].map { APNGFrame(try Self.plain($0)) }
        let png = Pictures.animatedPNG(frames)
        let noted = Pictures.addingChunk("tEXt", Array("a\0b".utf8), to: png)
        let made = try variant(of: noted, recipe(.png, or: .onlySource))
        #expect(made.bytes == png)
    }

    /// The pixels of all frames are not held at once.
    @Test func keepsLongAnimation() throws {
        let fixture = try ImageFixture()
        let frames = try (0..<5).map { APNGFrame(try Self.plain([UInt8($0), 0, 0, 255])) }
        var limits = Limits()
        limits.pixels = 16 * 12 * 4
        let png = Pictures.animatedPNG(frames)
        let answer = try fixture.transform(png, recipe(.webp, or: .source), limits: limits)
        #expect(answer.variant?.isSource == true)
        let damaged = try fixture.transform(
            Self.flipped(png, in: "IDAT", at: 6), recipe(.webp, or: .source), limits: limits)
        #expect(damaged.failure?.code == .corrupt)
    }

    /// Drawn once, because many cases use them.
    private static let three = Result {
        try [[1, 2, 3, 255], [3, 2, 1, 255], [5, 6, 7, 255]].map { APNGFrame(try plain($0)) }
    }

    /// Three frames; `replacement` replaces a range of the content of a chunk.
    private static func animation(
        _ name: String, _ frame: Int, _ range: Range<Int>, _ replacement: [UInt8]
    ) throws -> [UInt8] {
        Pictures.animatedPNG(try three.get()) { chunk, number, data in
            guard chunk == name, number == frame else { return data }
            var data = data
            data.replaceSubrange(range.clamped(to: 0..<data.count), with: replacement)
            return data
        }
    }

    /// A copy of `png` with one changed byte, counted from the end of the name of a chunk.
    private static func flipped(_ png: [UInt8], in name: String, at offset: Int) throws -> [UInt8] {
        let place = try #require(png.firstRange(of: Array(name.utf8)))
        var bytes = png
        bytes[place.upperBound + offset] ^= 0xFF
        return bytes
    }

    private static let damages: [(String, Int, Range<Int>, [UInt8])] = [
        ("acTL", 0, 0..<4, [0, 0, 0, 9]),
        ("acTL", 0, 0..<4, [0, 0, 0, 2]),
        ("acTL", 0, 0..<4, [0, 0, 0, 0]),
        ("acTL", 0, 0..<1, []),
        ("fcTL", 1, 0..<4, [0, 0, 0, 7]),
        ("fcTL", 1, 4..<8, [0, 0, 0, 0]),
        ("fcTL", 1, 4..<8, [0x7F, 0xFF, 0xFF, 0xFF]),
        ("fcTL", 1, 8..<12, [0, 0, 0, 99]),
        ("fcTL", 1, 12..<16, [0xFF, 0xFF, 0xFF, 0xFF]),
        ("fcTL", 1, 16..<20, [0, 0, 0, 1]),
        ("fcTL", 1, 24..<25, [3]),
        ("fcTL", 1, 25..<26, [2]),
        ("fcTL", 1, 0..<1, []),
        ("fcTL", 0, 0..<4, [0, 0, 0, 5]),
        ("fcTL", 0, 4..<8, [0, 0, 0, 5]),
        ("fdAT", 1, 0..<4, [0, 0, 0, 9]),
        ("fdAT", 1, 2..<1000, []),
        ("fdAT", 1, 4..<1000, []),
        ("fdAT", 1, 9..<1000, []),
        ("fdAT", 2, 9..<1000, []),
    ]

    /// Browsers show the frames before the error, or the default image.
    ///
    /// They do not agree where the animation ends, so the file is published as it is.
    @Test(arguments: damages.indices, [nil, 8])
    func keepsAnimationWithContradictoryChunks(index: Int, width: Int?) throws {
        let (name, frame, range, replacement) = Self.damages[index]
        let png = try Self.animation(name, frame, range, replacement)
        for alternative in [Recipe.Alternative.source, .none] {
            let made = try variant(of: png, recipe(.webp, width: width, or: alternative))
            #expect(made.answer == .init(format: .png, width: 16, height: 12, isSource: true))
        }
        let noted = Pictures.addingChunk("tEXt", Array("a\0b".utf8), to: png)
        #expect(try variant(of: noted, recipe(.webp, or: .source)).bytes == png)
    }

    @Test(arguments: damages.indices)
    func readsDefaultImageOfContradictoryChunks(index: Int) throws {
        let (name, frame, range, replacement) = Self.damages[index]
        let png = try Self.animation(name, frame, range, replacement)
        var first = recipe(.png)
        first.frames = .first
        let made = try variant(of: png, first)
        let pixels = try Pictures.pixels(of: made.bytes)
        #expect(pixels.count == 16 * 12)
        #expect(pixels.first?.prefix(3) == [1, 2, 3])
    }

    @Test(arguments: damages.indices)
    func refusesDamagedDefaultImage(index: Int) throws {
        let (name, frame, range, replacement) = Self.damages[index]
        let png = try Self.flipped(
            Self.animation(name, frame, range, replacement), in: "IDAT", at: 6)
        #expect(try jobError(of: png, recipe(.webp, or: .source)).code == .corrupt)
    }

    /// Chromium ignores a chunk with a wrong checksum, unless it has pixels.
    @Test(arguments: [("acTL", 8), ("fcTL", 26)])
    func keepsAnimationWithWrongChecksum(name: String, length: Int) throws {
        let frames = try Self.three.get()
        let png = try Self.flipped(Pictures.animatedPNG(frames), in: name, at: length)
        #expect(try variant(of: png, recipe(.webp)).answer.isSource)
    }

    /// The pixels would otherwise count as those of the frame before.
    @Test func keepsAnimationWithPixelsWithoutControl() throws {
        let frames = try Self.three.get()
        var number: UInt8 = 0
        var png = Pictures.animatedPNG(frames) { name, frame, data in
            if name == "acTL" { return [0, 0, 0, 2] + data[4...] }
            if name == "fcTL", frame == 1 { return Array("gone".utf8) }
            defer { number += 1 }
            return [0, 0, 0, number] + data[4...]
        }
        let content = try #require(png.firstRange(of: Array("gone".utf8)))
        png.removeSubrange(content.lowerBound - 8..<content.upperBound + 4)
        #expect(try variant(of: png, recipe(.webp)).answer.isSource)
    }

    /// The specification wants it before the pixels; browsers then show a still image.
    @Test func keepsAnimationWithLateAnnouncement() throws {
        let frames = try Self.three.get()
        var png = Pictures.animatedPNG(frames)
        let name = try #require(png.firstRange(of: Array("acTL".utf8)))
        let range = name.lowerBound - 4..<name.upperBound + 12
        let chunk = png[range]
        png.removeSubrange(range)
        png.insert(contentsOf: chunk, at: png.count - 12)
        #expect(try variant(of: png, recipe(.webp)).answer.isSource)
    }

    @Test func refusesEveryTruncation() throws {
        let frames = try [[1, 2, 3, 255], [3, 2, 1, 255]].map { APNGFrame(try Self.plain($0)) }
        let png = Pictures.animatedPNG(frames)
        // The end mark has 12 bytes, and the check before it 4.
        for end in stride(from: 8, to: png.count - 16, by: 7) {
            let failure = try jobError(of: Array(png.prefix(end)), recipe(.webp))
            #expect(failure.code == .corrupt, "\(end)")
        }
    }

    /// A change of any byte leads to an answer, never to a crash.
    @Test func survivesChangedBytes() throws {
        let frames = try [[1, 2, 3, 255], [3, 2, 1, 255]].map { APNGFrame(try Self.plain($0)) }
        let png = Pictures.animatedPNG(frames)
        let fixture = try ImageFixture()
        for index in stride(from: 8, to: png.count, by: 3) {
            var bytes = png
            bytes[index] ^= 0xFF
            _ = try fixture.transform(bytes, recipe(.webp, or: .source))
        }
    }

    @Test func convertsProfileAndSixteenBits() throws {
        let deep = try Pictures.sixteenBit(width: 40, height: 30)
        let png = Pictures.animatedPNG([
            APNGFrame(deep), APNGFrame(try Pictures.sixteenBitScene(seed: 2)),
        ])
        let made = try variant(of: png, Self.lossless).bytes
        let facts = try PictureFacts(of: made)
        #expect((facts.frameCount, facts.sampleFormat) == (2, "uchar"))
    }
}
