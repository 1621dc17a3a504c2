import ImageFormats
import Recipes
import TestSupport
import Testing
import VisualScore

/// Encodings that reach a score.
@Suite struct QualitySearchTests {
    private static let formats: [ImageFormat] = [.webp, .jpeg, .avif]

    private func rgba(_ image: [UInt8]) throws -> [UInt8] {
        try Pictures.pixels(of: image).flatMap { $0.count == 4 ? $0 : $0 + [255] }
    }

    private func score(of encoded: [UInt8], to source: [UInt8], width: Int, height: Int) throws
        -> Double
    {
        VisualScore(of: try rgba(source), width: width, height: height)
            .score(of: try rgba(encoded))
    }

    @Test(arguments: formats) func photographReachesGoal(format: ImageFormat) throws {
        let source = try Pictures.photo(width: 240, height: 160, as: "png[strip]")
        let files = try [55, 70].map { try variant(of: source, recipe(format, .score($0))).bytes }
        for (goal, file) in zip([55.0, 70], files) {
            let score = try score(of: file, to: source, width: 240, height: 160)
            #expect(abs(score - goal) <= 3, "\(score)")
        }
        #expect(files[0].count < files[1].count)
    }

    @Test(arguments: formats) func equalPicturesGiveEqualBytes(format: ImageFormat) throws {
        let source = try Pictures.photo(width: 120, height: 80, as: "png[strip]")
        let files = try (0..<2).map { _ in
            try variant(of: source, recipe(format, .score(70))).bytes
        }
        #expect(files[0] == files[1])
    }

    /// Red and blue lines lose their colours at every number, unless colours are in full size.
    @Test(arguments: [ImageFormat.webp, .jpeg]) func colouredLinesReachGoal(
        format: ImageFormat
    ) throws {
        let lines = (0..<40).map {
            "<path stroke='\($0 % 2 == 0 ? "red" : "blue")' d='M0 \(4 * $0)L160 \(4 * $0 + 3)'/>"
        }
        let source = try Pictures.drawing(
            "<svg xmlns='http://www.w3.org/2000/svg' width='160' height='160'><path fill='#fff' "
                + "d='M0 0H160V160H0'/>\(lines.joined())</svg>", as: "png[strip]")
        let plain = try variant(of: source, recipe(format, 85)).bytes
        let found = try variant(of: source, recipe(format, .score(70))).bytes
        let scores = try [plain, found].map {
            try score(of: $0, to: source, width: 160, height: 160)
        }
        #expect(scores[0] < 60)
        #expect(scores[1] > 65)
    }

    /// With high effort, WebP blurs these squares at each number but the highest.
    @Test func finePatternReachesGoal() throws {
        let source = try Pictures.squares(width: 160, height: 160)
        let scores = try [Quality.number(60), .score(70)].map { quality in
            var high = recipe(.webp, quality)
            high.encoding.effort = .high
            return try score(
                of: variant(of: source, high).bytes, to: source, width: 160, height: 160)
        }
        #expect(scores[0] < 40)
        #expect(scores[1] > 66, "\(scores)")
    }

    @Test(arguments: formats, Effort.allCases) func imageIsThatOfItsNumber(
        format: ImageFormat, effort: Effort
    ) throws {
        let source = try Pictures.photo(width: 240, height: 160, as: "png[strip]")
        var found = recipe(format, .score(70))
        found.encoding.effort = effort
        let image = try variant(of: source, found)
        var numbered = found
        numbered.encoding.quality = .number(try #require(image.answer.quality))
        let files = try [false, true].map { keepsColours in
            numbered.encoding.keepsColours = keepsColours
            return try variant(of: source, numbered).bytes
        }
        #expect(files.contains(image.bytes))
    }

    /// WebP stores the colours of four points as one, at every number.
    @Test func unreachableGoalIsMadeWithoutLoss() throws {
        let points = (0..<48 * 48).map {
            let colour = ["f00", "0f0", "00f", "ff0", "0ff", "f0f"][$0 * $0 / 7 % 6]
            return "<path fill='#\(colour)' d='M\($0 % 48) \($0 / 48)h1v1h-1'/>"
        }
        let source = try Pictures.drawing(
            "<svg xmlns='http://www.w3.org/2000/svg' width='48' height='48'>\(points.joined())</svg>",
            as: "png[strip]")
        let lossy = try variant(of: source, recipe(.webp, 96)).bytes
        let found = try variant(of: source, recipe(.webp, .score(70))).bytes
        #expect(try score(of: lossy, to: source, width: 48, height: 48) < 60)
        #expect(try rgba(found) == rgba(source))
    }

    /// Points of thousands of colours reach the goal at no number, and need not be exact.
    @Test func coloursAreRoundedAsFarAsTheGoalAllows() throws {
        let points = (0..<96 * 96).map { point in
            let colour = [256, 251, 241].map { 37 * point * (point / 96 + 1) % $0 }
            let place = "M\(point % 96) \(point / 96)h1v1h-1"
            return "<path fill='rgb(\(colour[0]),\(colour[1]),\(colour[2]))' d='\(place)'/>"
        }
        let source = try Pictures.drawing(
            "<svg xmlns='http://www.w3.org/2000/svg' width='96' height='96'>\(points.joined())</svg>",
            as: "png[strip]")
        let exact = try variant(of: source, Recipe(encoding: .init(format: .webp))).bytes
        let files = try [70, 90].map { try variant(of: source, recipe(.webp, .score($0))).bytes }
        for (goal, file) in zip([70.0, 90], files) {
            #expect(try score(of: file, to: source, width: 96, height: 96) >= goal)
        }
        #expect(files[0].count <= files[1].count && files[0].count < exact.count)
        #expect(try rgba(files[0]) != rgba(source))
    }

    @Test(arguments: formats) func tinyPictureGetsDefaultQuality(format: ImageFormat) throws {
        let source = try Pictures.photo(width: 7, height: 5, as: "png[strip]")
        let number = try #require(format.encoder?.defaultQuality)
        #expect(
            try variant(of: source, recipe(format, .score(70))).bytes
                == variant(of: source, recipe(format, .number(number))).bytes)
    }

    @Test func animationGetsDefaultQuality() throws {
        let source = try Pictures.animation()
        #expect(
            try variant(of: source, recipe(.webp, .score(70))).bytes
                == variant(of: source, recipe(.webp, 80)).bytes)
    }

    @Test func transparentPictureKeepsAlpha() throws {
        let source = try Pictures.scene(width: 120, height: 90, channels: .colourAlpha, as: "png")
        let found = try variant(of: source, recipe(.webp, .score(70))).bytes
        #expect(try PictureFacts(of: found).bands == 4)
    }
}
