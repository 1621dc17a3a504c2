import Documents
package import Recipes

extension VariantOptions {
    /// The options for the images of an element with this control.
    ///
    /// - Throws: ``Problem`` for a value that the option does not allow.
    func applying(_ control: ImageControl) throws(Problem) -> VariantOptions {
        var options = self
        if let text = control.format {
            guard let format = FormatChoice(rawValue: text.lowercased()) else {
                let known = FormatChoice.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(
                    .invalidControl, "data-imgbake-format=\"\(text)\" must be one of \(known)")
            }
            options.format = format
            options.isForReaders = false
        }
        if let text = control.quality {
            options.quality = try Self.number(text, in: Self.qualities, "quality")
        }
        if let text = control.maximumWidth {
            options.maximumWidth =
                text.lowercased() == "none"
                ? nil : try Self.number(text, in: Self.widths, "max-width")
        }
        return options
    }

    /// The allowed values of ``quality``.
    package static let qualities = 1...100
    /// The allowed values of ``maximumWidth``.
    package static let widths = 1...65_535

    private static func number(
        _ text: String, in bounds: ClosedRange<Int>, _ name: String
    ) throws(Problem) -> Int {
        guard let number = Int(text), bounds.contains(number) else {
            throw Problem(
                .invalidControl,
                "data-imgbake-\(name)=\"\(text)\" must be a whole number from "
                    + "\(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }
}
