import DocumentSyntax

/// A mapping from the bytes of a value in cmark's tree to the document.
///
/// cmark omits container prefixes at the beginning of lines and the backslash of `\|` in a table,
/// and replaces NUL by U+FFFD.
struct SourceAlignment {
    /// The range in the document of each byte of the value.
    private var places: [Range<Int>] = []
    private let start: Int

    /// - Returns: nil if `range` of the document does not parse as `value`.
    init?(_ bytes: UnsafeBytes, _ range: Range<Int>, value: [UInt8]) {
        start = range.lowerBound
        places.reserveCapacity(value.count)
        var index = range.lowerBound
        var isAtLineStart = false
        while places.count < value.count {
            if isAtLineStart {
                index += Self.container(bytes, index..<range.upperBound, value[places.count...])
                isAtLineStart = false
                continue
            }
            let wanted = value[places.count]
            guard index < range.upperBound else { return nil }
            let byte = bytes[index]
            var length = 1
            if byte == wanted {
                places.append(index..<index + 1)
                isAtLineStart = byte.isLineEnd
            } else if byte == 0, value[places.count...].starts(with: replacementCharacter) {
                places += repeatElement(index..<index + 1, count: replacementCharacter.count)
            } else if byte == .backslash, wanted == .pipe, index + 1 < range.upperBound,
                bytes[index + 1] == .pipe
            {
                length = 2
                places.append(index..<index + 2)
            } else {
                return nil
            }
            index += length
        }
        if isAtLineStart {
            while index < range.upperBound, Self.isContainer(bytes[index]) { index += 1 }
        }
        guard index == range.upperBound else { return nil }
    }

    /// The length of the container prefix of a line: the difference between the leading prefix
    /// characters of the source and of the value.
    private static func container(
        _ bytes: UnsafeBytes, _ range: Range<Int>, _ value: ArraySlice<UInt8>
    ) -> Int {
        let written = bytes[range].prefix(while: isContainer).count
        let read = value.prefix(while: isContainer).count
        return max(0, written - read)
    }

    /// Whether the byte can be part of a container prefix.
    private static func isContainer(_ byte: UInt8) -> Bool {
        byte == .space || byte == .tab || byte == .greater
    }

    /// The range in the document for `range` of the value.
    func sourceRange(_ range: Range<Int>) -> Range<Int> {
        if range.isEmpty {
            let offset = range.lowerBound > 0 ? places[range.lowerBound - 1].upperBound : start
            return offset..<offset
        }
        return places[range.lowerBound].lowerBound..<places[range.upperBound - 1].upperBound
    }
}
