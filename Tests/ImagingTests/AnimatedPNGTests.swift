import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Animated PNG, whose frames libvips does not read: they are published unchanged.
@Suite(.timeLimit(.minutes(10)))
struct AnimatedPNGTests {
    static func plain(
        _ colour: [UInt8], width: Int = 16, height: Int = 12
    ) throws -> [UInt8] {
        try Pictures.drawn(
            width: width, height: height, channels: .colourAlpha, as: "png[strip]"
        ) { _, _ in colour }
    }

    @Test(arguments: [nil, 8])
    func publishesAnimationUnchanged(width: Int?) throws {
        let red: [UInt8] = [255, 0, 0, 255]
        let part = try Self.plain([0, 0, 255, 255], width: 4, height: 3)
        let frames = [
            APNGFrame(try Self.plain(red)), APNGFrame(part, left: 2, top: 1, disposal: 2),
            APNGFrame(part, left: 8, top: 6, blending: 1),
        ]
        for isFirstHidden in [false, true] {
            let png = Pictures.animatedPNG(frames, isFirstHidden: isFirstHidden)
            #expect(try header(of: png).frameCount == (isFirstHidden ? 2 : 3))
            for alternative in [Recipe.Alternative.source, .none] {
                let made = try variant(of: png, recipe(.webp, width: width, or: alternative))
                #expect(made.answer == .init(format: .png, width: 16, height: 12, isSource: true))
            }
        }
    }

    @Test(.enabled(if: ExternalTool.apngEncoder.isExpected))
    func publishesUnchangedInSandbox() throws {
        let png = try Pictures.animatedPNG()
        let fixture = try ImageFixture()
        let worker = try WorkerProcess()
        _ = try worker.next(WorkerGreeting.self)
        let source = try fixture.file(png)
        let options = VariantOptions(format: .webp, maximumWidth: 40)
        try worker.send(Job([options]), source: source, outputs: [fixture.output])
        #expect(try worker.next(JobResult.self).variant?.format == .png)
    }

    /// A still image is that for programs which know no animation.
    @Test func stillImageIsTheDefaultImage() throws {
        let colours: [[UInt8]] = [[9, 8, 7, 255], [255, 0, 0, 255], [0, 0, 255, 255]]
        let frames = try colours.map { APNGFrame(try Self.plain($0)) }
        for isFirstHidden in [false, true] {
            let png = Pictures.animatedPNG(frames, isFirstHidden: isFirstHidden)
            var first = recipe(.png)
            first.frames = .first
            let made = try variant(of: png, first)
            #expect(made.answer.isSource == false)
            #expect(try Pictures.pixels(of: made.bytes).first?.prefix(3) == [9, 8, 7])
        }
    }

    @Test func keepsEqualFrames() throws {
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
}
