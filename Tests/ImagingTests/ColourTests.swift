import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Images with more colours than sRGB has.
@Suite(.timeLimit(.minutes(10)))
struct ColourTests {
    /// A saturated red in Display P3.
    private let red: [UInt8] = [255, 30, 0]

    private func source(_ encoding: String = "png[profile=p3]") throws -> [UInt8] {
        try Pictures.drawn(width: 40, height: 30, as: encoding) { _, _ in red }
    }

    private func firstColour(_ image: [UInt8]) throws -> [Int] {
        try Pictures.colours(of: image)[0].prefix(3).map { Int($0 >> 8) }
    }

    @Test(arguments: [ImageFormat.png, .webp, .jpeg, .avif], [nil, 20])
    func keepRetainsSamplesAndProfile(format: ImageFormat, width: Int?) throws {
        let quality: Quality? = format == .png || format == .webp ? nil : 95
        let recipe = Recipe(
            width: width, encoding: .init(format: format, quality: quality), colour: .keep)
        let made = try variant(of: source(), recipe)
        let colour = try firstColour(made.bytes)
        #expect(zip(colour, red).allSatisfy { abs($0 - Int($1)) <= 3 }, "\(colour)")
        let profile = try #require(try Pictures.profile(of: made.bytes))
        #expect(profile.count < 500)
        // Version 4 of the format.
        #expect(profile[8] == 4)
        // libvips reads it: the colours are those of the source.
        let distance = try Colours(of: made.bytes).distance(to: Colours(of: source()))
        #expect(distance < 3, "\(distance)")
    }

    @Test(arguments: [ImageFormat.png, .webp, .jpeg, .avif])
    func convertsColoursWithoutKeep(format: ImageFormat) throws {
        let made = try variant(of: source(), recipe(format))
        #expect(try Pictures.profile(of: made.bytes) == nil)
        #expect(try firstColour(made.bytes)[1] <= 3)
    }

    /// A profile with the colours of sRGB is not worth its bytes.
    @Test func keepOmitsSRGBProfile() throws {
        let made = try variant(of: source("png[profile=srgb]"), recipe(.webp, colour: .keep))
        #expect(try Pictures.profile(of: made.bytes) == nil)
    }

    @Test func keepConvertsCMYK() throws {
        let made = try variant(of: Pictures.cmyk(), recipe(.png, colour: .keep))
        #expect(try PictureFacts(of: made.bytes).bands == 3)
        #expect(try Pictures.profile(of: made.bytes) == nil)
    }

    @Test func survivesDamagedProfiles() throws {
        let whole = try source("jpg[profile=p3,Q=95]")
        let place = try #require(whole.firstRange(of: Array("ICC_PROFILE".utf8))).upperBound + 3
        for offset in stride(from: 0, to: 320, by: 5) {
            var bytes = whole
            bytes[place + offset] ^= 0xFF
            let fixture = try ImageFixture()
            _ = try fixture.transform(bytes, recipe(.webp, width: 20, colour: .keep))
        }
    }
}
