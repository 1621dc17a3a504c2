import ImageFormats
import Recipes
import Testing

@testable import Baking
@testable import Pictures

@Suite struct VariantPlanTests {
    private let photo = ImageHeader(format: .jpeg, width: 1200, height: 800)
    private let webp = Recipe.Encoding(format: .webp, quality: .auto)

    @Test func autoMakesWebPUnlessTheSourceIsSmaller() {
        #expect(
            planVariant(of: photo, options: .init())
                == .make(Recipe(encoding: webp, alternative: .source)))
    }

    /// Options without an effect give the same recipe, and so the same variant.
    @Test func recipeIncludesOnlyEffectiveMetadata() {
        var options = VariantOptions()
        options.metadata = .copyright
        let plain = planVariant(of: photo, options: .init())
        #expect(planVariant(of: photo, options: options) == plain)
        var tagged = photo
        tagged.hasMetadata = true
        #expect(
            planVariant(of: tagged, options: options)
                == .make(
                    Recipe(
                        encoding: webp, alternative: .source, metadata: .copyright
                    )))
    }

    @Test func onlyStillImagesOfSeveralFilesAreScaledFromTheWhole() {
        func isWhole(_ header: ImageHeader, _ options: VariantOptions) -> Bool? {
            guard case .make(let recipe) = planVariant(of: header, options: options) else {
                return nil
            }
            return recipe.isScaledFromWhole
        }
        var options = VariantOptions(maximumWidth: 300)
        #expect(isWhole(photo, options) == false)
        options.isOneOfSeveral = true
        #expect(isWhole(photo, options) == true)
        #expect(isWhole(ImageHeader(format: .jpeg, width: 8_000, height: 5_000), options) == true)
        #expect(isWhole(ImageHeader(format: .jpeg, width: 8_000, height: 5_001), options) == false)
        var animation = ImageHeader(format: .gif, width: 400, height: 300)
        animation.frameCount = 2
        #expect(isWhole(animation, options) == false)
    }

    @Test(arguments: [
        ("16:9", 1200, 675), ("1/1", 800, 800), ("1:2", 400, 800), ("2:1", 1200, 600),
    ])
    func cropsToTheLargestPartOfTheRatio(ratio: String, width: Int, height: Int) {
        var options = VariantOptions()
        options.crop = CropRatio(ratio)
        guard case .make(let recipe) = planVariant(of: photo, options: options) else {
            Issue.record("nothing is planned")
            return
        }
        #expect(recipe.crop?.width == width && recipe.crop?.height == height)
        #expect(!recipe.alternative.isSource, "the source shows more than the part")
        #expect(recipe.width == nil)
        options.maximumWidth = 200
        #expect(planVariant(of: photo, options: options).recipe?.width == 200)
    }

    @Test func cropWithoutEffectGivesTheSameRecipe() {
        var options = VariantOptions()
        options.crop = CropRatio("3:2")
        #expect(
            planVariant(of: photo, options: options) == planVariant(of: photo, options: .init()))
        var animation = ImageHeader(format: .gif, width: 400, height: 100)
        animation.frameCount = 3
        let drawing = ImageHeader(format: .svg, width: 400, height: 100)
        for header in [animation, drawing] {
            #expect(
                planVariant(of: header, options: options)
                    == planVariant(of: header, options: .init()))
        }
        options.frames = .first
        #expect(planVariant(of: animation, options: options).recipe?.crop?.width == 150)
    }

    @Test(arguments: [
        "", "16", "16:", ":9", "0:1", "-1:2", "1:101", "101:1", "10001:1", "16:9:1", "a:b",
    ])
    func refusesOtherRatios(text: String) { #expect(CropRatio(text) == nil) }

    @Test(arguments: ["1:100", "100:1", "10000:100", "1000:20"])
    func takesRatiosUpToAHundred(text: String) { #expect(CropRatio(text) != nil) }

    /// Variants of earlier versions stay valid.
    @Test func defaultsDoNotChangeTheKeyOfARecipe() {
        #expect(
            ResultKeys.variant(
                Recipe(encoding: .init(format: .webp, quality: 80), alternative: .source))
                == #"v17 {"alternative":{"source":{}},"encoding":{"effort":"normal","format":"webp","#
                + #""quality":80},"isPlaceholder":false,"isScaledFromWhole":false,"#
                + #""keepsGraphics":false}"#)
    }

    /// Lossy compression is visible in most images that are stored without loss.
    @Test func autoKeepsGraphics() {
        let chart = ImageHeader(format: .png, width: 1200, height: 800)
        #expect(
            planVariant(of: chart, options: .init())
                == .make(Recipe(encoding: webp, alternative: .source, keepsGraphics: true)))
        let exact = ImageHeader(format: .webp, width: 1200, height: 800, isLossless: true)
        guard case .make(let recipe) = planVariant(of: exact, options: .init()) else { return }
        #expect(recipe.keepsGraphics)
    }

    @Test func autoKeepsSmallLossyImages() {
        let icon = ImageHeader(format: .jpeg, width: 64, height: 64, hasMetadata: true)
        let own = Recipe.Encoding(format: .jpeg, quality: .auto)
        #expect(
            planVariant(of: icon, options: .init())
                == .make(Recipe(encoding: own, alternative: .onlySource)))
    }

    @Test func smallLossyImagesHaveAtMostAsManyPixelsAsASquareOf64() {
        let larger = ImageHeader(format: .jpeg, width: 65, height: 64)
        let made = Recipe.Encoding(format: .webp, quality: .auto)
        guard case .make(let recipe) = planVariant(of: larger, options: .init()) else {
            Issue.record("no recipe")
            return
        }
        #expect(recipe.encoding == made)
        #expect(recipe.alternative != .onlySource)
    }

    @Test func autoTriesSourceFormatOfImageThatMustChange() {
        var turned = photo
        turned.isReoriented = true
        let jpeg = Recipe.Encoding(format: .jpeg, quality: .auto)
        #expect(
            planVariant(of: turned, options: .init())
                == .make(Recipe(encoding: webp, alternative: .encodingOrSource(jpeg))))
    }

    /// A WebP is at most 16,383 pixels wide and high after scaling.
    @Test(
        arguments: [
            (30_000, nil, .png), (16_384, nil, .png), (16_383, nil, .webp), (30_000, 30, .webp),
        ] as [(Int, Int?, ImageFormat)])
    func replacesFormatThatCannotHoldTheSize(height: Int, width: Int?, expected: ImageFormat) {
        let tall = ImageHeader(format: .png, width: 60, height: height, hasMetadata: true)
        let plan = planVariant(of: tall, options: .init(format: .webp, maximumWidth: width))
        guard case .make(let recipe) = plan else {
            Issue.record("an image with metadata is made into a variant")
            return
        }
        #expect(recipe.encoding.format == expected)
    }

    @Test(arguments: [(1600, nil), (1200, nil), (1199, 1199), (300, 300)] as [(Int, Int?)])
    func scalesOnlyDown(maximum: Int, expected: Int?) {
        guard case .make(let recipe) = planVariant(of: photo, options: .init(maximumWidth: maximum))
        else {
            Issue.record("a photograph is made into a variant")
            return
        }
        #expect(recipe.width == expected)
    }

    @Test(arguments: [(1600, 600), (500, 500), (nil, 600)] as [(Int?, Int?)])
    func scalesImageWithDensityToDisplayedSize(maximum: Int?, expected: Int?) {
        var dense = photo
        (dense.shownWidth, dense.hasMetadata) = (600, true)
        let plan = planVariant(of: dense, options: .init(format: .keep, maximumWidth: maximum))
        #expect(
            plan == .make(Recipe(width: expected, encoding: .init(format: .jpeg, quality: .auto))))
    }

    @Test(arguments: [
        (ImageFormat.webp, false, false, ImageFormat.jpeg), (.avif, true, false, .png),
        (.webp, true, true, .gif),
    ])
    func usesFormatsThatReadersShow(
        format: ImageFormat, hasAlpha: Bool, isAnimated: Bool, expected: ImageFormat
    ) {
        let header = ImageHeader(
            format: format, width: 10, height: 10, frameCount: isAnimated ? 2 : 1,
            hasAlpha: hasAlpha)
        for choice in FormatChoice.allCases {
            var options = VariantOptions(format: choice)
            options.isForReaders = true
            #expect(
                planVariant(of: header, options: options)
                    == .make(Recipe(encoding: options.encoding(expected))))
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .gif])
    func keepsFormatsThatReadersShow(format: ImageFormat) {
        var options = VariantOptions(format: .avif)
        options.isForReaders = true
        let header = ImageHeader(format: format, width: 10, height: 10)
        let own = options.encoding(format)
        #expect(
            planVariant(of: header, options: options)
                == .make(Recipe(encoding: own, alternative: .onlySource)))
    }

    @Test func maximumWidthsOverImageWidthShareRecipe() {
        #expect(
            planVariant(of: photo, options: .init(maximumWidth: 1600))
                == planVariant(of: photo, options: .init(maximumWidth: 2400)))
    }

    @Test(arguments: [false, true])
    func keepDoesNotChangePixels(hasMetadata: Bool) {
        var tagged = photo
        tagged.hasMetadata = hasMetadata
        let own = Recipe(encoding: .init(format: .jpeg, quality: .auto), alternative: .onlySource)
        #expect(planVariant(of: tagged, options: .init(format: .keep)) == .make(own))
        tagged.isReoriented = true
        #expect(
            planVariant(of: tagged, options: .init(format: .keep))
                == .make(Recipe(encoding: .init(format: .jpeg, quality: .auto))))
    }

    @Test(arguments: FormatChoice.allCases)
    func keepsVectors(choice: FormatChoice) {
        let header = ImageHeader(format: .svg, width: 5000, height: 5000, hasMetadata: true)
        #expect(
            planVariant(of: header, options: .init(format: choice))
                == .make(Recipe(encoding: .init(format: .svg))))
    }

    @Test(arguments: FormatChoice.allCases, [ImageFormat.ico, .cursor])
    func keepsPicturesOfIcons(choice: FormatChoice, format: ImageFormat) {
        let header = ImageHeader(format: format, width: 256, height: 256, hasAlpha: true)
        #expect(
            planVariant(of: header, options: .init(format: choice))
                == .make(Recipe(encoding: .init(format: format), alternative: .onlySource)))
    }

    @Test(arguments: [
        (FormatChoice.jpeg, ImageFormat.gif), (.png, .gif), (.avif, .gif), (.webp, .webp),
        (.auto, .webp), (.keep, .gif),
    ])
    func animatedImagesStayAnimated(choice: FormatChoice, expected: ImageFormat) {
        let header = ImageHeader(format: .gif, width: 2000, height: 100, frameCount: 4)
        guard case .make(let recipe) = planVariant(of: header, options: .init(format: choice))
        else {
            Issue.record("an animation that is too wide is made into a variant")
            return
        }
        #expect(recipe.encoding.format == expected)
    }

    @Test func replacesJPEGByPNGForTransparency() {
        let header = ImageHeader(format: .webp, width: 10, height: 10, hasAlpha: true)
        let png = Recipe(encoding: .init(format: .png))
        #expect(planVariant(of: header, options: .init(format: .jpeg)) == .make(png))
    }

    @Test(arguments: [
        (FormatChoice.webp, Recipe.Alternative.source), (.avif, .source), (.jpeg, .source),
        (.png, .none),
    ])
    func usesSourceIfRequestedFormatIsNotSmaller(
        choice: FormatChoice, expected: Recipe.Alternative
    ) {
        guard case .make(let recipe) = planVariant(of: photo, options: .init(format: choice))
        else {
            Issue.record("an asked format is made")
            return
        }
        #expect(recipe.alternative == expected)
    }

    @Test(
        arguments: [
            (FormatChoice.webp, nil, .auto), (.jpeg, nil, .auto), (.avif, nil, .auto),
            (.webp, 5, 5),
            (.png, 90, nil),
        ] as [(FormatChoice, Quality?, Quality?)])
    func usesAskedQualityOrAuto(choice: FormatChoice, asked: Quality?, expected: Quality?) {
        let options = VariantOptions(format: choice, quality: asked)
        guard case .make(let recipe) = planVariant(of: photo, options: options) else {
            Issue.record("an asked format is made")
            return
        }
        #expect(recipe.encoding.quality == expected)
    }

    @Test func appliesSVGOption() {
        var header = ImageHeader(format: .svg, width: 40, height: 20, hasAlpha: true)
        var options = VariantOptions(maximumWidth: 30)
        let written = VariantPlan.make(Recipe(encoding: .init(format: .svg)))
        #expect(planVariant(of: header, options: options) == written)
        header.objection = "the SVG has a <script> (line 2)"
        #expect(
            planVariant(of: header, options: options)
                == .make(Recipe(encoding: .init(format: .svg))))
        options.svg = .refuse
        #expect(
            planVariant(of: header, options: options)
                == .refuse(reason: "the SVG has a <script> (line 2)"))
        options.svg = .rasterise
        let png = Recipe.Encoding(format: .png)
        #expect(
            planVariant(of: header, options: options)
                == .make(
                    Recipe(
                        width: 30, encoding: .init(format: .webp), alternative: .encoding(png))))
        options.isForReaders = true
        #expect(
            planVariant(of: header, options: options) == .make(Recipe(width: 30, encoding: png)))
        options.format = .keep
        options.isForReaders = false
        #expect(
            planVariant(of: header, options: options)
                == .make(Recipe(encoding: .init(format: .svg))))
    }

    @Test(
        arguments: [
            (ImageFormat.tiff, nil, false, ImageFormat.webp, .auto, ImageFormat.png, nil),
            (.tiff, 70, true, .webp, 70, .png, nil),
            (.heic, nil, false, .webp, .auto, .jpeg, .auto),
            (.jpegXL, nil, true, .webp, .auto, .png, nil),
        ] as [(ImageFormat, Quality?, Bool, ImageFormat, Quality?, ImageFormat, Quality?)])
    func convertsToWebFormat(
        format: ImageFormat, asked: Quality?, hasAlpha: Bool, first: ImageFormat,
        quality: Quality?, second: ImageFormat, secondQuality: Quality?
    ) {
        let header = ImageHeader(format: format, width: 10, height: 10, hasAlpha: hasAlpha)
        var options = VariantOptions(quality: asked)
        let other = Recipe.Encoding(format: second, quality: secondQuality)
        #expect(
            planVariant(of: header, options: options)
                == .make(
                    Recipe(
                        encoding: .init(format: first, quality: quality),
                        alternative: .encoding(other), keepsGraphics: format.isLossless)))
        options.format = .keep
        #expect(planVariant(of: header, options: options) == .make(Recipe(encoding: other)))
    }

    @Test func unpacksCompressedSVG() {
        let header = ImageHeader(format: .svgz, width: 10, height: 10, hasAlpha: true)
        #expect(
            planVariant(of: header, options: .init())
                == .make(Recipe(encoding: .init(format: .svg))))
    }

    @Test(
        arguments: [
            (ImageFormat.gif, FormatChoice.auto, ImageFormat.webp, ImageFormat.gif),
            (.webp, .auto, .webp, nil), (.gif, .keep, .gif, nil), (.gif, .jpeg, .jpeg, nil),
            (.png, .avif, .avif, nil),
        ] as [(ImageFormat, FormatChoice, ImageFormat, ImageFormat?)])
    func firstFrameIsStill(
        format: ImageFormat, choice: FormatChoice, expected: ImageFormat, other: ImageFormat?
    ) {
        let header = ImageHeader(format: format, width: 100, height: 100, frameCount: 4)
        var options = VariantOptions(format: choice)
        options.frames = .first
        guard case .make(let recipe) = planVariant(of: header, options: options) else {
            Issue.record("the first frame is made")
            return
        }
        #expect(recipe.isStill)
        #expect(recipe.encoding.format == expected)
        #expect(recipe.alternative.encoding?.format == other)
        #expect(!recipe.alternative.isSource)
    }

    @Test func firstFrameOptionDoesNotChangeStillImages() {
        var options = VariantOptions()
        options.frames = .first
        #expect(
            planVariant(of: photo, options: options) == planVariant(of: photo, options: .init()))
    }

    @Test(arguments: [ImageFormat.gif, .webp, .png, .avif], FormatChoice.allCases)
    func keepLeavesAnimationsAsTheyAre(format: ImageFormat, choice: FormatChoice) {
        let header = ImageHeader(
            format: format, width: 4_000, height: 100, frameCount: 4, hasMetadata: true)
        var options = VariantOptions(format: choice, quality: 5)
        options.frames = .keep
        guard case .make(let recipe) = planVariant(of: header, options: options) else {
            Issue.record("an animation loses its metadata")
            return
        }
        #expect(recipe.alternative == .onlySource)
        #expect(recipe.width == nil && recipe.frames == nil && recipe.encoding.format == format)
        // Feed readers show no animated WebP and no AVIF.
        options.isForReaders = true
        guard case .make(let other) = planVariant(of: header, options: options) else { return }
        #expect((other.alternative == .onlySource) == format.isShownByReaders)
    }

    @Test func keepTransformsStillImages() {
        for format in FormatChoice.allCases {
            var options = VariantOptions(format: format)
            options.frames = .keep
            let plan = planVariant(of: photo, options: .init(format: format))
            #expect(planVariant(of: photo, options: options) == plan)
        }
    }
}
