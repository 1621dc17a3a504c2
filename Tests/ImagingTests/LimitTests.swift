import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    @Test func refusesABombByItsHeader() throws {
        let bomb = Pictures.bomb(width: 30_000, height: 30_000)
        let start = ContinuousClock.now
        #expect(try refusal(of: bomb).code == .tooManyPixels)
        #expect(try refusal(of: bomb, recipe(.webp, width: 100)).code == .tooManyPixels)
        #expect(start.duration(to: .now) < .seconds(5), "it was decoded")
    }

    @Test func namesSizeAndLimit() throws {
        let failure = try refusal(of: Pictures.bomb(width: 20_000, height: 10_000))
        #expect(failure.reason == "20000×10000 is more than 100000000 pixels")
    }

    @Test func takesWhatIsExactlyAtTheLimit() throws {
        var limits = Limits()
        limits.pixels = 320 * 240
        let scene = try Pictures.scene(as: "png")
        let fixture = try ImageFixture()
        #expect(try fixture.probe(scene, limits: limits).header != nil)
        limits.pixels -= 1
        #expect(try fixture.probe(scene, limits: limits).failure?.code == .tooManyPixels)
    }

    @Test(arguments: ["gif", "webp"])
    func countsThePixelsOfAllFrames(format: String) throws {
        var limits = Limits()
        limits.pixels = 80 * 60 * 2
        let failure = try refusal(of: Pictures.animation(as: format), limits: limits)
        #expect(failure.code == .tooManyPixels)
        #expect(failure.reason == "80×60 in 3 frames is more than 9600 pixels")
    }

    @Test func hugeFrameCountOfAnAnimatedPNGDoesNotOverflow() throws {
        let announced: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
        let png = try Pictures.addingChunk("acTL", announced, to: Pictures.scene(as: "png"))
        #expect(try refusal(of: png).code == .tooManyPixels)
    }

    /// 1.8 megapixels are few, but no WebP can be 30,000 pixels high.
    @Test func refusesWhatTheFormatCannotHold() throws {
        let tall = Pictures.bomb(width: 60, height: 30_000)
        #expect(try header(of: tall).height == 30_000)
        let failure = try refusal(of: tall, recipe(.webp))
        #expect(failure.code == .tooManyPixels)
        #expect(failure.reason.contains("16383"))
    }

    @Test func takesTheAlternativeForWhatTheFormatCannotHold() throws {
        let tall = Pictures.bomb(width: 60, height: 30_000)
        #expect(try variant(of: tall, recipe(.webp, or: .source)).answer.isSource)
        let png = Recipe.Encoding(format: .png)
        let made = try variant(of: tall, recipe(.webp, or: .encoding(png)))
        #expect(made.answer.format == .png)
        #expect(made.answer.height == 30_000)
    }

    @Test func measuresAnAbsurdSVGAndRefusesToDrawIt() throws {
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30000\" height=\"30000\"/>"
        #expect(try header(of: Array(text.utf8)).width == 30_000)
        let failure = try refusal(of: Array(text.utf8), recipe(.png, width: 100))
        #expect(failure.code == .tooManyPixels)
    }
}
