import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Where no frame of a GIF covers the canvas, nothing is seen, as in browsers: libvips paints such a
/// part unless all frames are transparent.
@Suite(.timeLimit(.minutes(10)))
struct GIFCanvasTests {
    typealias Frame = Pictures.GIFFrame

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [Frame]
        /// For each frame, the colours of the left and of the right half; nil for none.
        let halves: [[UInt8?]]
    }

    static let transparent = [
        Case(
            testDescription: "disposed",
            frames: [
                Frame(0, 0, 20, 20, colour: 1, disposal: 2, key: 2),
                Frame(10, 0, 10, 20, colour: 0, key: 1),
            ],
            halves: [[255, 255], [nil, 0]]),
        Case(
            testDescription: "small first frame",
            frames: [
                Frame(0, 0, 10, 20, colour: 1, key: 2), Frame(0, 0, 10, 20, colour: 0, key: 2),
            ],
            halves: [[255, nil], [0, nil]]),
        Case(
            testDescription: "first frame taken back",
            frames: [
                Frame(0, 0, 20, 20, colour: 1, disposal: 3, key: 2),
                Frame(10, 0, 10, 20, colour: 0, key: 2),
            ],
            halves: [[255, 255], [nil, 0]]),
        Case(
            testDescription: "taken back by the number 4",
            frames: [
                Frame(0, 0, 20, 20, colour: 1, key: 2),
                Frame(0, 0, 10, 20, colour: 0, disposal: 4, key: 2),
                Frame(10, 0, 10, 20, colour: 0, disposal: 2, key: 2),
                Frame(0, 0, 1, 1, colour: 1, key: 2),
            ],
            halves: [[255, 255], [0, 255], [255, 0], [255, nil]]),
    ]

    @Test(arguments: transparent, [ImageFormat.gif, .webp, .png])
    func uncoveredPartIsTransparent(sample: Case, format: ImageFormat) throws {
        let gif = Pictures.gif(canvas: (20, 20), frames: sample.frames)
        #expect(try header(of: gif).hasAlpha)
        let encoding = Recipe.Encoding(format: format)
        let made = try variant(of: gif, Recipe(encoding: encoding)).bytes
        let pixels = try Pictures.pixels(of: made, hasFrames: format.canBeAnimated)
        let halves = format.canBeAnimated ? sample.halves : [sample.halves[0]]
        try #require(pixels.count == 400 * halves.count)
        for (number, expected) in halves.enumerated() {
            for (side, value) in expected.enumerated() {
                let pixel = pixels[number * 400 + 10 * 20 + 5 + 10 * side]
                let isSeen = pixel.count.isMultiple(of: 2) ? pixel.last == 255 : true
                #expect(isSeen == (value != nil), "\(number) \(side) \(pixel)")
                // The encoder of GIF raises black.
                if let value { #expect(abs(Int(pixel[0]) - Int(value)) <= 2, "\(number) \(pixel)") }
            }
        }
    }

    static let painted: [[Frame]] = [
        [Frame(0, 0, 10, 20, colour: 1)],
        [Frame(0, 0, 10, 20, colour: 1, disposal: 1), Frame(0, 0, 10, 20, colour: 0)],
        [
            Frame(0, 0, 20, 20, colour: 1, disposal: 1),
            Frame(0, 0, 10, 20, colour: 0, disposal: 2), Frame(10, 0, 10, 20, colour: 0),
        ],
        [Frame(0, 0, 20, 20, colour: 1, disposal: 3), Frame(10, 0, 10, 20, colour: 0)],
        [
            Frame(0, 0, 20, 20, colour: 1, disposal: 2, key: 2), Frame(10, 0, 10, 20, colour: 0),
        ],
        [Frame(0, 0, 20, 20, colour: 1, disposal: 2), Frame(10, 10, 40, 40, colour: 0)],
    ]

    @Test(arguments: painted, [ImageFormat.gif, .webp, .png])
    func partThatLibvipsPaintsKeepsTheFile(frames: [Frame], format: ImageFormat) throws {
        let gif = Pictures.gif(canvas: (20, 20), frames: frames)
        let header = try header(of: gif)
        #expect(header.hasAlpha && header.isKept == true)
        let made = try variant(of: gif, Recipe(width: 10, encoding: .init(format: format)))
        #expect(made.answer.isSource && made.answer.format == .gif && made.answer.width == 20)
        var still = Recipe(encoding: .init(format: format))
        still.frames = .first
        #expect(try jobError(of: gif, still).code == .unsupported)
    }

    @Test(
        arguments: [
            [Frame(0, 0, 20, 20, colour: 1), Frame(10, 0, 10, 20, colour: 0)],
            [
                Frame(0, 0, 20, 20, colour: 1, disposal: 2), Frame(0, 0, 20, 20, colour: 0),
            ],
            [
                Frame(0, 0, 20, 20, colour: 1), Frame(5, 0, 10, 20, colour: 0, disposal: 2),
                Frame(0, 0, 20, 20, colour: 0),
            ],
        ])
    func coveredCanvasIsDrawn(frames: [Frame]) throws {
        let gif = Pictures.gif(canvas: (20, 20), frames: frames)
        #expect(try header(of: gif).isKept == nil)
        let made = try variant(of: gif, Recipe(width: 10, encoding: .init(format: .webp)))
        #expect(made.answer.format == .webp && made.answer.width == 10)
    }
}
