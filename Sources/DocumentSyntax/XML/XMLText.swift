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

    private var text: PlacedText
    /// Whether the text contains an unknown entity.
    package private(set) var hasUnknownEntity = false
    /// Whether comments or CDATA sections divide the text.
    package private(set) var isDivided = false
    /// The source; if the text is divided, the first part of it.
    package let source: Source

    /// The text after entities are decoded.
    package var decoded: [UInt8] { text.bytes }

    /// Decodes a text.
    package init(_ bytes: UnsafeBytes, _ source: Source) {
        self.source = source
        text = PlacedText(capacity: source.range.count)
        decode(UnsafeBytes(rebasing: bytes[..<source.range.upperBound]), source)
    }

    /// Decodes the text of an element, without parts that are whitespace or a mark that hides CDATA
    /// from a script or a style sheet, such as `//`; nil if there are no others.
    package init?(_ bytes: UnsafeBytes, parts: [Source]) {
        let parts = parts.filter { part in
            let text = bytes[bytes.trimmingWhitespace(part.range)]
            return !["", "//", "/*", "*/"].contains { text.elementsEqual($0.utf8) }
        }
        guard let first = parts.first else { return nil }
        self.init(bytes, first)
        for part in parts.dropFirst() {
            isDivided = true
            decode(UnsafeBytes(rebasing: bytes[..<part.range.upperBound]), part)
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

    /// The range in the document for `range` of the text.
    package func place(of range: Range<Int>) -> Range<Int> { text.place(of: range) }
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
