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

    @Test(arguments: [ImageFormat.png, .webp, .jpeg, .avif])
    func convertsColours(format: ImageFormat) throws {
        let made = try variant(of: source(), recipe(format))
        #expect(try Pictures.profile(of: made.bytes) == nil)
        let colour = try Pictures.colours(of: made.bytes)[0].prefix(3).map { Int($0 >> 8) }
        #expect(colour[1] <= 3)
    }

    @Test func survivesDamagedProfiles() throws {
        let whole = try source("jpg[profile=p3,Q=95]")
        let place = try #require(whole.firstRange(of: Array("ICC_PROFILE".utf8))).upperBound + 3
        for offset in stride(from: 0, to: 320, by: 5) {
            var bytes = whole
            bytes[place + offset] ^= 0xFF
            let fixture = try ImageFixture()
            _ = try fixture.transform(bytes, recipe(.webp, width: 20))
        }
    }
}
