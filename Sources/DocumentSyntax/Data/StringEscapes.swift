/// The escape sequences in the quoted strings of a language.
package enum StringEscapes {
    case json, toml, yaml, script

    /// The decoded text; nil if it has an invalid escape.
    package func decode(_ text: UnsafeBytes) -> [UInt8]? { placed(text)?.bytes }

    /// The decoded text with the place of each byte, if `text` is at `place` of the source; nil if
    /// it has an invalid escape.
    package func placed(_ text: UnsafeBytes, at place: Int = 0) -> PlacedText? {
        guard text.contains(.backslash) else { return PlacedText(text, at: place) }
        var result = PlacedText(capacity: text.count)
        return add(text, at: place, to: &result) ? result : nil
    }

    /// Adds a text that is at `place` of the source.
    ///
    /// - Returns: Whether its escapes are valid.
    package func add(_ text: UnsafeBytes, at place: Int, to result: inout PlacedText) -> Bool {
        var next = text.firstIndex(of: .backslash, from: 0) ?? text.count
        var index = 0
        while next < text.count {
            result.copy(UnsafeBytes(rebasing: text[index..<next]), at: place + index)
            index = next
            guard let scalar = scalar(in: text, at: &index) else { return false }
            result.add(scalar, for: place + next)
            next = text.firstIndex(of: .backslash, from: index) ?? text.count
        }
        result.copy(UnsafeBytes(rebasing: text[index...]), at: place + index)
        return true
    }

    /// The character of the escape at `index`, which moves to its end; nil if it is invalid.
    private func scalar(in text: UnsafeBytes, at index: inout Int) -> Unicode.Scalar? {
        guard index + 1 < text.count else { return nil }
        let isBraced = text[index + 1] == UInt8(ascii: "u") && text.matches("u{", at: index + 1)
        if self == .script, isBraced {
            return scalar(inBraces: text, at: &index)
        }
        if let length = hexLength(after: text[index + 1]) {
            return scalar(in: text, at: &index, length: length)
        }
        // In a script, a digit after it would be a part of the escape.
        if self == .script, index + 2 < text.count, text[index + 1] == UInt8(ascii: "0"),
            text[index + 2].isASCIIDigit
        {
            return nil
        }
        defer { index += 2 }
        return sign(text[index + 1])
    }

    /// The character of the escape `\u{…}` at `index`, which moves to its end; nil if it is invalid.
    private func scalar(inBraces text: UnsafeBytes, at index: inout Int) -> Unicode.Scalar? {
        guard let end = text.firstIndex(of: .closeBrace, from: index), end - index <= 9 else {
            return nil
        }
        let digits = index + 3..<end
        index = end + 1
        return hex(in: text, from: digits.lowerBound, length: digits.count)
            .flatMap(Unicode.Scalar.init)
    }

    /// The number of hexadecimal digits after a backslash and `sign`.
    private func hexLength(after sign: UInt8) -> Int? {
        switch sign {
        case UInt8(ascii: "u"): 4
        case UInt8(ascii: "U") where self == .toml || self == .yaml: 8
        case UInt8(ascii: "x") where self != .json: 2
        default: nil
        }
    }

    /// The character of the escape at `index` with this number of digits.
    private func scalar(in text: UnsafeBytes, at index: inout Int, length: Int) -> Unicode.Scalar? {
        guard let first = hex(in: text, from: index + 2, length: length) else { return nil }
        index += 2 + length
        let hasSurrogates = self == .json || self == .script
        guard hasSurrogates, first & 0xFC00 == 0xD800 else {
            return Unicode.Scalar(first) ?? (hasSurrogates ? "\u{FFFD}" : nil)
        }
        // Two surrogates form one character; a lone surrogate is invalid.
        guard text.matches("\\u", at: index), text[index + 1] == UInt8(ascii: "u"),
            let second = hex(in: text, from: index + 2, length: 4), second & 0xFC00 == 0xDC00
        else { return "\u{FFFD}" }
        index += 6
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
    }

    private func hex(in text: UnsafeBytes, from start: Int, length: Int) -> UInt32? {
        guard start + length <= text.count else { return nil }
        var result: UInt32 = 0
        for byte in text[start..<start + length] {
            guard let digit = byte.hexDigitValue else { return nil }
            result = result << 4 | digit
        }
        return result
    }

    /// The character that a backslash and `sign` stand for.
    private func sign(_ sign: UInt8) -> Unicode.Scalar? {
        switch Unicode.Scalar(sign) {
        case "\"": "\""
        case "\\": "\\"
        case "b": "\u{8}"
        case "f": "\u{C}"
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case "/" where self != .toml: "/"
        case "e" where self == .toml || self == .yaml: "\u{1B}"
        case "v" where self == .script: "\u{B}"
        case "0" where self == .script: "\0"
        case let other where self == .script:
            // A line end continues the string, and a digit is of an old form.
            other.isASCII && other.value >= 0x20 && !sign.isASCIIDigit ? other : nil
        case let other where self == .yaml: Self.yamlSigns[other]
        default: nil
        }
    }

    private static let yamlSigns: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "\0", "a": "\u{7}", "\t": "\t", "v": "\u{B}", " ": " ", "N": "\u{85}",
        "_": "\u{A0}", "L": "\u{2028}", "P": "\u{2029}",
    ]
}
