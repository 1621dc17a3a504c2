/// The byte order mark in UTF-8, U+FEFF.
let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

/// The replacement character, U+FFFD, in UTF-8.
let replacementCharacter: [UInt8] = [0xEF, 0xBF, 0xBD]

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let verticalTab: UInt8 = 0x0B
    static let formFeed: UInt8 = 0x0C
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let exclamation = UInt8(ascii: "!")
    static let doubleQuote = UInt8(ascii: "\"")
    static let singleQuote = UInt8(ascii: "'")
    static let hash = UInt8(ascii: "#")
    static let ampersand = UInt8(ascii: "&")
    static let openParenthesis = UInt8(ascii: "(")
    static let closeParenthesis = UInt8(ascii: ")")
    static let asterisk = UInt8(ascii: "*")
    static let comma = UInt8(ascii: ",")
    static let hyphen = UInt8(ascii: "-")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let less = UInt8(ascii: "<")
    static let equals = UInt8(ascii: "=")
    static let greater = UInt8(ascii: ">")
    static let question = UInt8(ascii: "?")
    static let openBracket = UInt8(ascii: "[")
    static let backslash = UInt8(ascii: "\\")
    static let closeBracket = UInt8(ascii: "]")
    static let backtick = UInt8(ascii: "`")
    static let pipe = UInt8(ascii: "|")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")

    /// Whether the byte is whitespace in HTML: tab, LF, form feed, CR or space.
    var isHTMLSpace: Bool { isIn(Self.htmlSpaces) }

    /// The whitespace, as bits.
    static let htmlSpaces: UInt64 = 1 << 0x09 | 1 << 0x0A | 1 << 0x0C | 1 << 0x0D | 1 << 0x20

    /// Whether the byte is in a set of bytes below 64, each of which is a bit.
    func isIn(_ set: UInt64) -> Bool { self < 64 && set &>> UInt64(self) & 1 != 0 }

    /// Whether the byte is whitespace for cmark: tab, LF, CR or space.
    var isMarkdownSpace: Bool { self == .space || self == .tab || isLineEnd }

    var isLineEnd: Bool { self == .lineFeed || self == .carriageReturn }

    var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }

    var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

    var isASCIIPunctuation: Bool { self > 0x20 && self < 0x7F && !isASCIIAlphanumeric }

    /// The value of a hexadecimal digit; nil for other bytes.
    var hexDigitValue: UInt32? {
        if isASCIIDigit { return UInt32(self) - 0x30 }
        let letter = self | 0x20
        return letter >= 0x61 && letter <= 0x66 ? UInt32(letter) - 0x57 : nil
    }

    /// The letter in lower case; other bytes unchanged.
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
