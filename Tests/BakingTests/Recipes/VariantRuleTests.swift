import ImageFormats
import Recipes
import Testing

@testable import Baking

/// Rules that hold for the variants of all images under all options.
@Suite(.timeLimit(.minutes(10))) struct VariantRuleTests {
    private static let headers: [ImageHeader] = ImageFormat.all.filter { $0.decoder != nil }
        .flatMap { format in
            // No encoder writes a WebP of the last size.
            [(1, 1), (1_600, 900), (1_601, 40), (20_000, 30)].filter {
                $0.0 <= format.longestSide
            }.flatMap { size in
                [false, true].flatMap { isOdd in
                    [1, 3].filter { $0 == 1 || format.canBeAnimated }.map { frames in
                        ImageHeader(
                            format: format, width: size.0, height: size.1, frameCount: frames,
                            hasAlpha: isOdd && format.hasAlphaChannel, isReoriented: isOdd,
                            isStandardColour: !isOdd, hasMetadata: isOdd)
                    }
                }
            }
        }

    private static let qualities: [Quality?] = [nil, 35, .level(.high)]

    private static let options: [VariantOptions] = FormatChoice.allCases.flatMap { format in
        qualities.flatMap { quality in
            [nil, 1, 1_600].flatMap { width in
                [false, true].flatMap { isForReaders in
                    SVGChoice.allCases.map { svg in
                        var options = VariantOptions(
                            format: format, quality: quality, maximumWidth: width)
                        options.isForReaders = isForReaders
                        options.svg = svg
                        return options
                    }
                }
            }
        }
    }

    /// Calls `body` with each image of pixels, the options and the recipe for it.
    private func forEachRecipe(
        _ body: (ImageHeader, VariantOptions, Recipe) throws -> Void
    ) rethrows {
        for header in Self.headers where header.format.kind == .pixels {
            for options in Self.options {
                guard case .make(let recipe) = planVariant(of: header, options: options) else {
                    Issue.record("\(header) is not made under \(options)")
                    return
                }
                try body(header, options, recipe)
            }
        }
    }

    private func encodings(_ recipe: Recipe) -> [Recipe.Encoding] {
        [recipe.encoding, recipe.alternative.encoding].compactMap(\.self)
    }

    @Test func neverEnlargesOrExceedsMaximumWidth() {
        forEachRecipe { header, options, recipe in
            let width = recipe.width ?? header.width
            let isRight =
                width > 0 && width <= header.width
                && width <= max(options.maximumWidth ?? .max, 1)
                && recipe.width != header.width
            #expect(isRight, "\(header) \(options) \(recipe)")
        }
    }

    @Test func everyEncodingCanHoldTheImage() {
        forEachRecipe { header, options, recipe in
            for encoding in encodings(recipe) {
                let isRight =
                    encoding.format.encoder != nil
                    && (!header.hasAlpha || encoding.format.hasAlphaChannel)
                    && (!header.isAnimated || encoding.format.canBeAnimated)
                #expect(isRight, "\(header) \(options) \(recipe)")
            }
        }
    }

    @Test func respectsMaximumSizeOfRequestedFormat() {
        forEachRecipe { header, options, recipe in
            guard options.format != .auto, header.format.isShownByBrowsers else { return }
            let width = recipe.width ?? header.width
            let side = max(width, header.height * width / header.width)
            #expect(side <= recipe.encoding.format.longestSide, "\(header) \(options) \(recipe)")
        }
    }

    @Test func usesSourceOnlyIfBrowsersShowIt() {
        forEachRecipe { header, options, recipe in
            let isRight = !recipe.alternative.isSource || header.format.isShownByBrowsers
            #expect(isRight, "\(header) \(options) \(recipe)")
        }
    }

    @Test func usesFormatsThatReadersShow() {
        forEachRecipe { header, options, recipe in
            guard options.isForReaders else { return }
            var formats = encodings(recipe).map(\.format)
            if recipe.alternative.isSource { formats.append(header.format) }
            let areShown = formats.allSatisfy { $0.isShownByReaders }
            #expect(areShown, "\(header) \(options) \(recipe)")
        }
    }

    @Test func qualityComesFromOptionsOrIsAuto() {
        forEachRecipe { header, options, recipe in
            for encoding in encodings(recipe) {
                if encoding.format.encoder?.numbers == nil {
                    #expect(encoding.quality == nil, "\(header) \(options) \(recipe)")
                    continue
                }
                // A source without loss may be encoded without loss, if no quality is asked for.
                let isRight =
                    encoding.quality == (options.quality ?? .auto)
                    || (encoding.quality == nil && options.quality == nil
                        && header.format.isLossless)
                #expect(isRight, "\(header) \(options) \(recipe)")
            }
        }
    }

    @Test func keepRetainsWebFormats() {
        forEachRecipe { header, options, recipe in
            guard options.format == .keep, !options.isForReaders,
                header.format.isShownByBrowsers, header.format.encoder != nil
            else { return }
            #expect(
                encodings(recipe).allSatisfy { $0.format == header.format },
                "\(header) \(options) \(recipe)")
        }
    }

    @Test func neverPublishesUnsafeSVGUnchanged() {
        for format in [ImageFormat.svg, .svgz] {
            for options in Self.options {
                let header = ImageHeader(
                    format: format, width: 10, height: 10, objection: "it has a <script>")
                let plan = planVariant(of: header, options: options)
                switch plan {
                case .passOn: Issue.record("\(options)")
                case .refuse(let reason):
                    #expect(options.svg == .refuse && reason == "it has a <script>")
                case .make(let recipe):
                    #expect(options.svg != .refuse && !recipe.alternative.isSource)
                }
            }
        }
    }

    @Test func keepsSafeSVGUnlessRasterized() {
        let header = ImageHeader(format: .svg, width: 10, height: 10)
        for options in Self.options {
            let isKept =
                planVariant(of: header, options: options)
                == .make(Recipe(encoding: .init(format: .svg)))
            #expect(isKept == (options.svg != .rasterise || options.format == .keep))
        }
    }

    @Test func equalEffectsGiveEqualRecipes() {
        let header = ImageHeader(format: .jpeg, width: 800, height: 600)
        let plans = [nil, 800, 801, 9_999].map {
            planVariant(of: header, options: VariantOptions(maximumWidth: $0))
        }
        #expect(Set(plans.map { "\($0)" }).count == 1)
    }
}
