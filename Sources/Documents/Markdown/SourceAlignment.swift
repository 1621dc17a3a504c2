/// How a value of cmark's tree lies in the document.
///
/// cmark leaves out what a container puts at the beginning of each line, the backslash of `\|` in a
/// table, and puts U+FFFD for NUL.
struct SourceAlignment {
    /// The place in the document of each byte of the value and of its end.
    private var places: [Int] = []

    /// - Returns: nil if `range` of the document does not read as `value`.
    init?(_ bytes: Bytes, _ range: Range<Int>, value: [UInt8]) {
        places.reserveCapacity(value.count + 1)
        var index = range.lowerBound
        var isAtLineStart = false
        while places.count < value.count {
            let wanted = value[places.count]
            guard index < range.upperBound else { return nil }
            let byte = bytes[index]
            if byte == wanted {
                places.append(index)
                isAtLineStart = byte.isLineEnd
                index += 1
            } else if byte == 0, value[places.count...].starts(with: replacementCharacter) {
                places += repeatElement(index, count: replacementCharacter.count)
                index += 1
            } else if byte == .backslash, wanted == .pipe {
                index += 1
            } else if isAtLineStart, byte == .space || byte == .tab || byte == .greater {
                index += 1
            } else {
                return nil
            }
        }
        guard index == range.upperBound else { return nil }
        places.append(index)
    }

    /// Where `range` of the value stands in the document, if it is in one piece there.
    func sourceRange(_ range: Range<Int>) -> Range<Int>? {
        let start = places[range.lowerBound]
        let end = range.isEmpty ? start : places[range.upperBound - 1] + 1
        return end - start == range.count ? start..<end : nil
    }
}
