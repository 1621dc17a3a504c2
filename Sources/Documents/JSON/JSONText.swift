/// A string of JSON as it reads, and where it is written.
struct JSONText {
    /// The text, escapes decoded.
    let decoded: [UInt8]
    private let start: Int
    /// Where each byte of the text and its end are written, counted from `start`; nil if all is as it
    /// is written.
    private var places: [Int32]?

    /// Reads a string that the scanner has taken; nil if it has an escape that is none.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - range: Where the string stands, without its quotation marks.
    init?(_ bytes: Bytes, _ range: Range<Int>) {
        start = range.lowerBound
        let source = Bytes(rebasing: bytes[range])
        guard source.contains(.backslash) else {
            decoded = Array(source)
            return
        }
        var text: [UInt8] = []
        var places: [Int32] = []
        var index = 0
        while index < source.count {
            let length = Self.lengthOfCharacter(in: source, at: index)
            let part = Bytes(rebasing: source[index..<min(index + length, source.count)])
            guard let read = StringEscapes.json.decode(part) else { return nil }
            text += read
            places += repeatElement(Int32(index), count: read.count)
            index += part.count
        }
        places.append(Int32(index))
        decoded = text
        self.places = places
    }

    /// How many bytes the byte or the escape at `index` has; the two halves of a character go together.
    private static func lengthOfCharacter(in source: Bytes, at index: Int) -> Int {
        guard source[index] == .backslash else { return 1 }
        guard source.matches("\\u", at: index) else { return 2 }
        let isFirstHalf = isHalf(in: source, at: index, of: 0xD8...0xDB)
        return isFirstHalf && isHalf(in: source, at: index + 6, of: 0xDC...0xDF) ? 12 : 6
    }

    private static func isHalf(in source: Bytes, at index: Int, of kind: ClosedRange<UInt32>)
        -> Bool
    {
        guard source.matches("\\u", at: index), index + 3 < source.count,
            let high = source[index + 2].hexDigitValue, let low = source[index + 3].hexDigitValue
        else { return false }
        return kind.contains(high << 4 | low)
    }

    /// Where `range` of the text is written in the document.
    func place(of range: Range<Int>) -> Range<Int> {
        guard let places else { return start + range.lowerBound..<start + range.upperBound }
        return start + Int(places[range.lowerBound])..<start + Int(places[range.upperBound])
    }
}
