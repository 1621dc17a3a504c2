/// A TOML string of any of the four kinds.
struct TOMLString {
    /// The range of the string without quotation marks.
    let range: Range<Int>
    /// The decoded string; for some multi-line strings, the text as written.
    let value: [UInt8]
    /// Whether the string has triple quotation marks.
    let isMultiLine: Bool
    let isLiteral: Bool

    /// Reads the string at `index`, which moves to its end.
    init?(in bytes: UnsafeBytes, from index: inout Int, end: Int) {
        let quote = bytes[index]
        isLiteral = quote == .singleQuote
        isMultiLine = index + 2 < end && bytes[index + 1] == quote && bytes[index + 2] == quote
        let start = index + (isMultiLine ? 3 : 1)
        guard
            let close = Self.close(
                bytes, from: start, end: end, quote: quote, isMultiLine: isMultiLine)
        else { return nil }
        range = start..<close
        index = close + (isMultiLine ? 3 : 1)
        let text = UnsafeBytes(rebasing: bytes[range])
        if isLiteral {
            value = Array(text)
        } else if let decoded = StringEscapes.toml.decode(text) {
            value = decoded
        } else if isMultiLine {
            // A line-ending backslash is allowed only in a multi-line string, and is not decoded
            // here.
            value = Array(text)
        } else {
            return nil
        }
    }

    /// The offset of the closing quotation marks of the string that begins at `start`.
    private static func close(
        _ bytes: UnsafeBytes, from start: Int, end: Int, quote: UInt8, isMultiLine: Bool
    ) -> Int? {
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == .backslash, quote == .doubleQuote {
                index += 2
            } else if byte == quote {
                if !isMultiLine { return index }
                var count = 1
                while index + count < end, bytes[index + count] == quote { count += 1 }
                // Up to two quotation marks before the closing three belong to the string.
                if count >= 3 { return index + min(count, 5) - 3 }
                index += count
            } else if !isMultiLine, byte.isLineEnd {
                return nil
            } else {
                index += 1
            }
        }
        return nil
    }
}
