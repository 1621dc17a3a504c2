import ImageFormats
import Pages
import Recipes
import Reports
import Sites

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
