import ImageFormats
import Pages
package import Recipes
import Reports
import Sites

/// The decisions about a variant, in words.
///
/// - Parameters:
///   - header: The facts about the source.
///   - options: The options of the variant.
///   - formatReason: Why it has its format; nil if the options say it.
/// - Returns: One clause for each decision.
package func decisions(
    about header: ImageHeader, _ options: VariantOptions, formatReason: String? = nil
) -> [String] {
    switch planVariant(of: header, options: options) {
    case .passOn: ["published as it is, because the format is not decoded"]
    case .refuse(let reason): ["refused: \(reason)"]
    case .make(let recipe):
        [
            "format \(recipe.encoding.format.rawValue), because "
                + (formatReason ?? reasonOfFormat(recipe, header, options)),
            width(recipe, header, options), quality(recipe, options), alternative(recipe),
        ].compactMap(\.self)
    }
}

private func reasonOfFormat(
    _ recipe: Recipe, _ header: ImageHeader, _ options: VariantOptions
) -> String {
    if options.isForReaders {
        return "feed readers and social networks show only JPEG, PNG and GIF"
    }
    return options.format != .keep && header.isAnimated && recipe.frames == nil
        ? "it is animated, and format is \(options.format.rawValue)"
        : "format is \(options.format.rawValue)"
}

private func width(
    _ recipe: Recipe, _ header: ImageHeader, _ options: VariantOptions
) -> String? {
    if let width = recipe.width {
        if options.isOneOfSeveral { return "scaled from \(header.width) to \(width) pixels" }
        return "scaled from \(header.width) to \(width) pixels, because max-width is "
            + "\(options.maximumWidth ?? width)"
    }
    if options.isOneOfSeveral { return nil }
    guard let most = options.maximumWidth, header.width > 0 else { return "not scaled" }
    return header.width <= most
        ? "not scaled, because \(header.width) pixels are not more than max-width \(most)"
        : "not scaled, because the image must keep its size"
}

private func quality(_ recipe: Recipe, _ options: VariantOptions) -> String? {
    guard let quality = recipe.encoding.quality else { return "without loss" }
    let origin = options.quality == nil ? "the default" : "as it was set"
    return recipe.keepsGraphics
        ? "quality \(quality), \(origin), for a photograph; a graphic is encoded without loss"
        : "quality \(quality), \(origin)"
}

private func alternative(_ recipe: Recipe) -> String? {
    switch recipe.alternative {
    case .none: nil
    case .source: "the source's own bytes, if they are smaller"
    case .encoding(let other):
        "\(other.format.rawValue)\(other.quality == nil ? " without loss" : ""), if that is smaller"
    case .encodingOrSource(let other):
        "\(other.format.rawValue)\(other.quality == nil ? " without loss" : "") or the source's own "
            + "bytes, if one is smaller"
    case .onlySource: "the source's own bytes, if their metadata can be removed"
    }
}

extension ResponsiveImage {
    /// The decisions about an element, in words: one clause for each.
    var decisions: [String] {
        let widths = wantedWidths.map(String.init).joined(separator: ", ")
        var clauses = [layoutClause]
        if !widths.isEmpty { clauses.append("widths \(widths), where the image is wider") }
        if let measured, !isMeasured { clauses.append("measured width \(measured.text)") }
        if let unmeasuredPlace {
            clauses.append("not measured: the file of sizes has no place '\(unmeasuredPlace)'")
        }
        if !formats.isEmpty {
            let names = formats.map(\.rawValue).joined(separator: ", ")
            clauses.append("<picture> with a source in \(names)")
        }
        if placeholder != .none { clauses.append("placeholder \(placeholder.rawValue)") }
        if loadsLazily { clauses.append("loads lazily") }
        return clauses.filter { !$0.isEmpty }.map(printable) + missing.map(\.clause)
    }

    private var isMeasured: Bool {
        if case .measured = layout { true } else { false }
    }

    /// How its width on the page is known.
    private var layoutClause: String {
        switch layout {
        case .unknown: ""
        case .stated(let sizes, isWritten: true, _): "sizes \(sizes.text), by its attribute"
        case .stated(let sizes, isWritten: false, _): "sizes \(sizes.text), by data-imgbake-sizes"
        case .attribute(let width, isFluid: false): "\(width) pixels wide, by its attribute"
        case .attribute(let width, isFluid: true):
            "\(width) pixels wide, by its attribute; \(sizes.text) if that is less"
        case .natural: "as wide as the image; \(sizes.text) if that is less"
        case .measured(let widths, _): "sizes \(widths.text), as measured"
        }
    }
}

extension KeptReason {
    /// The reason, said of one image.
    fileprivate var clause: String {
        switch code {
        case .oneFile: "one file, as an image \(text)"
        case .noPicture: "one format, as an image \(text)"
        default: "no placeholder, as an image \(text)"
        }
    }
}
