/// A start tag in a text, as the rules for images look at it.
struct HTMLTagView: HTMLElementView {
    let bytes: Bytes
    let tag: HTMLTag
    let name: HTMLElementName
    let isInPicture: Bool
    /// In order; of several with one name, HTML counts the first.
    let attributes: [HTMLAttribute]
    /// Whether it has an attribute of a control twice; the second would come to life without the first.
    let hasRepeatedControl: Bool

    /// Each is compared with those before it, so no more are looked at; HTML is not read at all where
    /// a tag has more.
    private static let mostAttributes = 256

    /// - Parameters:
    ///   - tag: A start tag.
    ///   - bytes: The text that it is in.
    ///   - isInPicture: Whether a `<picture>` is open around it.
    ///   - isJSX: Whether a capital letter begins the name of a component.
    init(_ tag: HTMLTag, in bytes: Bytes, isInPicture: Bool, isJSX: Bool = false) {
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
            } else if HTMLAttributeRules(Bytes(rebasing: bytes[attribute.name])).isControl {
                hasRepeatedControl = true
            }
        }
        self.attributes = attributes
        self.hasRepeatedControl = hasRepeatedControl
    }

    var label: String {
        Bytes(rebasing: bytes[tag.name]).lowercasedText
    }

    func value(of attribute: StaticString) -> Bytes? {
        attributes.first {
            $0.name.count == attribute.utf8CodeUnitCount
                && bytes.matches(attribute, at: $0.name.lowerBound)
        }.map { Bytes(rebasing: bytes[$0.value]) }
    }

    /// The attributes that may name images or ask something of imgbake, each with what it holds.
    func values(by rules: HTMLRules) -> [(attribute: HTMLAttribute, value: HTMLValue)] {
        attributes.compactMap { attribute in
            let name = Bytes(rebasing: bytes[attribute.name])
            guard let value = rules.value(of: name, on: self), !value.isClaim else { return nil }
            if value != .control, attribute.value.isEmpty { return nil }
            let text = Bytes(rebasing: bytes[attribute.value])
            // An entity may hide the name; what it stands for is known later.
            let isWanted = value != .style || text.mayNameCSSImage || text.contains(.ampersand)
            return isWanted ? (attribute, value) : nil
        }
    }

    /// What the element says of its image by other attributes, which are not rewritten in Markdown.
    func fixedProperties(by rules: HTMLRules) -> Reference.FixedProperties {
        // The elements that go with a `<meta>` are not looked for.
        if name == .meta { return [.format, .size] }
        guard name.namesImageWithType else { return [] }
        let hasClaim = attributes.contains {
            rules.value(of: Bytes(rebasing: bytes[$0.name]), on: self)?.isClaim == true
        }
        return hasClaim ? .format : []
    }

    /// The text of a `<script>` that holds no JSON-LD, as far as it stands in the same text.
    var scriptText: Bytes? {
        guard let name = RawText.name(bytes, tag.name), !isJSONLD else { return nil }
        let start = tag.range.upperBound
        return Bytes(rebasing: bytes[start..<RawText(bytes, name: name).end(from: start)])
    }

    /// The text of the element, if it is a `<style>` or JSON-LD that ends in the same text.
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

extension Bytes {
    /// Whether the name of an element is that of a component of JSX: `Image`, but not `IMG`, which is
    /// what an author of HTML writes.
    func isComponent(_ name: Range<Int>) -> Bool {
        guard let first = self[name].first, first != first.lowercased else { return false }
        return self[name].contains { $0.isASCIILetter && $0 == $0.lowercased }
    }

    /// Whether two ranges of one length hold the same letters, whatever their case.
    fileprivate func isSameWord(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        zip(self[first], self[second]).allSatisfy { $0.lowercased == $1.lowercased }
    }
}
