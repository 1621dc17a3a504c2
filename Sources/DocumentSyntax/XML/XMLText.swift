/// Decoded text of an XML document, with the place of each byte in the document.
package struct XMLText {
    /// A part of the source.
    package struct Source {
        package var range: Range<Int>
        /// Whether entities are decoded in it, which is not the case in CDATA.
        package var isEscaped: Bool

        package init(range: Range<Int>, isEscaped: Bool) {
            self.range = range
            self.isEscaped = isEscaped
        }
    }

    private struct Segment {
        var source: Source
        /// The range of its decoded text.
        var decoded: Range<Int>
    }

    private var text = PlacedText()
    /// Whether the text contains an unknown entity.
    package private(set) var hasUnknownEntity = false
    private var segments: [Segment] = []

    /// The parts of the source, in order.
    package var sources: [Source] { segments.map(\.source) }

    /// The text after entities are decoded.
    package var decoded: [UInt8] { text.bytes }

    /// Decodes a text; the place of its bytes is known only if `keepsPlaces` is true.
    package init(_ bytes: UnsafeBytes, _ sources: [Source], keepsPlaces: Bool = true) {
        text = PlacedText(
            capacity: sources.reduce(0) { $0 + $1.range.count }, keepsPlaces: keepsPlaces)
        for source in sources {
            let start = decoded.count
            decode(UnsafeBytes(rebasing: bytes[..<source.range.upperBound]), source)
            segments.append(Segment(source: source, decoded: start..<decoded.count))
        }
    }

    /// Decodes the end of `bytes`.
    private mutating func decode(_ bytes: UnsafeBytes, _ source: Source) {
        var copied = source.range.lowerBound
        var next = source.isEscaped ? bytes.firstIndex(of: .ampersand, from: copied) : nil
        while let index = next {
            var end = index + 1
            if let entity = XMLEntity(in: bytes, index..<bytes.count) {
                if let character = entity.character {
                    text.copy(UnsafeBytes(rebasing: bytes[copied..<index]), at: copied)
                    text.add(character, for: index)
                    end = index + entity.length
                    copied = end
                } else {
                    hasUnknownEntity = true
                }
            }
            next = bytes.firstIndex(of: .ampersand, from: end)
        }
        text.copy(UnsafeBytes(rebasing: bytes[copied...]), at: copied)
    }

    /// The range in the document for `range` of the text, and whether it is escaped there; nil if
    /// it spans several sources.
    package func place(of range: Range<Int>) -> (range: Range<Int>, isEscaped: Bool)? {
        guard let segment = segment(at: range.lowerBound),
            range.upperBound <= segment.decoded.upperBound
        else { return nil }
        let start = offset(range.lowerBound, in: segment)
        return (start..<offset(range.upperBound, in: segment), segment.source.isEscaped)
    }

    /// The offset in the document for an offset in the text.
    package func place(of offset: Int) -> Int {
        segment(at: offset).map { self.offset(offset, in: $0) } ?? 0
    }

    private func offset(_ offset: Int, in segment: Segment) -> Int {
        // The next segment begins at the same offset.
        offset == segment.decoded.upperBound
            ? segment.source.range.upperBound : text.place(of: offset)
    }

    /// The last segment that begins at or before `offset`.
    private func segment(at offset: Int) -> Segment? {
        let next = segments.firstSortedIndex { $0.decoded.lowerBound > offset }
        return next > 0 ? segments[next - 1] : nil
    }
}

/// An entity or a character reference, with its semicolon.
private struct XMLEntity {
    /// The character that the entity stands for; nil if it is not known.
    var character: Unicode.Scalar?
    var length: Int

    private static let longest = 40

    /// - Returns: nil if the ampersand at the beginning of `range` does not begin an entity.
    init?(in bytes: UnsafeBytes, _ range: Range<Int>) {
        let start = range.lowerBound + 1
        var end = start
        while end < range.upperBound, end - start < Self.longest,
            bytes[end].isASCIIAlphanumeric || bytes[end] == .hash
        { end += 1 }
        guard end > start, end < range.upperBound, bytes[end] == .semicolon else { return nil }
        length = end + 1 - range.lowerBound
        character = Self.character(UnsafeBytes(rebasing: bytes[start..<end]))
    }

    private static func character(_ name: UnsafeBytes) -> Unicode.Scalar? {
        if name[0] == .hash { return character(number: name.dropFirst()) }
        if name.isExactly("lt") { return "<" }
        if name.isExactly("gt") { return ">" }
        if name.isExactly("amp") { return "&" }
        if name.isExactly("quot") { return "\"" }
        return name.isExactly("apos") ? "'" : nil
    }

    private static func character(number: Slice<UnsafeBytes>) -> Unicode.Scalar? {
        let isHexadecimal = number.first == UInt8(ascii: "x")
        let digits = String(decoding: isHexadecimal ? number.dropFirst() : number, as: UTF8.self)
        guard let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), value != 0 else {
            return nil
        }
        return Unicode.Scalar(value)
    }
}
