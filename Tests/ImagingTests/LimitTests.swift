import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    @Test func refusesBombByHeader() throws {
        // Whoever decodes it finds the damage.
        let bomb = Pictures.damaged(Pictures.bomb(width: 30_000, height: 30_000))
        #expect(try jobError(of: bomb).code == .tooManyPixels)
        #expect(try jobError(of: bomb, recipe(.webp, width: 100)).code == .tooManyPixels)
    }

    @Test(arguments: Pictures.garbled)
    func garbledHeaderIsDamageWhateverItClaims(name: String) throws {
        let failure = try jobError(of: Pictures.garbled(name))
        #expect([.corrupt, .unsupported].contains(failure.code), "\(failure)")
    }

    @Test(arguments: [
        "jpg", "jpg[interlace]", "png", "gif", "webp", "webp[lossless]", "tif", "avif",
    ])
    func soundImageOverTheLimitIsNotDamaged(encoding: String) throws {
        var limits = Limits()
        limits.pixels = 50_000
        let scene = try Pictures.scene(as: encoding)
        #expect(try jobError(of: scene, limits: limits).code == .tooManyPixels)
        // Without a decoder, nobody knows whether pixels are missing.
        let cut = Pictures.cut(scene, to: 0.95)
        if !["tif", "avif"].contains(encoding) {
            #expect(try jobError(of: cut, limits: limits).code == .corrupt)
        }
    }

    @Test func packedBitmapMayBeHuge() throws {
        let huge = Pictures.packedBitmap(width: 30_000, height: 30_000)
        #expect(try jobError(of: huge).code == .tooManyPixels)
        #expect(try header(of: Pictures.packedBitmap(width: 30, height: 30)).width == 30)
    }

    @Test func namesSizeAndLimit() throws {
        let failure = try jobError(of: Pictures.bomb(width: 20_000, height: 10_000))
        #expect(failure.reason == "20000×10000 is more than 100000000 pixels")
    }

    @Test func acceptsImageAtLimit() throws {
        var limits = Limits()
        limits.pixels = 320 * 240
        let scene = try Pictures.scene(as: "png")
        let fixture = try ImageFixture()
        #expect(try fixture.inspect(scene, limits: limits).header != nil)
        limits.pixels -= 1
        #expect(try fixture.inspect(scene, limits: limits).failure?.code == .tooManyPixels)
    }

    @Test(arguments: ["gif", "webp"])
    func countsPixelsHeldAtOnce(format: String) throws {
        var limits = Limits()
        limits.pixels = 80 * 60 * 2
        let animation = try Pictures.animation(as: format)
        let fixture = try ImageFixture()
        #expect(try fixture.inspect(animation, limits: limits).header?.frameCount == 3)
        let recipe = recipe(.webp, width: 40, or: .source)
        let answer = try fixture.transform(animation, recipe, limits: limits)
        #expect(answer.variant?.format.rawValue == format, "\(answer)")
        #expect(answer.variant?.width == 80)
        let cut = Pictures.cut(animation, to: 0.8)
        let cutAnswer = try fixture.transform(cut, recipe, limits: limits)
        #expect(cutAnswer.failure?.code == .corrupt)
        limits.pixels = 80 * 60 - 1
        let failure = try jobError(of: animation, limits: limits)
        #expect(failure.code == .tooManyPixels)
        #expect(failure.reason == "80×60 is more than 4799 pixels")
    }

    /// 640 frames of 800 × 489 have 250 megapixels in all, and 0.4 each.
    @Test func acceptsLongAnimation() throws {
        let frames = try Pictures.longGIF(width: 800, height: 489, frameCount: 640)
        #expect(try header(of: frames).frameCount == 640)
        let made = try variant(of: frames, recipe(.webp, or: .source))
        #expect(made.answer.isSource)
        #expect((made.answer.width, made.answer.height) == (800, 489))
    }

    @Test func measuresCanvasOfGIF() throws {
        let small = Pictures.gif(canvas: (65_535, 65_535), frame: (1, 1))
        #expect(try jobError(of: small).code == .tooManyPixels)
        let wide = Pictures.gif(canvas: (300, 200), frame: (1, 1))
        #expect(try header(of: wide).width == 300)
        #expect(try header(of: wide).height == 200)
        // Browsers enlarge the canvas to the first frame.
        #expect(try header(of: Pictures.gif(canvas: (1, 1), frame: (5, 4))).width == 5)
        #expect(try header(of: Pictures.gif(canvas: (0, 0), frame: (5, 4))).height == 4)
        let none = try jobError(of: Pictures.gif(canvas: (0, 0), frame: (0, 0)))
        #expect(none.code == .corrupt)
    }

    @Test func ignoresHugeFrameCountOfPNG() throws {
        let announced: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
        let png = try Pictures.addingChunk("acTL", announced, to: Pictures.scene(as: "png"))
        #expect(try header(of: png).frameCount == 1)
    }

    /// The image has only 1.8 megapixels, but a WebP cannot be 30,000 pixels high.
    @Test func refusesImageTooLargeForFormat() throws {
        let tall = Pictures.bomb(width: 60, height: 30_000)
        #expect(try header(of: tall).height == 30_000)
        let failure = try jobError(of: tall, recipe(.webp))
        #expect(failure.code == .tooLargeForFormat)
        #expect(failure.reason.contains("16383"))
    }

    @Test func usesAlternativeForImageTooLargeForFormat() throws {
        let tall = Pictures.bomb(width: 60, height: 30_000)
        let kept = try variant(of: tall, recipe(.webp, or: .source))
        #expect(kept.answer.format == .png)
        #expect(kept.bytes.count <= tall.count)
        let png = Recipe.Encoding(format: .png)
        let made = try variant(of: tall, recipe(.webp, or: .encoding(png)))
        #expect(made.answer.format == .png)
        #expect(made.answer.height == 30_000)
    }

    /// libheif rejects it before it reports the size, with an error about memory.
    @Test func reportsTooManyPixelsOfAVIF() throws {
        let avif = Pictures.claimingSize(17_000, 17_000, of: try Pictures.scene(as: "avif"))
        let failure = try jobError(of: avif)
        #expect(failure.code == .tooManyPixels)
        #expect(failure.reason.contains("17000×17000"))
    }

    @Test func measuresButDoesNotDrawHugeSVG() throws {
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30000\" height=\"30000\"/>"
        #expect(try header(of: Array(text.utf8)).width == 30_000)
        #expect(try variant(of: Array(text.utf8), recipe(.png, width: 100)).answer.height == 100)
        let failure = try jobError(of: Array(text.utf8), recipe(.png))
        #expect(failure.code == .tooManyPixels)
    }
}
