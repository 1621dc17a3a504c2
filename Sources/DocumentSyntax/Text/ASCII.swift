/// The byte order mark in UTF-8, U+FEFF.
package let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

/// The replacement character, U+FFFD, in UTF-8.
package let replacementCharacter: [UInt8] = [0xEF, 0xBF, 0xBD]

extension UInt8 {
    @inlinable package static var tab: UInt8 { UInt8(ascii: "\t") }
    @inlinable package static var lineFeed: UInt8 { UInt8(ascii: "\n") }
    @inlinable package static var verticalTab: UInt8 { 0x0B }
    @inlinable package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
    @inlinable package static var exclamation: UInt8 { UInt8(ascii: "!") }
    @inlinable package static var doubleQuote: UInt8 { UInt8(ascii: "\"") }
    @inlinable package static var singleQuote: UInt8 { UInt8(ascii: "'") }
    @inlinable package static var hash: UInt8 { UInt8(ascii: "#") }
    @inlinable package static var ampersand: UInt8 { UInt8(ascii: "&") }
    @inlinable package static var openParenthesis: UInt8 { UInt8(ascii: "(") }
    @inlinable package static var closeParenthesis: UInt8 { UInt8(ascii: ")") }
    @inlinable package static var asterisk: UInt8 { UInt8(ascii: "*") }
    @inlinable package static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable package static var hyphen: UInt8 { UInt8(ascii: "-") }
    @inlinable package static var slash: UInt8 { UInt8(ascii: "/") }
    @inlinable package static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable package static var semicolon: UInt8 { UInt8(ascii: ";") }
    @inlinable package static var less: UInt8 { UInt8(ascii: "<") }
    @inlinable package static var equals: UInt8 { UInt8(ascii: "=") }
    @inlinable package static var greater: UInt8 { UInt8(ascii: ">") }
    @inlinable package static var question: UInt8 { UInt8(ascii: "?") }
    @inlinable package static var openBracket: UInt8 { UInt8(ascii: "[") }
    @inlinable package static var backslash: UInt8 { UInt8(ascii: "\\") }
    @inlinable package static var closeBracket: UInt8 { UInt8(ascii: "]") }
    @inlinable package static var backtick: UInt8 { UInt8(ascii: "`") }
    @inlinable package static var pipe: UInt8 { UInt8(ascii: "|") }
    @inlinable package static var openBrace: UInt8 { UInt8(ascii: "{") }
    @inlinable package static var closeBrace: UInt8 { UInt8(ascii: "}") }

    /// Whether the byte is whitespace in HTML: tab, LF, form feed, CR or space.
    @inlinable package var isHTMLSpace: Bool { isIn(Self.htmlSpaces) }

    /// The whitespace, as bits.
    @inlinable package static var htmlSpaces: UInt64 { 0x1_0000_3600 }

    /// Whether the byte is in a set of bytes below 64, each of which is a bit.
    @inlinable package func isIn(_ set: UInt64) -> Bool {
        self < 64 && set &>> UInt64(self) & 1 != 0
    }

    /// Whether the byte is whitespace for cmark: tab, LF, CR or space.
    @inlinable package var isMarkdownSpace: Bool { self == .space || self == .tab || isLineEnd }

    @inlinable package var isLineEnd: Bool { self == .lineFeed || self == .carriageReturn }

    @inlinable package var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    @inlinable package var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    @inlinable package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    @inlinable package var isASCIIPunctuation: Bool {
        self > 0x20 && self < 0x7F && !isASCIIAlphanumeric
    }

    /// The value of a hexadecimal digit; nil for other bytes.
    @inlinable package var hexDigitValue: UInt32? {
        if isASCIIDigit { return UInt32(self) - 0x30 }
        let letter = self | 0x20
        return letter >= 0x61 && letter <= 0x66 ? UInt32(letter) - 0x57 : nil
    }

    /// The letter in lower case; other bytes unchanged.
    @inlinable package var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
