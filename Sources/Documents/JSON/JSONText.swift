/// A decoded JSON string, with the place of each byte in the document.
struct JSONText {
    /// The text after escapes are decoded.
    let decoded: [UInt8]
    private let start: Int
    /// The offset from `start` of each byte of the text and of its end; nil if the string has no
    /// escapes.
    private var places: [Int32]?

    /// Decodes a string; nil if it has an invalid escape.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - range: The range of the string without quotation marks.
    init?(_ bytes: UnsafeBytes, _ range: Range<Int>) {
        start = range.lowerBound
        let source = UnsafeBytes(rebasing: bytes[range])
        guard source.contains(.backslash) else {
            decoded = Array(source)
            return
        }
        var text: [UInt8] = []
        var places: [Int32] = []
        var index = 0
        while index < source.count {
            let length = Self.lengthOfCharacter(in: source, at: index)
            let part = UnsafeBytes(rebasing: source[index..<min(index + length, source.count)])
            guard let read = StringEscapes.json.decode(part) else { return nil }
            text += read
            places += repeatElement(Int32(index), count: read.count)
            index += part.count
        }
        places.append(Int32(index))
        decoded = text
        self.places = places
    }

    /// The length of the character or escape at `index`.
    ///
    /// Two escapes that form a surrogate pair count as one.
    private static func lengthOfCharacter(in source: UnsafeBytes, at index: Int) -> Int {
        guard source[index] == .backslash else { return 1 }
        guard source.matches("\\u", at: index) else { return 2 }
        let isFirstHalf = isHalf(in: source, at: index, of: 0xD8...0xDB)
        return isFirstHalf && isHalf(in: source, at: index + 6, of: 0xDC...0xDF) ? 12 : 6
    }

    private static func isHalf(in source: UnsafeBytes, at index: Int, of kind: ClosedRange<UInt32>)
        -> Bool
    {
        guard source.matches("\\u", at: index), index + 3 < source.count,
            let high = source[index + 2].hexDigitValue, let low = source[index + 3].hexDigitValue
        else { return false }
        return kind.contains(high << 4 | low)
    }

    /// The range in the document for `range` of the text.
    func place(of range: Range<Int>) -> Range<Int> {
        guard let places else { return start + range.lowerBound..<start + range.upperBound }
        return start + Int(places[range.lowerBound])..<start + Int(places[range.upperBound])
    }
}
