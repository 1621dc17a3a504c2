import ImageFormats

/// What stands in the place of an image while a browser loads it.
package enum LoadingPlaceholder: String, CaseIterable, Codable, Sendable {
    case none
    /// The dominant colour of the image.
    case color
    /// A picture of a few pixels, which browsers blur when they enlarge it.
    case blur

    /// The largest picture, in bytes.
    package static let mostBytes = 400
    /// The longer side of the picture in pixels: WebP codes blocks of this size.
    static let longestSide = 16
    /// The quality of the picture; the worker lowers it if there are too many bytes.
    static let quality = 40

    /// The options of the variant that is the picture, for an image with these options.
    package static func options(for image: VariantOptions) -> VariantOptions {
        var options = VariantOptions(format: .webp, maximumWidth: nil)
        options.isPlaceholder = true
        options.crop = image.crop
        return options
    }
}

extension ImageHeader {
    /// Whether a placeholder would be hidden once the image has loaded.
    package var takesPlaceholder: Bool {
        format.kind == .pixels && !hasAlpha && !isAnimated && width > 0
            && height > 0
    }
}

/// Decides which picture stands for an image while it loads.
func planPlaceholder(of header: ImageHeader) -> VariantPlan {
    guard header.takesPlaceholder else { return .passOn }
    let side = LoadingPlaceholder.longestSide
    let width = min(side, max(1, header.width * side / max(header.width, header.height)))
    var recipe = Recipe(
        width: width < header.width ? width : nil,
        encoding: .init(format: .webp, quality: .number(LoadingPlaceholder.quality)))
    recipe.isPlaceholder = true
    return .make(recipe)
}
