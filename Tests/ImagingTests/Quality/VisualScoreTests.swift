import Testing
import VisualScore

/// Scores against those of the Python package `ssimulacra2` 0.3.0, for the same pixels.
@Suite struct VisualScoreTests {
    enum Drawing: String, Sendable {
        case ramps, waves

        func pixel(_ x: Int, _ y: Int) -> [Int] {
            switch self {
            case .ramps: return [x * 5 % 256, y * 5 % 256, x * y / 8 % 256]
            case .waves:
                let value = 128 + (x * x + 3 * y * y) / 40 % 100 - 50
                return [value, (value + x) % 256, min(255, value + y)]
            }
        }
    }

    enum Change: String, Sendable {
        case coarse, brighter, grey

        func pixel(_ pixel: [Int]) -> [Int] {
            switch self {
            case .coarse: pixel.map { $0 & 0xF0 }
            case .brighter: pixel.map { min(255, $0 + 6) }
            case .grey: Array(repeating: pixel.reduce(0, +) / 3, count: 3)
            }
        }
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        var size: (Int, Int)
        var drawing: Drawing
        var change: Change
        var score: Double

        var testDescription: String {
            "\(size.0)×\(size.1) \(drawing.rawValue) \(change.rawValue)"
        }
    }

    private static let samples = [
        Sample(size: (61, 47), drawing: .ramps, change: .coarse, score: 83.872),
        Sample(size: (61, 47), drawing: .ramps, change: .brighter, score: 96.025),
        Sample(size: (61, 47), drawing: .ramps, change: .grey, score: -61.719),
        Sample(size: (61, 47), drawing: .waves, change: .coarse, score: 70.853),
        Sample(size: (200, 9), drawing: .ramps, change: .coarse, score: 93.607),
        Sample(size: (200, 9), drawing: .waves, change: .grey, score: 76.766),
        Sample(size: (320, 200), drawing: .ramps, change: .coarse, score: 72.760),
        Sample(size: (320, 200), drawing: .waves, change: .coarse, score: 59.469),
        Sample(size: (320, 200), drawing: .waves, change: .brighter, score: 86.909),
        Sample(size: (320, 200), drawing: .waves, change: .grey, score: -61.044),
    ]

    private func pixels(
        _ size: (Int, Int), alpha: Int = 255, _ pixel: (Int, Int) -> [Int]
    ) -> [UInt8] {
        (0..<size.1).flatMap { y in
            (0..<size.0).flatMap { x in (pixel(x, y) + [alpha]).map { UInt8($0) } }
        }
    }

    @Test(arguments: samples) func agreesWithReference(sample: Sample) {
        let (size, drawing) = (sample.size, sample.drawing)
        let score = VisualScore(of: pixels(size, drawing.pixel), width: size.0, height: size.1)
        let changed = pixels(size) { sample.change.pixel(drawing.pixel($0, $1)) }
        #expect(abs(score.score(of: changed) - sample.score) < 0.1)
    }

    @Test(arguments: [(8, 8), (9, 200), (64, 64)])
    func equalPicturesScoreHundred(size: (Int, Int)) {
        let picture = pixels(size, Drawing.waves.pixel)
        let score = VisualScore(of: picture, width: size.0, height: size.1)
        #expect(score.score(of: picture) == 100)
    }

    @Test func hiddenColoursDoNotCount() {
        let size = (40, 40)
        let hidden = pixels(size, alpha: 0, Drawing.ramps.pixel)
        let score = VisualScore(of: hidden, width: size.0, height: size.1)
        #expect(score.score(of: pixels(size, alpha: 0, Drawing.waves.pixel)) == 100)
    }
}
