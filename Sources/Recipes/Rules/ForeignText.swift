/// The rules for a text that a worker writes and a user reads.
package enum ForeignText {
    /// The longest reason, in bytes of UTF-8.
    package static let longest = 400

    /// Whether a text is short and has no characters that control a terminal, break the line or
    /// change the direction of writing.
    package static func isTidy(_ text: String, longest: Int = longest) -> Bool {
        text.utf8.count <= longest && !text.unicodeScalars.contains(where: isControl)
    }

    /// The text, shortened and with a replacement for each such character.
    ///
    /// A worker tidies its own texts, because libraries quote what they read.
    package static func tidied(_ text: String, longest: Int = longest) -> String {
        if isTidy(text, longest: longest) { return text }
        let ellipsis: Unicode.Scalar = "…"
        var result = String.UnicodeScalarView()
        var room = longest
        for scalar in text.unicodeScalars {
            let next = isControl(scalar) ? "\u{FFFD}" : scalar
            guard room >= UTF8.width(next) + UTF8.width(ellipsis) else {
                result.append(ellipsis)
                break
            }
            room -= UTF8.width(next)
            result.append(next)
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
