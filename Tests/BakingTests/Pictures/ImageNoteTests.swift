import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports

struct ImageNoteTests {
    private let animation = ImageHeader(format: .avif, width: 90, height: 60, frameCount: 7)

    @Test(arguments: [FormatChoice.auto, .webp])
    func notesKeptAnimation(format: FormatChoice) throws {
        let note = ImageNote(animation, madeInto: .avif, VariantOptions(format: format))
        #expect(note?.code == .animationKept)
        #expect(try #require(note).reason.contains("7 frames"))
    }

    @Test func hasNoNoteIfAnimationWasRequested() {
        for format in [FormatChoice.keep, .avif] {
            let options = VariantOptions(format: format)
            #expect(ImageNote(animation, madeInto: .avif, options) == nil, "\(format)")
        }
        let scaled = VariantOptions(format: .keep, maximumWidth: 50)
        #expect(ImageNote(animation, madeInto: .avif, scaled)?.code == .animationKept)
        let still = ImageHeader(format: .avif, width: 90, height: 60)
        #expect(ImageNote(still, madeInto: .avif, VariantOptions()) == nil)
        #expect(ImageNote(animation, madeInto: .webp, VariantOptions()) == nil)
    }

    @Test func notesPNGThatIsNotScaled() {
        let animation = ImageHeader(format: .png, width: 90, height: 60, frameCount: 7)
        let scaled = VariantOptions(format: .keep, maximumWidth: 50)
        #expect(ImageNote(animation, madeInto: .png, scaled)?.code == .animationKept)
        #expect(ImageNote(animation, madeInto: .webp, scaled) == nil)
        let whole = VariantOptions(format: .keep)
        #expect(ImageNote(animation, madeInto: .png, whole) == nil)
    }

    @Test func notesRemovalsFromSVG() {
        let header = ImageHeader(format: .svg, width: 9, height: 9, removals: "2 scripts")
        let note = ImageNote(header, madeInto: .svg, VariantOptions())
        #expect(note == ImageNote(.svgSanitised, "removed from the SVG: 2 scripts"))
        #expect(ImageNote(header, madeInto: .png, VariantOptions()) == nil)
        let safe = ImageHeader(format: .svg, width: 9, height: 9)
        #expect(ImageNote(safe, madeInto: .svg, VariantOptions()) == nil)
    }

    @Test func tellsOfColoursAndGainMaps() {
        var header = ImageHeader(format: .avif, width: 40, height: 30)
        header.isKept = true
        let webp = VariantOptions(format: .webp)
        #expect(ImageNote(header, madeInto: .avif, webp)?.code == .coloursKept)
        #expect(ImageNote(header, madeInto: .avif, VariantOptions(format: .keep)) == nil)
        header.format = .gif
        #expect(ImageNote(header, madeInto: .gif, webp)?.code == .animationKept)
        var jpeg = ImageHeader(format: .jpeg, width: 40, height: 30)
        #expect(ImageNote(jpeg, madeInto: .jpeg, VariantOptions(format: .keep)) == nil)
        jpeg.hasGainMap = true
        for format in [ImageFormat.jpeg, .webp] {
            let note = ImageNote(jpeg, madeInto: format, VariantOptions(format: .keep))
            #expect(note?.code == .gainMapRemoved)
        }
    }
}
