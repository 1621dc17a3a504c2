import Documents
package import Recipes

extension VariantOptions {
    /// The options for the images of an element with this control.
    ///
    /// - Throws: ``Problem`` for a value that the option does not allow.
    func applying(_ control: ImageControl) throws(Problem) -> VariantOptions {
        var options = self
        if let text = control.format {
            options.format = try Self.choice(text, "format")
            options.isForReaders = false
        }
        if let text = control.quality {
            guard let quality = Quality(text) else {
                throw Problem(
                    .invalidControl,
                    "data-imgbake-quality=\"\(text)\" must be a whole number from 1 to 100, or one "
                        + "of \(Quality.names.map(\.name).joined(separator: ", "))")
            }
            options.quality = quality
        }
        if let text = control.maximumWidth {
            options.maximumWidth =
                text.lowercased() == "none"
                ? nil : try Self.number(text, in: Self.widths, "max-width")
        }
        if let text = control.frames { options.frames = try Self.choice(text, "frames") }
        return options
    }

    /// The allowed values of ``maximumWidth``.
    package static let widths = 1...65_535

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ name: String
    ) throws(Problem) -> Choice {
        guard let choice = Choice(rawValue: text.lowercased()) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .invalidControl, "data-imgbake-\(name)=\"\(text)\" must be one of \(known)")
        }
        return choice
    }

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
