import ImageFormats
import Recipes
import TestSupport
import Testing

/// What a lossy encoding keeps of pictures that it damages easily.
@Suite struct LossyQualityTests {
    private static let formats: [ImageFormat] = [.webp, .jpeg, .avif]

    /// The largest mean difference of a sample of ten by ten pixels, of 255.
    private func worst(_ made: [UInt8], _ source: [UInt8]) throws -> Int {
        let samples = try [made, source].map {
            try Miniature(of: $0, width: 60, height: 40).samples
        }
        return zip(samples[0], samples[1]).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// The mean difference of a sample, of 255.
    private func mean(_ made: [UInt8], _ source: [UInt8]) throws -> Double {
        let pairs = try zip(Pictures.colours(of: made), Pictures.colours(of: source))
        let sums = pairs.map { zip($0, $1).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } }
        return Double(sums.reduce(0, +)) / 257 / 4 / Double(sums.count)
    }

    /// A pale gradient with circles of nearly the same colours.
    private func paleCircles() throws -> [UInt8] {
        let circles = (1...8).map {
            "<circle cx='\($0 * 67)' cy='\($0 * 53 % 340)' r='\(20 + $0 * 7)' fill='#fff' "
                + "fill-opacity='.\(10 + $0 * 3)'/>"
        }
        return try Pictures.drawing(
            """
            <svg xmlns='http://www.w3.org/2000/svg' width='600' height='400'>
            <linearGradient id='g'><stop stop-color='#d8e6f2'/><stop offset='1' \
            stop-color='#f2e9d8'/></linearGradient><path fill='url(#g)' d='M0 0H600V400H0'/>
            \(circles.joined())</svg>
            """, as: "png[strip]")
    }

    private func colouredLines(as encoding: String = "png[strip]") throws -> [UInt8] {
        let lines = (0..<40).map {
            "<path stroke='\($0 % 2 == 0 ? "red" : "blue")' d='M0 \(4 * $0)L160 \(4 * $0 + 3)'/>"
        }
        return try Pictures.drawing(
            "<svg xmlns='http://www.w3.org/2000/svg' width='160' height='160'><path fill='#fff' "
                + "d='M0 0H160V160H0'/>\(lines.joined())</svg>", as: encoding)
    }

    @Test(arguments: formats) func autoKeepsSmallStepsInSmoothAreas(format: ImageFormat) throws {
        let source = try paleCircles()
        let auto = try variant(of: source, recipe(format, .auto)).bytes
        let coarse = try variant(of: source, recipe(format, 15)).bytes
        let (fine, damaged) = try (worst(auto, source), worst(coarse, source))
        #expect(fine * 3 <= damaged * 2, "\(fine) \(damaged)")
    }

    @Test(arguments: formats, QualityLevel.allCases)
    func smoothPictureGetsNumberOfNextLevel(format: ImageFormat, level: QualityLevel) throws {
        let numbers = try #require(format.encoder?.numbers)
        let all = [numbers.low, numbers.medium, numbers.high, numbers.highest]
        let place = try #require(QualityLevel.allCases.firstIndex(of: level))
        let photo = try Pictures.photo(width: 240, height: 160, as: "png[strip]")
        for (source, expected) in [(photo, all[place]), (try paleCircles(), all[place + 1])] {
            #expect(
                try variant(of: source, recipe(format, .level(level))).answer.quality == expected)
        }
        #expect(all == all.sorted() && Set(all).count == 4)
    }

    @Test(arguments: formats) func imageIsThatOfItsNumber(format: ImageFormat) throws {
        for source in [try Pictures.photo(width: 240, height: 160), try paleCircles()] {
            let found = try variant(of: source, recipe(format, .auto))
            let number = try #require(found.answer.quality)
            #expect(try variant(of: source, recipe(format, .number(number))).bytes == found.bytes)
        }
    }

    /// In half of the size, as these encoders store colours by default, red and blue lines bleed.
    @Test(arguments: formats, [Quality.auto, 80])
    func colouredLinesKeepTheirColours(format: ImageFormat, quality: Quality) throws {
        let source = try colouredLines()
        let bleeding = try colouredLines(as: "\(format.rawValue)[Q=85]")
        let made = try variant(of: source, recipe(format, quality)).bytes
        #expect(try mean(made, source) < mean(bleeding, source) * 0.8)
    }

    @Test(arguments: formats) func greyPictureIsEncoded(format: ImageFormat) throws {
        let source = try Pictures.scene(width: 61, height: 47, channels: .grey, as: "png")
        let made = try variant(of: source, recipe(format, .auto)).bytes
        #expect(try mean(made, source) < 3)
    }

    @Test(arguments: formats, [(1, 1), (1, 9), (9, 1), (2, 2), (17, 3)])
    func tinyPictureIsEncoded(format: ImageFormat, size: (Int, Int)) throws {
        let source = try Pictures.photo(width: size.0, height: size.1, as: "png[strip]")
        let made = try variant(of: source, recipe(format, .auto))
        #expect((made.answer.width, made.answer.height) == size)
    }

    @Test func transparentPictureKeepsAlpha() throws {
        let source = try Pictures.scene(width: 120, height: 90, channels: .colourAlpha, as: "png")
        let made = try variant(of: source, recipe(.webp, .auto)).bytes
        #expect(try PictureFacts(of: made).bands == 4)
    }
}
