/// Reads names, strings and escapes by CSS Syntax 3.
///
/// The positions are those of the text as it is. A line end, a form feed and a zero byte mean the
/// same as after the preprocessing of section 3.3, where CR LF is one line end.
struct CSSText {
    let bytes: [UInt8]

    /// Whether a name can begin at `index`.
    func startsName(at index: Int) -> Bool {
        guard index < bytes.count else { return false }
        let byte = bytes[index]
        if byte == .hyphen {
            guard index + 1 < bytes.count else { return false }
            return bytes[index + 1] == .hyphen || isNameStart(bytes[index + 1])
                || startsEscape(at: index + 1)
        }
        return isNameStart(byte) || startsEscape(at: index)
    }

    /// The end of the name, possibly empty, that begins at `start`.
    func endOfName(from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if isNameStart(bytes[index]) || bytes[index].isDigit || bytes[index] == .hyphen {
                index += 1
            } else if startsEscape(at: index) {
                index = endOfEscape(at: index)
            } else {
                break
            }
        }
        return index
    }

    /// The end of the string whose opening quotation mark is at `start`.
    ///
    /// This is the offset of the closing mark, of the line end that breaks the string, or of the
    /// end of the text.
    func endOfString(from start: Int) -> Int {
        let quote = bytes[start]
        var index = start + 1
        while index < bytes.count, bytes[index] != quote, !isNewline(bytes[index]) {
            if bytes[index] == .backslash, index + 1 < bytes.count {
                index =
                    isNewline(bytes[index + 1])
                    ? endOfNewline(at: index + 1) : endOfEscape(at: index)
            } else {
                index += 1
            }
        }
        return index
    }

    /// The bytes in `range` of a name, string or bare URL after escapes are decoded.
    func decode(_ range: Range<Int>) -> [UInt8] {
        guard let first = bytes[range].firstIndex(where: { $0 == .backslash || $0 == 0 }) else {
            return Array(bytes[range])
        }
        var result = Array(bytes[range.lowerBound..<first])
        var index = first
        while index < range.upperBound {
            if bytes[index] == 0 {
                result += Self.replacement
                index += 1
            } else if bytes[index] != .backslash {
                result.append(bytes[index])
                index += 1
            } else if index + 1 < range.upperBound, isNewline(bytes[index + 1]) {
                index = endOfNewline(at: index + 1)
            } else {
                index = decodeEscape(at: index, into: &result)
            }
        }
        return result
    }

    func startsEscape(at index: Int) -> Bool {
        guard index + 1 < bytes.count, bytes[index] == .backslash else { return false }
        return !isNewline(bytes[index + 1])
    }

    private func isNewline(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0x0C }

    private func isNameStart(_ byte: UInt8) -> Bool {
        byte.isLetter || byte == UInt8(ascii: "_") || byte >= 0x80 || byte == 0
    }

    private func endOfNewline(at index: Int) -> Int {
        let isPair = bytes[index] == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
        return index + (isPair ? 2 : 1)
    }

    /// The end of the escape whose backslash is at `start`.
    ///
    /// An escape is up to six hexadecimal digits and one whitespace character, or a single
    /// character. Only the first byte of a multi-byte character counts here; its other bytes are
    /// valid in a name.
    func endOfEscape(at start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, index < start + 7, bytes[index].hexDigit != nil { index += 1 }
        guard index > start + 1 else { return min(start + 2, bytes.count) }
        guard index < bytes.count, bytes[index].isCSSSpace else { return index }
        return isNewline(bytes[index]) ? endOfNewline(at: index) : index + 1
    }

    private func decodeEscape(at start: Int, into result: inout [UInt8]) -> Int {
        let end = endOfEscape(at: start)
        guard start + 1 < bytes.count else { return end }
        guard bytes[start + 1].hexDigit != nil else {
            result += bytes[start + 1] == 0 ? Self.replacement : [bytes[start + 1]]
            return end
        }
        var value: UInt32 = 0
        for byte in bytes[start + 1..<end] {
            guard let digit = byte.hexDigit else { break }
            value = value << 4 | digit
        }
        let scalar = value == 0 ? nil : Unicode.Scalar(value)
        result += scalar.map { Array(String(Character($0)).utf8) } ?? Self.replacement
        return end
    }

    /// The replacement character, U+FFFD, in UTF-8.
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}

extension UInt8 {
    static let backslash = UInt8(ascii: "\\")
    static let hyphen = UInt8(ascii: "-")

    /// Whether the byte is a line end, a form feed, a tab or a space.
    var isCSSSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }

    var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    /// The value of a hexadecimal digit; nil for other bytes.
    var hexDigit: UInt32? {
        if isDigit { return UInt32(self) - 0x30 }
        let letter = self | 0x20
        return letter >= 0x61 && letter <= 0x66 ? UInt32(letter) - 0x57 : nil
    }
}
