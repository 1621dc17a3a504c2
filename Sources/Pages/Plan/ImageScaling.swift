import Pictures

/// The change of an image's size.
struct ImageScaling: Equatable {
    var oldWidth: Int
    var oldHeight: Int
    var newWidth: Int
    var newHeight: Int

    init(_ image: BakedImage) {
        oldWidth = image.original.width
        oldHeight = image.original.height
        newWidth = image.width
        newHeight = image.height
    }

    /// Whether the size is unchanged or unknown.
    var isNone: Bool {
        oldWidth == newWidth && oldHeight == newHeight || oldWidth <= 0 || oldHeight <= 0
            || newWidth <= 0 || newHeight <= 0
    }

    /// The new text of an attribute with the image's width in pixels.
    func width(_ text: String) -> String? { scaled(text, newWidth, oldWidth).map(String.init) }

    /// The new text of an attribute with the image's height in pixels.
    func height(_ text: String) -> String? { scaled(text, newHeight, oldHeight).map(String.init) }

    /// A number multiplied by `new` and divided by `old`; nil if the text is not a number.
    private func scaled(_ text: some StringProtocol, _ new: Int, _ old: Int) -> Int? {
        guard let number = Int(String(text.filter { !$0.isWhitespace })), number > 0,
            number < 1 << 24
        else { return nil }
        return max((number * new + old / 2) / old, 1)
    }

    /// The new descriptors of a `srcset` candidate, with which the image is shown at its old size
    /// (HTML, density-corrected natural dimensions).
    ///
    /// - Parameters:
    ///   - text: The old descriptors. The whitespace between them is kept.
    ///   - needsDensity: Whether a candidate without descriptors gets one.
    /// - Returns: nil if HTML does not define these descriptors.
    func descriptors(_ text: String, needsDensity: Bool) -> String? {
        if text.allSatisfy(\.isWhitespace) {
            return needsDensity ? density(1).map { text + " " + $0 + "x" } : text
        }
        var isDefined = true
        let result = text.replacing(#/\S+/#) { found in
            let new = descriptor(found.output)
            isDefined = isDefined && new != nil
            return new ?? ""
        }
        return isDefined ? result : nil
    }

    private func descriptor(_ text: Substring) -> String? {
        let number = text.dropLast()
        switch text.last {
        case "w", "W": return scaled(number, newWidth, oldWidth).map { "\($0)w" }
        case "h", "H": return scaled(number, newHeight, oldHeight).map { "\($0)h" }
        case "x", "X":
            guard let old = Double(number), old > 0 else { return nil }
            return density(old).map { $0 + "x" }
        default: return nil
        }
    }

    /// Rounded down: browsers compute the size from it and truncate it, and the result must not be
    /// smaller than the old size.
    ///
    /// - Returns: nil if it is too large or too small to write.
    private func density(_ old: Double) -> String? {
        let exact = old * Double(newWidth) / Double(oldWidth)
        guard let millionths = Int(exactly: (exact * 1e8).rounded(.down)), millionths > 0 else {
            return nil
        }
        let digits = String(millionths % 100_000_000)
        let fraction = String(repeating: "0", count: 8 - digits.count) + digits
        let end = fraction.lastIndex { $0 != "0" }.map { fraction.index(after: $0) }
        let decimals = fraction[..<(end ?? fraction.startIndex)]
        return "\(millionths / 100_000_000)" + (decimals.isEmpty ? "" : "." + decimals)
    }
}
