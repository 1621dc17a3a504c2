package import ImageFormats

/// The plan for the variant of a source.
///
/// It depends on the header of the source. A worker that reads the header applies the plan in the
/// same job, and ``AnswerRules`` checks that it did. The command plans a source whose header is
/// known, because its variant may be in the cache.
package enum VariantPlan: Equatable, Sendable {
    /// The source's own bytes are published; of a loading picture: there is none.
    case passOn
    case make(Recipe)
    /// The source must not be published; the reason follows the URL in messages.
    case refuse(reason: String)

    /// The recipe of a variant that is to be made; nil for another plan.
    package var recipe: Recipe? { if case .make(let recipe) = self { recipe } else { nil } }
}

/// The options that affect a variant.
package struct VariantOptions: Codable, Hashable, Sendable {
    package var format: FormatChoice
    /// Nil uses ``Quality/auto``, and keeps a source without loss lossless in some cases.
    package var quality: Quality?
    /// How much work the encoders do for fewer bytes; ``Effort/normal`` by default.
    package var effort = Effort.normal
    /// In pixels; nil does not limit the width.
    package var maximumWidth: Int?
    /// The ratio to crop pictures to; nil, the default, for their own.
    package var crop: CropRatio?
    /// How to treat SVGs; ``SVGChoice/sanitise`` by default.
    package var svg = SVGChoice.sanitise
    /// Which frames of an animation to use; ``FrameChoice/all`` by default.
    package var frames = FrameChoice.all
    /// The metadata to keep; nil, the default, for none.
    package var metadata: Recipe.Metadata?
    /// Whether the image must have a format that feed readers and social networks show: JPEG, PNG
    /// or GIF.
    package var isForReaders = false
    /// Whether the element says that the image has a format which not every reader shows, and files
    /// in other formats stand beside it.
    package var isFormatStated = false
    /// Whether other widths and formats of the image are made too, so that one decoding for all is
    /// faster.
    package var isOneOfSeveral = false
    /// Whether the picture that stands for the image while it loads is made in the same job; see
    /// ``LoadingPlaceholder``.
    package var wantsPlaceholder = false
    /// Whether the variant is that picture; no other option counts then.
    package var isPlaceholder = false

    package init(
        format: FormatChoice = .auto, quality: Quality? = nil, maximumWidth: Int? = 1600
    ) {
        self.format = format
        self.quality = quality
        self.maximumWidth = maximumWidth
    }
}

/// Decides which variant is made of an image with `header`.
///
/// An image is never enlarged, and an animated image stays animated. A format that cannot hold the
/// frames, the transparency or the size is replaced by one that can.
package func planVariant(of header: ImageHeader, options: VariantOptions) -> VariantPlan {
    guard let crop = header.crop(for: options) else { return planPicture(of: header, options) }
    let plan = planPicture(of: header.cropped(to: crop), options, isPart: true)
    guard case .make(var recipe) = plan else { return plan }
    recipe.crop = crop
    // Variants of several widths show the same part.
    recipe.isScaledFromWhole = true
    return .make(recipe)
}

/// Decides which variant is made of a picture; with `isPart`, its source shows more.
private func planPicture(
    of header: ImageHeader, _ options: VariantOptions, isPart: Bool = false
) -> VariantPlan {
    if options.isPlaceholder { return planPlaceholder(of: header) }
    let plan = planEncoding(of: header, options: options, isPart: isPart)
    guard case .make(var recipe) = plan, header.format.kind == .pixels else { return plan }
    // Options without an effect on this image share its variant.
    recipe.metadata = header.hasMetadata ? options.metadata : nil
    recipe.isScaledFromWhole =
        options.isOneOfSeveral && header.pixels <= ImageHeader.mostWholePixels && !header.isAnimated
        && recipe.alternative != .onlySource
    return .make(recipe)
}

private func planEncoding(
    of header: ImageHeader, options: VariantOptions, isPart: Bool
) -> VariantPlan {
    if header.format.kind == .drawing { return planDrawing(of: header, options: options) }
    guard header.format.kind == .pixels else {
        // Only what belongs to no picture is removed.
        return .make(Recipe(encoding: .init(format: header.format), alternative: .onlySource))
    }
    guard header.isAnimated else {
        return .make(
            isPart
                ? planPart(of: header, options: options) : planPixels(of: header, options: options))
    }
    switch options.frames {
    case .first:
        var first = header
        first.frameCount = 1
        var recipe = planPart(of: first, options: options)
        recipe.frames = .first
        return .make(recipe)
    case .keep where header.mayStayAnimated(for: options):
        return .make(Recipe(encoding: options.encoding(header.format), alternative: .onlySource))
    case .all, .keep: return .make(planPixels(of: header, options: options))
    }
}

/// Decides which variant is made of a part of an image: its first frame, or a crop.
private func planPart(of header: ImageHeader, options: VariantOptions) -> Recipe {
    var recipe = planPixels(of: header, options: options, mustChange: true)
    // The source shows the rest too.
    recipe.alternative = recipe.alternative.encoding.map { .encoding($0) } ?? .none
    return recipe
}

/// Decides which variant is made of an image that has pixels.
///
/// - Parameters:
///   - header: The header of the image.
///   - options: The options.
///   - mustChange: Whether its own bytes cannot be used, for a reason that is not in the header.
/// - Returns: The recipe of the variant.
private func planPixels(
    of header: ImageHeader, options: VariantOptions, mustChange: Bool = false
) -> Recipe {
    let width = header.scaledWidth(to: options.maximumWidth)
    let mustChange =
        mustChange || width != nil || header.isReoriented
        || !header.isStandardColour
    let own = options.encoding(header.format)

    guard header.format.isShownByBrowsers else {
        return foreignRecipe(of: header, width: width, options: options)
    }
    if options.isForReaders, let format = header.formatForReaders {
        return Recipe(width: width, encoding: options.encoding(format))
    }
    switch options.choice {
    case .keep:
        return Recipe(
            width: width, encoding: own, alternative: mustChange ? .none : .onlySource)
    case .auto where !mustChange && header.isTooSmallToEncodeAgain:
        return Recipe(encoding: own, alternative: .onlySource)
    case .auto:
        let alternative: Recipe.Alternative =
            // EXIF with another size would be removed, and the source would be shown at its own
            // size.
            if header.shownWidth != nil {
                header.format == .webp ? .none : .encoding(own)
            } else if !mustChange || header.format == .webp { .source } else {
                .encodingOrSource(own)
            }
        return Recipe(
            width: width, encoding: options.encoding(.webp), alternative: alternative,
            keepsGraphics: header.isLossless)
    case .webp, .avif, .jpeg, .png:
        let target = options.target(for: header, width: width ?? header.width)
        // Users choose WebP and AVIF to save bytes, and JPEG and PNG for programs that show nothing
        // else.
        let isWorthless = target == header.format || target == .webp || target == .avif
        let alternative: Recipe.Alternative = !mustChange && isWorthless ? .source : .none
        return Recipe(
            width: width, encoding: options.encoding(target), alternative: alternative)
    }
}

/// The recipe for an image in a format that browsers do not show, which must be converted.
private func foreignRecipe(
    of header: ImageHeader, width: Int?, options: VariantOptions
) -> Recipe {
    let isExact = header.isLossless && options.quality == nil
    let still: ImageFormat = isExact || header.hasAlpha ? .png : .jpeg
    switch options.choice {
    case .keep: return Recipe(width: width, encoding: options.encoding(still))
    case .auto:
        return Recipe(
            width: width, encoding: options.encoding(.webp),
            alternative: .encoding(options.encoding(still)), keepsGraphics: header.isLossless)
    case .webp, .avif, .jpeg, .png:
        return Recipe(
            width: width,
            encoding: options.encoding(options.target(for: header, width: width ?? header.width)))
    }
}

/// Decides which variant is made of an SVG.
private func planDrawing(of header: ImageHeader, options: VariantOptions) -> VariantPlan {
    switch options.svg {
    case .refuse:
        if let objection = header.objection { return .refuse(reason: objection) }
        return .make(Recipe(encoding: .init(format: .svg)))
    case .rasterise where options.format != .keep:
        let width =
            header.width == 0 ? options.maximumWidth : header.scaledWidth(to: options.maximumWidth)
        let png = options.encoding(.png)
        if options.isForReaders { return .make(Recipe(width: width, encoding: png)) }
        guard options.format == .auto else {
            let format = options.target(for: header, width: width ?? header.width)
            return .make(Recipe(width: width, encoding: options.encoding(format)))
        }
        let webp = Recipe.Encoding(
            format: .webp, quality: options.quality, effort: options.effort)
        return .make(Recipe(width: width, encoding: webp, alternative: .encoding(png)))
    // The worker keeps the bytes of an SVG in the strict form.
    case .sanitise, .rasterise: return .make(Recipe(encoding: .init(format: .svg)))
    }
}

extension ImageHeader {
    /// The most pixels of an image that is held in memory for several variants.
    package static let mostWholePixels = 40_000_000

    /// The width to scale to; nil to keep the size of the image.
    ///
    /// An image whose EXIF gives a resolution is scaled to the size at which it is shown, because
    /// its EXIF is removed.
    fileprivate func scaledWidth(to maximum: Int?) -> Int? {
        let wanted = [shownWidth, maximum].compactMap(\.self).min() ?? width
        return wanted < width ? wanted : nil
    }

    /// Whether the bytes of an animation can be published unchanged, but for their metadata.
    fileprivate func mayStayAnimated(for options: VariantOptions) -> Bool {
        shownWidth == nil && format.isShownByBrowsers
            && (!options.isForReaders || format.isShownByReaders)
    }

    /// Whether it is a small image that is already lossy: another loss would be visible and save
    /// little.
    fileprivate var isTooSmallToEncodeAgain: Bool {
        !isLossless && !isAnimated && shownWidth == nil && width * height <= 64 * 64
    }

    /// The format to convert to so that feed readers and social networks show the image; nil if
    /// they show its own format.
    fileprivate var formatForReaders: ImageFormat? {
        if format.isShownByReaders { nil } else { isAnimated ? .gif : hasAlpha ? .png : .jpeg }
    }
}

extension VariantOptions {
    /// The requested format, limited to those that readers can show if that is required.
    fileprivate var choice: FormatChoice {
        switch format {
        case .auto, .webp, .avif: isForReaders ? .keep : format
        case .jpeg, .png, .keep: format
        }
    }

    package func encoding(_ format: ImageFormat) -> Recipe.Encoding {
        let isLossy = format.encoder?.numbers != nil
        return .init(format: format, quality: isLossy ? quality ?? .auto : nil, effort: effort)
    }

    /// The requested format, or the nearest one that can hold the image.
    fileprivate func target(for header: ImageHeader, width: Int) -> ImageFormat {
        let asked = ImageFormat(rawValue: format.rawValue) ?? header.format
        if header.isAnimated && !asked.canBeAnimated { return header.format }
        let height = header.width > 0 ? header.height * width / header.width : header.height
        if max(width, height) > asked.longestSide {
            return header.format.isShownByBrowsers && header.format.kind == .pixels
                ? header.format : .png
        }
        if header.hasAlpha && !asked.hasAlphaChannel { return .png }
        return asked
    }
}

/// The requested format.
package enum FormatChoice: String, CaseIterable, Codable, Sendable {
    /// WebP if it is smaller than the source; otherwise the source's bytes or its own format.
    case auto
    case webp, avif, jpeg, png
    /// The source's own format, and its own bytes if nothing has to change.
    case keep
}

/// How to treat SVGs, which can run scripts and load other files.
package enum SVGChoice: String, CaseIterable, Codable, Sendable {
    /// Remove everything that could run or load something, and leave all other bytes unchanged.
    case sanitise
    /// Reject each SVG that could run or load something.
    case refuse
    /// Convert every SVG to lossless WebP or PNG, whichever is smaller.
    case rasterise
}

/// Which frames of an animation to use.
package enum FrameChoice: String, CaseIterable, Codable, Sendable {
    /// All of them.
    case all
    /// The first one, as a still image.
    case first
    /// All of them, unchanged: the animation's own bytes in their own size and format.
    case keep
}
