internal import Glibc

/// A borrowed buffer of bytes, valid as long as its owner.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// The byte order mark in UTF-8, U+FEFF.
let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

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
    var isHTMLSpace: Bool {
        self == .space || self == .lineFeed || self == .tab || self == .carriageReturn
            || self == .formFeed
    }

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

extension Bytes {
    /// A copy of the bytes in `range`.
    func copy(_ range: Range<Int>) -> [UInt8] { Array(self[range]) }

    /// The index of the first `byte` at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), count - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Whether the bytes at `start` are `lowercaseText`, ignoring case.
    func matches(_ lowercaseText: StaticString, at start: Int) -> Bool {
        let length = lowercaseText.utf8CodeUnitCount
        guard start >= 0, start + length <= count else { return false }
        for offset in 0..<length
        where self[start + offset].lowercased != lowercaseText.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Whether the bytes contain `text`, in the same case.
    func holds(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        var found = firstIndex(of: text.utf8Start.pointee, from: 0)
        while let start = found, let base = baseAddress, start + length <= count {
            if memcmp(base + start, text.utf8Start, length) == 0 { return true }
            found = firstIndex(of: text.utf8Start.pointee, from: start + 1)
        }
        return false
    }

    /// Whether the bytes in `range` equal `other`.
    func equals(_ other: [UInt8], in range: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        guard let base = baseAddress, !range.isEmpty else { return range.isEmpty }
        return memcmp(base + range.lowerBound, other, other.count) == 0
    }

    /// The bytes in `range` as text; nil if they are not valid UTF-8.
    func string(_ range: Range<Int>) -> String? {
        String(validating: self[range], as: UTF8.self)
    }

    /// Whether the bytes equal those of `other`.
    func isSame(as other: Bytes) -> Bool {
        guard count == other.count, let base = baseAddress, let otherBase = other.baseAddress else {
            return count == other.count
        }
        return memcmp(base, otherBase, count) == 0
    }

    /// Whether the bytes in `range` are valid UTF-8.
    func isUTF8(_ range: Range<Int>) -> Bool {
        self[range].allSatisfy { $0 < 0x80 } || string(range) != nil
    }
}
