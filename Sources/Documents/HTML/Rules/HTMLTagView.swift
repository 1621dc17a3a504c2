/// A start tag in a text, as the reference rules see it.
struct HTMLTagView: HTMLElementView {
    let bytes: UnsafeBytes
    let tag: HTMLTag
    let name: HTMLElementName
    let isInPicture: Bool
    /// The attributes in order.
    ///
    /// The first of several attributes with one name counts, as in HTML.
    let attributes: [HTMLAttribute]
    /// Whether the tag repeats an attribute of a control.
    ///
    /// The second one would take effect if the first were removed.
    let hasRepeatedControl: Bool

    /// The largest number of attributes that are read.
    ///
    /// Each is compared with those before it. HTML documents with longer tags are refused.
    private static let mostAttributes = 256

    /// - Parameters:
    ///   - tag: A start tag.
    ///   - bytes: The text that contains the tag.
    ///   - isInPicture: Whether a `<picture>` is open around the tag.
    ///   - isJSX: Whether elements with a capitalised name are components.
    init(_ tag: HTMLTag, in bytes: UnsafeBytes, isInPicture: Bool, isJSX: Bool = false) {
        self.tag = tag
        self.bytes = bytes
        self.isInPicture = isInPicture
        let isComponent = isJSX && bytes.isComponent(tag.name)
        name = isComponent ? .other : HTMLElementName(bytes[tag.name])
        var attributes: [HTMLAttribute] = []
        var hasRepeatedControl = false
        var index = tag.name.upperBound
        while attributes.count < Self.mostAttributes,
            let attribute = HTMLTokenizer.attribute(in: bytes, from: &index)
        {
            let isRepeated = attributes.contains {
                $0.name.count == attribute.name.count
                    && bytes.isSameWord($0.name, attribute.name)
            }
            if !isRepeated {
                attributes.append(attribute)
            } else if HTMLAttributeRules(UnsafeBytes(rebasing: bytes[attribute.name])).isControl {
                hasRepeatedControl = true
            }
        }
        self.attributes = attributes
        self.hasRepeatedControl = hasRepeatedControl
    }

    var label: String {
        UnsafeBytes(rebasing: bytes[tag.name]).lowercasedText
    }

    func value(of attribute: StaticString) -> UnsafeBytes? {
        attributes.first {
            $0.name.count == attribute.utf8CodeUnitCount
                && bytes.matches(attribute, at: $0.name.lowerBound)
        }.map { UnsafeBytes(rebasing: bytes[$0.value]) }
    }

    /// The attributes that may name images or are controls, each with the kind of its value.
    func values(by rules: HTMLRules) -> [(attribute: HTMLAttribute, value: HTMLValue)] {
        attributes.compactMap { attribute in
            let name = UnsafeBytes(rebasing: bytes[attribute.name])
            guard let value = rules.value(of: name, on: self), !value.isClaim else { return nil }
            if value != .control, attribute.value.isEmpty { return nil }
            let text = UnsafeBytes(rebasing: bytes[attribute.value])
            // An entity may hide the name of a CSS function; it is decoded later.
            let isWanted = value != .style || text.mayNameCSSImage || text.contains(.ampersand)
            return isWanted ? (attribute, value) : nil
        }
    }

    /// The image properties that other attributes of the element state.
    ///
    /// They are not rewritten in Markdown.
    func fixedProperties(by rules: HTMLRules) -> Reference.FixedProperties {
        // The other `<meta>` elements of the same image are not known here.
        if name == .meta { return [.format, .size] }
        guard name.namesImageWithType else { return [] }
        let hasClaim = attributes.contains {
            rules.value(of: UnsafeBytes(rebasing: bytes[$0.name]), on: self)?.isClaim == true
        }
        return hasClaim ? .format : []
    }

    /// The text of a `<script>` without JSON-LD, up to its end or the end of the same text.
    var scriptText: UnsafeBytes? {
        guard let name = RawText.name(bytes, tag.name), !isJSONLD else { return nil }
        let start = tag.range.upperBound
        return UnsafeBytes(rebasing: bytes[start..<RawText(bytes, name: name).end(from: start)])
    }

    /// The text of a `<style>` or a JSON-LD script that ends in the same text.
    func rawText() -> (range: Range<Int>, value: HTMLValue)? {
        let value: HTMLValue
        switch name {
        case .style: value = .styleText
        case .script where isJSONLD: value = .jsonLD
        default: return nil
        }
        guard let name = RawText.name(bytes, tag.name) else { return nil }
        let end = RawText(bytes, name: name).end(from: tag.range.upperBound)
        return end < bytes.count ? (tag.range.upperBound..<end, value) : nil
    }
}

extension UnsafeBytes {
    /// Whether an element name is that of a JSX component, such as `Image`.
    ///
    /// `IMG` is HTML.
    func isComponent(_ name: Range<Int>) -> Bool {
        guard let first = self[name].first, first != first.lowercased else { return false }
        return self[name].contains { $0.isASCIILetter && $0 == $0.lowercased }
    }

    /// Whether two ranges of equal length have the same text, ignoring case.
    fileprivate func isSameWord(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        zip(self[first], self[second]).allSatisfy { $0.lowercased == $1.lowercased }
    }
}
