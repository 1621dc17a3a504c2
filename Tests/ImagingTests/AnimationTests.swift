import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnimationTests {
    private static let delays = [40, 130, 900, 20]

    @Test(arguments: ["gif", "webp"], [ImageFormat.gif, .webp])
    func staysAnimated(source: String, format: ImageFormat) throws {
        let animation = try Pictures.animation(
            width: 120, height: 90, delays: Self.delays, loop: 4, as: source)
        for width in [nil, 60] {
            let made = try variant(of: animation, recipe(format, width: width))
            #expect(made.answer.width == width ?? 120)
            #expect(made.answer.height == (width ?? 120) * 3 / 4)
            let facts = try PictureFacts(of: made.bytes)
            #expect(facts.width == made.answer.width)
            #expect(facts.height == made.answer.height)
            #expect(facts.frameCount == 4)
            #expect(facts.delays == Self.delays)
            #expect(facts.loop == 4)
            #expect(try Fingerprint(of: made.bytes).resembles(Fingerprint(of: animation)))
        }
    }

    @Test func staysEndless() throws {
        let made = try variant(of: Pictures.animation(loop: 0), recipe(.webp, width: 40))
        #expect(try PictureFacts(of: made.bytes).loop == 0)
    }

    /// libvips takes a pixel that turns from transparent to black for unchanged.
    @Test(arguments: [true, false])
    func blackAppearsInTransparentGIF(isGrey: Bool) throws {
        let gif = Pictures.growingGIF(isGrey: isGrey)
        let made = try variant(of: gif, recipe(.gif)).bytes
        let before = try Pictures.pixels(of: gif, hasFrames: true)
        let after = try Pictures.pixels(of: made, hasFrames: true)
        #expect(before.count == 3 * 40 * 30)
        #expect(after.count == before.count)
        let changed = zip(before, after).count { old, new in
            zip(old, new).contains { abs(Int($0) - Int($1)) > 2 }
        }
        #expect(changed == 0)
    }

    /// The scaled height is not a whole number, but frames must not overlap.
    @Test func framesDoNotOverlap() throws {
        let animation = try Pictures.animation(width: 100, height: 33, as: "gif")
        let made = try variant(of: animation, recipe(.webp, width: 47))
        let facts = try PictureFacts(of: made.bytes)
        #expect(facts.frameCount == 3)
        #expect(facts.height == made.answer.height)
    }

    @Test func usesFirstFrameForStillFormats() throws {
        let animation = try Pictures.animation(width: 120, height: 90)
        let made = try variant(of: animation, recipe(.png))
        #expect(made.answer.height == 90)
        #expect(try PictureFacts(of: made.bytes).frameCount == 1)
    }

    /// Encoders merge two identical frames.
    @Test func keepsIdenticalFrames() throws {
        let gif = try Pictures.longGIF(width: 40, height: 30, frameCount: 12, run: 3)
        for alternative in [Recipe.Alternative.source, .encodingOrSource(.init(format: .gif))] {
            let made = try variant(of: gif, recipe(.webp, or: alternative))
            let facts = try PictureFacts(of: made.bytes)
            #expect(facts.frameCount == 12)
            #expect(facts.delays == [Int](repeating: 40, count: 12))
        }
    }

    /// libheif reads only the first frame.
    @Test(.enabled(if: ExternalTool.avifEncoder.isExpected, "\(ExternalTool.avifEncoder.absence)"))
    func keepsAnimatedAVIF() throws {
        let avif = try Pictures.animatedAVIF(frameCount: 3)
        let header = try header(of: avif)
        #expect(header.format == .avif)
        #expect(header.frameCount == 3)
        #expect((header.width, header.height) == (160, 120))
        let made = try variant(of: avif, recipe(.webp, width: 100))
        #expect(made.answer == .init(format: .avif, width: 160, height: 120, isSource: true))
        let cut = try jobError(of: Pictures.cut(avif, to: 0.8), recipe(.webp))
        #expect(cut.code == .corrupt)
    }
}
