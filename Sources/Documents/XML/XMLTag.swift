/// A start tag in XML.
struct XMLTag {
    var name: Range<Int>
    /// The range between the name and the end of the tag.
    var inner: Range<Int>
    var isSelfClosing: Bool

    static let mostAttributes = 256

    /// The quoted attributes; nil if there are too many.
    ///
    /// The first of several attributes with one name counts.
    func attributes(in bytes: UnsafeBytes) -> [HTMLAttribute]? {
        var attributes: [HTMLAttribute] = []
        var index = inner.lowerBound
        while let attribute = next(in: bytes, from: &index) {
            let isRepeated = attributes.contains {
                bytes[$0.name].elementsEqual(bytes[attribute.name])
            }
            if !isRepeated { attributes.append(attribute) }
            if attributes.count > Self.mostAttributes { return nil }
        }
        return attributes
    }

    private func next(in bytes: UnsafeBytes, from index: inout Int) -> HTMLAttribute? {
        let end = inner.upperBound
        while true {
            while index < end, bytes[index].isHTMLSpace || bytes[index] == .slash { index += 1 }
            guard index < end else { return nil }
            let start = index
            while index < end, !bytes[index].isHTMLSpace, bytes[index] != .equals,
                Notation.Quote(bytes[index]) == .none
            { index += 1 }
            let name = start..<index
            while index < end, bytes[index].isHTMLSpace { index += 1 }
            guard index < end else { return nil }
            if bytes[index] == .equals {
                index += 1
                while index < end, bytes[index].isHTMLSpace { index += 1 }
                guard index < end else { return nil }
                let quote = Notation.Quote(bytes[index])
                if quote != .none, !name.isEmpty {
                    let first = index + 1
                    let close = bytes.firstIndex(of: bytes[index], from: first) ?? end
                    index = min(close + 1, end)
                    return HTMLAttribute(name: name, value: first..<min(close, end), quote: quote)
                }
            }
            // Words and quoted values without a name are not attributes.
            if Notation.Quote(bytes[index]) != .none {
                index = min((bytes.firstIndex(of: bytes[index], from: index + 1) ?? end) + 1, end)
            }
        }
    }
}

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
