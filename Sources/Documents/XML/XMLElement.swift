import DocumentSyntax

/// An XML element, as the reference rules see it.
struct XMLElement: HTMLElementView {
    let bytes: UnsafeBytes
    let tag: XMLTag
    let attributes: [HTMLAttribute]
    let name: HTMLElementName
    let isInPicture: Bool

    /// - Returns: nil if the tag has too many attributes.
    init?(_ tag: XMLTag, in bytes: UnsafeBytes, isInPicture: Bool) {
        guard let attributes = tag.attributes(in: bytes) else { return nil }
        self.bytes = bytes
        self.attributes = attributes
        self.isInPicture = isInPicture
        self.tag = tag
        let written = bytes[bytes.withoutPrefix(tag.name)]
        name = HTMLElementName(HTMLName(written), written: written)
    }

    /// The name as written.
    var writtenName: String { String(decoding: bytes[tag.name], as: UTF8.self) }

    var label: String { writtenName.lowercased() }

    func value(of attribute: StaticString) -> UnsafeBytes? {
        attributes.first { bytes.isWord(attribute, in: $0.name) }
            .map { UnsafeBytes(rebasing: bytes[$0.value]) }
    }

    /// The attribute with this name.
    func attribute(_ name: String) -> HTMLAttribute? {
        attributes.first { bytes[$0.name].elementsEqual(name.utf8) }
    }
}

extension UnsafeBytes {
    /// The name at `range` without a prefix such as `svg:`; names with other prefixes stay
    /// unchanged.
    func withoutPrefix(_ range: Range<Int>) -> Range<Int> {
        for prefix in Self.pagePrefixes
        where range.count > prefix.utf8CodeUnitCount && matches(prefix, at: range.lowerBound) {
            return range.lowerBound + prefix.utf8CodeUnitCount..<range.upperBound
        }
        return range
    }

    /// The namespace prefixes that are recognised as those of SVG and XHTML.
    static let pagePrefixes: [StaticString] = ["svg:", "html:", "xhtml:", "h:"]
}

extension XMLText {
    /// The URL of a feed's image, without the whitespace around it.
    func urlPieces(
        _ kind: Reference.Kind, _ role: Reference.Role, _ notation: Notation
    ) -> [HTMLPiece] {
        guard !containsTemplate(decoded), ParserLimits.takePlace() else { return [] }
        return decoded.withUnsafeBufferPointer { text in
            guard let range = urlRange(in: text) else { return [] }
            return [
                HTMLPiece(
                    range: range, in: text, kind: kind, role: role, form: .absolute,
                    notation: notation)
            ]
        }
    }

    /// The URLs in a value of a page.
    func pieces(
        _ value: HTMLValue, quote: QuotationMarks, isInFeed: Bool
    ) -> [HTMLPiece] {
        decoded.withUnsafeBufferPointer { text in
            value.pieces(in: text, quote: quote).map { piece in
                var piece = piece
                if isInFeed { (piece.role, piece.form) = (.enclosure, .absolute) }
                return piece
            }
        }
    }
}
