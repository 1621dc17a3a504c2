import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// The alternatives if an encoding is not smaller than the source.
@Suite(.timeLimit(.minutes(10)))
struct AlternativeTests {
    /// A photograph that is small as it is, and larger as a PNG.
    private let small: [UInt8]

    init() throws {
        small = try Pictures.photo(width: 300, height: 200, as: "webp[Q=30]")
    }

    @Test func usesSmallerSource() throws {
        let made = try variant(of: small, recipe(.png, or: .source))
        #expect(made.answer.format == .webp)
        #expect(made.bytes.count <= small.count)
    }

    @Test func usesSmallerEncoding() throws {
        let large = try Pictures.photo(width: 300, height: 200, as: "png")
        let made = try variant(of: large, recipe(.webp, or: .source))
        #expect(!made.answer.isSource)
        #expect(made.bytes.count < large.count)
    }

    @Test func usesEncodingOfAnySizeWithoutAlternative() throws {
        let made = try variant(of: small, recipe(.png))
        #expect(made.answer.format == .png)
        #expect(made.bytes.count > small.count)
    }

    @Test func usesSmallerOfTwoEncodings() throws {
        let jpeg = Recipe.Encoding(format: .jpeg, quality: 20)
        let made = try variant(of: small, recipe(.png, or: .encoding(jpeg)))
        #expect(made.answer.format == .jpeg)
        let png = Recipe.Encoding(format: .png)
        let other = try variant(of: small, recipe(.webp, 90, or: .encoding(png)))
        #expect(other.answer.format == .webp)
    }

    @Test func skipsSecondEncodingIfFirstIsSmallerThanSource() throws {
        let large = try Pictures.photo(width: 300, height: 200, as: "png")
        let coarse = Recipe.Encoding(format: .jpeg, quality: 1)
        let made = try variant(of: large, recipe(.webp, or: .encoding(coarse)))
        #expect(made.answer.format == .webp)
    }

    @Test func damagedSourceIsNeverTheAlternative() throws {
        let cut = try Pictures.cut(Pictures.noise(as: "jpg[Q=5]"))
        #expect(try jobError(of: cut, recipe(.png, or: .source)).code == .corrupt)
    }
}
