import ImageFormats
import Recipes

/// A fact about a baked image that is worth knowing although nothing failed.
struct ImageNote: Hashable, Sendable {
    var code: DiagnosticCode
    /// One clause without a period that can follow a URL and a colon.
    var reason: String

    init(_ code: DiagnosticCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The fact about a variant in `format`; nil if there is nothing to tell.
    init?(_ header: ImageHeader, madeInto format: ImageFormat, _ options: VariantOptions) {
        if format == .svg, let removals = header.removals {
            self.init(.svgSanitised, printable("removed from the SVG: \(removals)"))
        } else if header.isAnimated, header.format == .avif, format == .avif,
            case .make(let recipe) = planVariant(of: header, options: options),
            recipe.encoding.format != .avif || recipe.width != nil
        {
            self.init(
                .animationKept,
                "an AVIF of \(header.frameCount) frames, which cannot be converted, was kept")
        } else {
            return nil
        }
    }
}
