import ImageFormats
import Recipes
package import Reports

/// A fact about a baked image that is worth knowing although nothing failed.
package struct ImageNote: Codable, Hashable, Sendable {
    package var code: DiagnosticCode
    /// One clause without a period that can follow a URL and a colon.
    package var reason: String

    package init(_ code: DiagnosticCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The fact about a variant in `format`; nil if there is nothing to tell.
    init?(_ header: ImageHeader, madeInto format: ImageFormat, _ options: VariantOptions) {
        if format == .svg, let removals = header.removals {
            self.init(.svgSanitised, printable("removed from the SVG: \(removals)"))
        } else if let verb = Self.omission(header, format, options) {
            let frames = "\(header.format.phrase) of \(header.frameCount) frames"
            self.init(.animationKept, "\(frames), which cannot be \(verb), was kept")
        } else if header.isKept == true, header.format == format, Self.isChange(header, options) {
            if format == .gif {
                self.init(.animationKept, "a GIF image whose frames leave a part empty was kept")
                return
            }
            self.init(
                .coloursKept,
                "\(header.format.phrase) in colours that cannot be converted was kept")
        } else if options.crop != nil, !header.takesCrop(options) {
            let what = header.isAnimated ? "an animation" : header.format.phrase
            self.init(.noEffect, "\(what) cannot be cropped, and was left whole")
        } else if header.hasGainMap == true, header.format != format || format == .jpeg {
            self.init(.gainMapRemoved, "the gain map for HDR was removed")
        } else {
            return nil
        }
    }

    /// Whether the options ask for more than the removal of metadata.
    private static func isChange(_ header: ImageHeader, _ options: VariantOptions) -> Bool {
        guard let recipe = planVariant(of: header, options: options).recipe else { return false }
        return recipe.width != nil || recipe.encoding.format != header.format
    }

    /// The step that was not done to an animation that was kept as it is; nil if there is none.
    private static func omission(
        _ header: ImageHeader, _ format: ImageFormat, _ options: VariantOptions
    ) -> String? {
        guard header.isAnimated, header.format == format, [.avif, .png].contains(format),
            let recipe = planVariant(of: header, options: options).recipe
        else { return nil }
        if recipe.encoding.format != format { return "converted" }
        return recipe.width == nil ? nil : "scaled"
    }
}
