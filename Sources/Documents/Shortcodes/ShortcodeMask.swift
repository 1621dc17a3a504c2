/// A text in which shortcodes are replaced by plain words.
struct ShortcodeMask {
    private let bytes: UnsafeBytes
    private let ranges: [Range<Int>]

    init(_ bytes: UnsafeBytes, _ ranges: [Range<Int>]) {
        self.bytes = bytes
        self.ranges = ranges
    }

    /// The text at its original length, with `x` for each masked byte.
    func sameLength() -> [UInt8] {
        var result = Array(bytes)
        for range in ranges {
            var isAtLineStart = false
            for index in range where !isOfLine(bytes[index], &isAtLineStart) {
                result[index] = Self.filler
            }
        }
        return result
    }

    /// The text from `start`, with each masked range replaced by a word and the range's line ends.
    func text(from start: Int, word: (Int) -> [UInt8] = { _ in [filler] }) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count - start)
        var copied = start
        for (number, range) in ranges.enumerated() {
            result += bytes[copied..<range.lowerBound]
            result += word(number)
            var isAtLineStart = false
            var wasOfLine = false
            for index in range {
                let isOfLine = isOfLine(bytes[index], &isAtLineStart)
                if isOfLine {
                    result.append(bytes[index])
                } else if wasOfLine {
                    result.append(Self.filler)
                }
                wasOfLine = isOfLine
            }
            copied = range.upperBound
        }
        return result + bytes[copied...]
    }

    private static let filler = UInt8(ascii: "x")

    /// Whether a byte is a line end, or part of the container prefix at the beginning of the next
    /// line.
    private func isOfLine(_ byte: UInt8, _ isAtLineStart: inout Bool) -> Bool {
        if byte.isLineEnd {
            isAtLineStart = true
        } else if isAtLineStart {
            isAtLineStart = byte == .space || byte == .tab || byte == .greater
        }
        return isAtLineStart
    }
}
