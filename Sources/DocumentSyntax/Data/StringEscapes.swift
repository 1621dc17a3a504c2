/// The escape sequences in the quoted strings of a language.
package enum StringEscapes {
    case json, toml, yaml

    /// The decoded text; nil if it has an invalid escape.
    package func decode(_ text: UnsafeBytes) -> [UInt8]? { placed(text, keepsPlaces: false)?.bytes }

    /// The decoded text with the place of each byte, if `text` is at `place` of the source; nil if
    /// it has an invalid escape.
    package func placed(
        _ text: UnsafeBytes, at place: Int = 0, keepsPlaces: Bool = true
    ) -> PlacedText? {
        guard var next = text.firstIndex(of: .backslash, from: 0) else {
            return PlacedText(text, at: place)
        }
        var result = PlacedText(capacity: text.count, keepsPlaces: keepsPlaces)
        var index = 0
        while next < text.count {
            result.copy(UnsafeBytes(rebasing: text[index..<next]), at: place + index)
            index = next
            guard let scalar = scalar(in: text, at: &index) else { return nil }
            result.add(scalar, for: place + next)
            next = text.firstIndex(of: .backslash, from: index) ?? text.count
        }
        result.copy(UnsafeBytes(rebasing: text[index...]), at: place + index)
        return result
    }

    /// The character of the escape at `index`, which moves to its end; nil if it is invalid.
    private func scalar(in text: UnsafeBytes, at index: inout Int) -> Unicode.Scalar? {
        guard index + 1 < text.count else { return nil }
        if let length = hexLength(after: text[index + 1]) {
            return scalar(in: text, at: &index, length: length)
        }
        defer { index += 2 }
        return sign(text[index + 1])
    }

    /// The number of hexadecimal digits after a backslash and `sign`.
    private func hexLength(after sign: UInt8) -> Int? {
        switch sign {
        case UInt8(ascii: "u"): 4
        case UInt8(ascii: "U") where self != .json: 8
        case UInt8(ascii: "x") where self != .json: 2
        default: nil
        }
    }

    /// The character of the escape at `index` with this number of digits.
    private func scalar(in text: UnsafeBytes, at index: inout Int, length: Int) -> Unicode.Scalar? {
        guard let first = hex(in: text, from: index + 2, length: length) else { return nil }
        index += 2 + length
        guard self == .json, first & 0xFC00 == 0xD800 else {
            return Unicode.Scalar(first) ?? (self == .json ? "\u{FFFD}" : nil)
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
        case "e" where self != .json: "\u{1B}"
        case let other where self == .yaml: Self.yamlSigns[other]
        default: nil
        }
    }

    private static let yamlSigns: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "\0", "a": "\u{7}", "\t": "\t", "v": "\u{B}", " ": " ", "N": "\u{85}",
        "_": "\u{A0}", "L": "\u{2028}", "P": "\u{2029}",
    ]
}
