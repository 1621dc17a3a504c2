import Documents
import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures

@Suite struct ImageScalingTests {
    private func scaling(_ old: (Int, Int), _ new: (Int, Int)) -> ImageScaling {
        ImageScaling(.stub(old: old, new: new))
    }

    @Test(arguments: [
        (" 3000w", " 1600w"), (" 3000w  2000h", " 1600w  1067h"), ("\n1500W", "\n800w"),
        (" 1w", " 1w"), (" 16777215w", " 8947848w"), ("3000w", "1600w"), ("w", nil),
        (" 45w", " 24w"),
        (" 46w", " 25w"), (" 3000w ", " 1600w "), ("", ""),
    ])
    func updatesWidthDescriptors(text: String, expected: String?) {
        #expect(
            scaling((3000, 2000), (1600, 1067)).descriptors(text, needsDensity: false) == expected)
    }

    @Test(arguments: [
        (" 3x", " 1.33333333x"), (" 3.0X", " 1.33333333x"), ("\t 2.25x", "\t 1x"),
        (" .9x", " 0.4x"), ("3x 3x", "1.33333333x 1.33333333x"),
    ])
    func densitiesKeepDisplayedSize(text: String, expected: String) throws {
        #expect(
            scaling((3600, 2400), (1600, 1067)).descriptors(text, needsDensity: false) == expected)
    }

    @Test func smallestDensityHasEightDecimals() {
        #expect(
            scaling((2, 2), (1, 1)).descriptors(" 0.00000002x", needsDensity: false)
                == " 0.00000001x")
    }

    @Test func scaledWidthIsAtLeastOne() {
        #expect(scaling((3000, 2000), (10, 7)).descriptors(" 1w", needsDensity: false) == " 1w")
        #expect(scaling((3000, 2000), (10, 7)).width(" 9 ") == "1")
    }

    @Test(arguments: [(false, ""), (true, " 0.5x")])
    func addsDescriptorToCandidateAmongOthers(needsDensity: Bool, expected: String) {
        #expect(
            scaling((3200, 10), (1600, 5)).descriptors("", needsDensity: needsDensity) == expected)
    }

    @Test(arguments: [
        " big", " 3q", " -1w", " (1w)", " 0x", " nanx", " 99999999999w", " 0w", " 0h",
        " 16777216w", " 1e300x", " 0.00000001x", "1w 2q",
    ])
    func keepsOtherDescriptors(text: String) {
        #expect(scaling((2, 2), (1, 1)).descriptors(text, needsDensity: false) == nil)
    }

    @Test func imageWithoutSizeIsNotScaled() {
        #expect(scaling((0, 0), (0, 0)).isNone)
        #expect(scaling((0, 5), (9, 5)).isNone && scaling((10, 0), (10, 5)).isNone)
        #expect(scaling((10, 5), (0, 5)).isNone && scaling((10, 5), (10, 0)).isNone)
        #expect(!scaling((10, 5), (1, 1)).isNone && !scaling((1, 1), (10, 5)).isNone)
        #expect(scaling((10, 5), (10, 5)).isNone)
        #expect(!scaling((10, 5), (9, 5)).isNone)
    }
}

@Suite struct ClaimPlanTests {
    /// The references of a page, with an image for each URL that is a key.
    private func plan(
        _ text: String, _ images: [String: BakedImage], kind: DocumentKind = .html
    ) -> (plan: ClaimPlan, references: References) {
        let references = extract(Array(text.utf8), kind: kind).references
        var byRange: [Range<Int>: BakedImage] = [:]
        for reference in references { byRange[reference.range] = images[reference.url] }
        return (ClaimPlan(references, images: byRange), references)
    }

    private func restrictions(
        _ text: String, _ images: [String: BakedImage]
    ) -> [String: Reference.FixedProperties] {
        let (plan, references) = plan(text, images)
        let restrictions = plan.restrictions
        return references.reduce(into: [:]) { $0[$1.url] = restrictions[$1.range] }
    }

    private let webp = BakedImage.stub(.jpeg, to: .webp)
    private let jpeg = BakedImage.stub(.jpeg, to: .jpeg)
    private let typed = "<picture><source type=image/jpeg srcset='a 1x, b 2x'></picture>"

    @Test func updatesTypeOfImagesThatShareIt() {
        let (plan, references) = plan(typed, ["a": webp, "b": webp])
        #expect(plan.restrictions.isEmpty)
        #expect(references.map { plan.texts(for: $0)[.mediaType] } == ["image/webp", "image/webp"])
    }

    /// Otherwise browsers add the 'src' with the density 1.
    @Test(arguments: [
        ("<img src=s srcset='a 1x, b 1.5x'>", ["a"]), ("<img src=s srcset='a, b 3x'>", ["a"]),
        ("<img src=s srcset='b 3x, a 1.0x'>", ["a"]), ("<img src=s srcset='a 1x, b 0.5x'>", ["a"]),
        ("<img src=s srcset='a 3200w, b 3199w'>", []),
        ("<img src=s srcset='a 320w, b 3200w'>", ["a"]), ("<img src=s srcset='a 2x, b 3x'>", []),
        ("<img src=s srcset='a 1x, b 2x'>", []),
        ("<picture><source srcset='a 1x, b 1.5x'><img></picture>", []),
    ])
    func keepsSizeOfCandidateWithDensityOne(page: String, expected: [String]) {
        let small = BakedImage.stub(old: (3200, 10), new: (1600, 5))
        let restrictions = restrictions(page, ["a": small, "b": small])
        #expect(restrictions.filter { $0.value == .size }.keys.sorted() == expected)
    }

    @Test(arguments: [("<img srcset=a>", ""), ("<img srcset='a, b 9x'>", " 0.5x")])
    func onlyCandidateAmongOthersGetsADensity(page: String, descriptors: String) {
        let half = BakedImage.stub(old: (3200, 10), new: (1600, 5))
        let (plan, references) = plan(page, ["a": half])
        #expect(plan.texts(for: references[0]) == [.descriptors: descriptors])
    }

    @Test func keepsFormatIfImagesWithOneTypeDiffer() {
        #expect(restrictions(typed, ["a": webp, "b": jpeg]) == ["a": .format])
    }

    @Test func unbakedImageKeepsFormatOfItsNeighbours() {
        #expect(restrictions(typed, ["a": webp]) == ["a": .format])
    }

    @Test func keepsWrongType() {
        let text = "<picture><source type=image/jxl srcset=a></picture>"
        #expect(restrictions(text, ["a": webp]) == ["a": .format])
        let (plan, references) = plan(text, ["a": jpeg])
        #expect(plan.restrictions.isEmpty)
        #expect(references.map { plan.texts(for: $0)[.mediaType] } == ["image/jxl"])
    }

    @Test func updatesOpenGraphWidthAndHeight() {
        let text = """
            <meta property=og:image content=a><meta property=og:image:secure_url content=b>
            <meta property=og:image:width content=3200><meta property=og:image:height content=' 10 '>
            """
        let half = BakedImage.stub(old: (3200, 10), new: (1600, 5))
        let (plan, references) = plan(text, ["a": half, "b": half])
        #expect(plan.restrictions.isEmpty)
        #expect(references.map { plan.texts(for: $0)[.width] } == ["1600", "1600"])
        #expect(references.map { plan.texts(for: $0)[.height] } == ["5", "5"])
        #expect(restrictions(text, ["a": half]) == ["a": .size])
    }

    @Test func invalidWidthFixesSize() {
        let text = "<meta property=og:image content=a><meta property=og:image:width content=wide>"
        #expect(
            restrictions(text, ["a": .stub(old: (20, 10), new: (10, 5))]) == ["a": .size])
    }

    @Test func unknownDescriptorsFixSize() {
        let images = ["a": BakedImage.stub(old: (20, 10), new: (10, 5))]
        #expect(restrictions("<img srcset='a 1q'>", images) == ["a": .size])
        #expect(restrictions("<img srcset='a 20w'>", images) == [:])
    }

    /// A width may be rounded, by two pixels or by two percent.
    @Test(arguments: [
        (3000, 3060, false), (3000, 3061, false), (3000, 3062, true), (3061, 3000, true),
        (3060, 3000, false), (50, 52, false), (50, 53, true), (100, 98, false), (100, 97, true),
    ])
    func candidateWithWrongWidthIsMisstated(stated: Int, width: Int, isMisstated: Bool) {
        let image = BakedImage.stub(old: (width, 10), new: (10, 5))
        let (plan, references) = plan("<img srcset='a \(stated)w'>", ["a": image])
        #expect(plan.misstated == (isMisstated ? Array(references) : []))
        #expect(plan.restrictions.isEmpty == !isMisstated)
    }

    @Test func removesDuplicateCandidates() {
        let text = "<img srcset='a 3000w, b 2000w, c 800w, d 800w, e 1600w, f 1600w'>"
        let images = [
            "a": BakedImage.stub(old: (3000, 10), new: (1600, 5)),
            "b": .stub(old: (2000, 10), new: (1600, 8)), "c": .stub(old: (800, 4), new: (800, 4)),
            "d": .stub(old: (800, 4), new: (800, 4)), "e": .stub(old: (1600, 8), new: (1600, 8)),
        ]
        let (plan, references) = plan(text, images)
        let removals = plan.removals
        // Browsers ignored 'd' before the bake too; 'f' is not baked, so it cannot be removed.
        #expect(references.filter { removals.contains($0.range) }.map(\.url) == ["b", "e"])
    }

    @Test func updatesLengthOfEnclosure() {
        let text = "<rss><enclosure url='a' length='77' type='image/png'/></rss>"
        let (plan, references) = plan(
            text, ["a": .stub(.png, to: .png)], kind: .xml)
        #expect(
            references.map { plan.texts(for: $0) }
                == [[.byteCount: "5", .mediaType: "image/png"]])
    }
}

extension BakedImage {
    static func stub(
        _ old: ImageFormat, to new: ImageFormat, size: ((Int, Int), (Int, Int)) = ((2, 2), (2, 2))
    ) -> BakedImage {
        BakedImage(
            url: "https://h/a", options: VariantOptions(), sourceDigest: .ofNoBytes,
            sourceByteCount: 9, fileName: "a", byteCount: 5, format: new, width: size.1.0,
            height: size.1.1,
            original: Original(format: old, width: size.0.0, height: size.0.1))
    }

    static func stub(old: (Int, Int), new: (Int, Int)) -> BakedImage {
        stub(.jpeg, to: .webp, size: (old, new))
    }
}
