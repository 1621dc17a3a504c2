/// How a value of cmark's tree lies in the document.
///
/// cmark leaves out what a container puts at the beginning of each line, the backslash of `\|` in a
/// table, and puts U+FFFD for NUL.
struct SourceAlignment {
    /// Where each byte of the value is written.
    private var places: [Range<Int>] = []
    private let start: Int

    /// - Returns: nil if `range` of the document does not read as `value`.
    init?(_ bytes: Bytes, _ range: Range<Int>, value: [UInt8]) {
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

    /// How many bytes a container puts before a line: what the source has more of them at its beginning
    /// than the value.
    private static func container(
        _ bytes: Bytes, _ range: Range<Int>, _ value: ArraySlice<UInt8>
    ) -> Int {
        let written = bytes[range].prefix(while: isContainer).count
        let read = value.prefix(while: isContainer).count
        return max(0, written - read)
    }

    /// Whether a container can put the byte at the beginning of a line.
    private static func isContainer(_ byte: UInt8) -> Bool {
        byte == .space || byte == .tab || byte == .greater
    }

    /// Where `range` of the value is written.
    func sourceRange(_ range: Range<Int>) -> Range<Int> {
        if range.isEmpty {
            let offset = range.lowerBound > 0 ? places[range.lowerBound - 1].upperBound : start
            return offset..<offset
        }
        return places[range.lowerBound].lowerBound..<places[range.upperBound - 1].upperBound
    }
}
