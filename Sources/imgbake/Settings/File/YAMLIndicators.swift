/// Finds features of YAML that a configuration file does not need.
enum YAMLIndicators {
    struct Place: Hashable {
        var indicator: Character
        var line: Int
        var column: Int
    }

    /// The first anchor, alias, tag or block scalar; nil if there is none.
    ///
    /// Each begins with an indicator where a value may begin: at the beginning of a line, or after
    /// one of the characters that precede values.
    static func firstRefused(in text: String) -> Place? {
        var scan = Scan()
        for scalar in text.unicodeScalars {
            if scan.takes(scalar) {
                return Place(
                    indicator: Character(scalar), line: scan.line, column: scan.column)
            }
        }
        return nil
    }

    private struct Scan {
        var line = 1
        var column = 0
        private var quote: Unicode.Scalar?
        private var isEscaped = false
        private var isComment = false
        private var mayBegin = true
        private var followsBlank = true
        /// The quote that the character before ended, if it did.
        private var endedQuote: Unicode.Scalar?
        private var last: Unicode.Scalar = "\n"

        /// Advances by one character; returns whether a rejected feature begins there.
        mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
            defer { last = scalar }
            if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) {
                if !(scalar == "\n" && last == "\r") { line += 1 }
                (column, isComment, isEscaped) = (0, false, false)
                (mayBegin, followsBlank) = (true, true)
                return false
            }
            column += 1
            if isComment { return false }
            if let quote {
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\", quote == "\"" {
                    isEscaped = true
                } else if scalar == quote {
                    (self.quote, endedQuote) = (nil, quote)
                    (mayBegin, followsBlank) = (false, false)
                }
                return false
            }
            return takesUnquoted(scalar)
        }

        private mutating func takesUnquoted(_ scalar: Unicode.Scalar) -> Bool {
            defer { endedQuote = nil }
            switch scalar {
            case " ", "\t", "\u{FEFF}":
                followsBlank = true
                return false
            case "#" where followsBlank: isComment = true
            // Two single quotes inside a single-quoted text stand for one, so the text continues.
            case "'" where mayBegin || endedQuote == "'", "\"" where mayBegin: quote = scalar
            case "&", "*", "!", "|", ">":
                if mayBegin { return true }
            default: break
            }
            followsBlank = false
            mayBegin = [":", "-", ",", "[", "{", "?"].contains(scalar)
            return false
        }
    }
}
