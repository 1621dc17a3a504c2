import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Recipes that keep graphics: lossy compression must not be visible.
@Suite(.timeLimit(.minutes(10)))
struct GraphicsTests {
    private func made(
        _ bytes: [UInt8], width: Int? = nil, or alternative: Recipe.Alternative = .source
    ) throws -> (answer: JobResult.Variant, bytes: [UInt8]) {
        try variant(
            of: bytes,
            Recipe(
                width: width, encoding: .init(format: .webp, quality: 80),
                alternative: alternative, keepsGraphics: true))
    }

    private func isExact(_ bytes: [UInt8], _ source: [UInt8]) throws -> Bool {
        func colours(_ image: [UInt8]) throws -> [[UInt8]] {
            try Pictures.pixels(of: image).map { $0.count < 3 ? [$0[0], $0[0], $0[0]] : $0 }
        }
        return try colours(bytes) == colours(source)
    }

    @Test func keepsSmallImagesExact() throws {
        let icon = try Pictures.photo(width: 160, height: 160, as: "png[strip]")
        let made = try made(icon)
        #expect(made.answer.format == .webp)
        #expect(made.bytes.count < icon.count)
        #expect(try isExact(made.bytes, icon))
    }

    @Test func keepsFewColoursExact() throws {
        let chart = try Pictures.text(String(repeating: "Words in a line ", count: 4), as: "png")
        let made = try made(chart)
        #expect(try isExact(made.bytes, chart))
        #expect(made.bytes.count < chart.count)
    }

    @Test func photographIsLossy() throws {
        let photo = try Pictures.photo(width: 400, height: 300, as: "png[strip]")
        let made = try made(photo)
        #expect(made.answer.format == .webp)
        #expect(made.bytes.count * 4 < photo.count)
        #expect(try !isExact(made.bytes, photo))
    }

    /// A drawing with more than 256 colours whose lossless encoding is small.
    @Test func otherPicturesAreLossyOnlyBelowAThirdOfTheSize() throws {
        let flat = try Pictures.stripes(width: 600, height: 400, as: "png[strip]")
        let made = try made(flat)
        #expect(try isExact(made.bytes, flat))
        #expect(made.bytes.count < flat.count)
    }

    /// Of which lossless compression is most likely large, and which is tried in a quick way.
    @Test func texturesAreLossyOnlyBelowAThirdOfTheSize() throws {
        let hard = try Pictures.mosaic(width: 600, height: 400, as: "png[strip]")
        #expect(try isExact(made(hard).bytes, hard))
        let soft = try Pictures.mosaic(width: 600, height: 400, blur: 2, as: "png[strip]")
        let made = try made(soft)
        #expect(try !isExact(made.bytes, soft))
        #expect(made.bytes.count * 5 < soft.count)
    }

    /// Browsers cannot show the source, so the smallest encoding is used where all are larger.
    @Test func foreignSourceGetsSmallestEncoding() throws {
        let tiff = try Pictures.text("Words in a line", as: "tif[compression=none]")
        let png = Recipe.Encoding(format: .png)
        let made = try made(tiff, or: .encoding(png))
        #expect(made.answer.format == .webp)
        #expect(try isExact(made.bytes, tiff))
        let photo = try Pictures.photo(width: 400, height: 300, as: "tif[compression=jpeg,Q=75]")
        #expect(try self.made(photo, or: .encoding(png)).bytes.count < photo.count)
    }

    @Test func recognizesLosslessWebP() throws {
        #expect(try header(of: Pictures.scene(as: "webp[lossless]")).isLossless)
        #expect(try !header(of: Pictures.scene(as: "webp[Q=80]")).isLossless)
        #expect(try header(of: Pictures.animation(as: "webp", isLossless: true)).isLossless)
        #expect(try !header(of: Pictures.animation(as: "webp")).isLossless)
        #expect(try header(of: Pictures.scene(as: "png")).isLossless)
        #expect(try !header(of: Pictures.scene(as: "jpg")).isLossless)
    }
}
