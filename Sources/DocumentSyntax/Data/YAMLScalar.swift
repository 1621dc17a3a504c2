/// The place of a parsed scalar in the YAML text.
package struct YAMLScalar {
    package enum Style { case plain, singleQuoted, doubleQuoted }

    /// The range of the value, without quotation marks and the whitespace at its ends.
    package let range: Range<Int>
    /// The decoded text at `range`.
    package let url: [UInt8]

    /// Finds the scalar that begins at `offset`, possibly with an anchor and a tag; nil if `value`
    /// is not written there on one line.
    package init?(in text: UnsafeBytes, at offset: Int, style: Style, value: [UInt8]) {
        guard let start = Self.endOfProperties(text, from: offset), start < text.count else {
            return nil
        }
        guard style != .plain else {
            let end = start + value.count
            guard end <= text.count, text[start..<end].elementsEqual(value),
                !value.contains(where: \.isLineEnd)
            else { return nil }
            (range, url) = (start..<end, value)
            return
        }
        let quote: UInt8 = style == .singleQuoted ? .singleQuote : .doubleQuote
        guard text[start] == quote, let close = Self.close(text, from: start + 1, quote: quote),
            Self.decode(text, start + 1..<close, quote) == value
        else { return nil }
        let inner = text.trimmingWhitespace(start + 1..<close)
        guard let url = Self.decode(text, inner, quote) else { return nil }
        (range, self.url) = (inner, url)
    }

    /// The offset of the scalar itself, after `&anchor` and `!tag`.
    private static func endOfProperties(_ text: UnsafeBytes, from offset: Int) -> Int? {
        var index = offset
        while index < text.count, text[index] == .ampersand || text[index] == .exclamation {
            while index < text.count, !text[index].isMarkdownSpace { index += 1 }
            while index < text.count, text[index] == .space || text[index] == .tab { index += 1 }
        }
        return index < text.count && !text[index].isLineEnd ? index : nil
    }

    /// The offset of the closing quotation mark, if it is on the same line.
    private static func close(_ text: UnsafeBytes, from start: Int, quote: UInt8) -> Int? {
        var index = start
        while index < text.count, !text[index].isLineEnd {
            if text[index] == quote {
                let isDoubled =
                    quote == .singleQuote && index + 1 < text.count && text[index + 1] == quote
                guard isDoubled else { return index }
                index += 1
            } else if text[index] == .backslash, quote == .doubleQuote {
                index += 1
            }
            index += 1
        }
        return nil
    }

    private static func decode(_ text: UnsafeBytes, _ range: Range<Int>, _ quote: UInt8) -> [UInt8]?
    {
        guard quote == .singleQuote else {
            return StringEscapes.yaml.decode(UnsafeBytes(rebasing: text[range]))
        }
        var result: [UInt8] = []
        var wasQuote = false
        for byte in text[range] {
            wasQuote = byte == .singleQuote && !wasQuote
            if !wasQuote { result.append(byte) }
        }
        return wasQuote ? nil : result
    }
}

/// A line and a column as the YAML parser counts them: from 1, with columns in Unicode scalars.
package struct YAMLMark: Hashable, Comparable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// Converts marks to offsets in one pass; marks must be requested in order.
    package struct Index {
        private let text: UnsafeBytes
        private var mark = YAMLMark(line: 1, column: 1)
        private var offset = 0

        package init(_ text: UnsafeBytes) { self.text = text }

        /// The offset of `wanted`; nil if there is no such place after the previous one.
        package mutating func offset(of wanted: YAMLMark) -> Int? {
            while mark < wanted, offset < text.count { advance() }
            return mark == wanted && offset < text.count ? offset : nil
        }

        private mutating func advance() {
            let length = lineEnd
            if length > 0 {
                offset += length
                mark = YAMLMark(line: mark.line + 1, column: 1)
            } else {
                offset += 1
                while offset < text.count, text[offset] & 0xC0 == 0x80 { offset += 1 }
                mark.column += 1
            }
        }

        /// The length of the line end at `offset`; 0 if there is none.
        ///
        /// Besides ASCII line ends, YAML 1.1 has U+0085, U+2028 and U+2029.
        private var lineEnd: Int {
            switch text[offset] {
            case .lineFeed: 1
            case .carriageReturn: text.matches("\r\n", at: offset) ? 2 : 1
            case 0xC2: isNext([0x85]) ? 2 : 0
            case 0xE2: isNext([0x80, 0xA8]) || isNext([0x80, 0xA9]) ? 3 : 0
            default: 0
            }
        }

        private func isNext(_ rest: [UInt8]) -> Bool { text[(offset + 1)...].starts(with: rest) }
    }
}
