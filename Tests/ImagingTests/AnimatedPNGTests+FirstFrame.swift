import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Animations whose default image is hidden, and the first frames of others.
extension AnimatedPNGTests {
    @Test func omitsDefaultImageOutsideAnimation() throws {
        let colours: [[UInt8]] = [[9, 9, 9, 255], [255, 0, 0, 255], [0, 0, 255, 255]]
        let frames = try colours.map { APNGFrame(try Self.plain($0)) }
        let png = Pictures.animatedPNG(frames, isFirstHidden: true)
        #expect(try header(of: png).frameCount == 2)
        let made = try variant(of: png, Self.lossless).bytes
        #expect(try self.colours(of: made, x: 0, y: 0) == Array(colours.dropFirst()))
    }

    /// The first of the frames is hidden, and the second is the first of the animation.
    private static func hiddenStart(_ second: APNGFrame) throws -> [UInt8] {
        let hidden = APNGFrame(try plain([9, 9, 9, 255]))
        let last = APNGFrame(try plain([0, 0, 255, 255]))
        return Pictures.animatedPNG([hidden, second, last], isFirstHidden: true)
    }

    @Test(arguments: [nil, 8])
    func firstFrameIsThatOfAnimation(width: Int?) throws {
        let png = try Self.hiddenStart(APNGFrame(Self.plain([255, 0, 0, 255])))
        for format in [ImageFormat.png, .webp] {
            var first = Recipe(width: width, encoding: .init(format: format))
            first.frames = .first
            let made = try variant(of: png, first).bytes
            #expect(try PictureFacts(of: made).width == width ?? 16)
            let pixel = try #require(try Pictures.pixels(of: made).first)
            #expect(pixel.prefix(3) == [255, 0, 0])
        }
    }

    @Test func firstFrameMayBeSmallerThanCanvas() throws {
        let part = try Self.plain([255, 0, 0, 255], width: 4, height: 3)
        let png = try Self.hiddenStart(APNGFrame(part, left: 2, top: 1))
        var first = Self.lossless
        first.frames = .first
        let made = try variant(of: png, first).bytes
        #expect(try colours(of: made, x: 3, y: 2) == [[255, 0, 0, 255]])
        #expect(try colours(of: made, x: 9, y: 9).map(\.last) == [0])
    }

    @Test func firstFrameHasColoursOfChunks() throws {
        let shown = try Self.plain([64, 64, 64, 255])
        let png = try Self.hiddenStart(APNGFrame(shown))
        let gamma = (100_000 as UInt32).bigEndian
        let chunk = withUnsafeBytes(of: gamma) { Array($0) }
        var first = Self.lossless
        first.frames = .first
        let made = try variant(of: Pictures.addingChunk("gAMA", chunk, to: png), first).bytes
        let shade = try #require(try colours(of: made, x: 0, y: 0).first?.first)
        #expect((136...138).contains(shade))
    }
}
