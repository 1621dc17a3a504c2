import DocumentSyntax

/// A start tag in a text, as the reference rules see it.
struct HTMLTagView: HTMLElementView {
    let bytes: UnsafeBytes
    let tag: HTMLTag
    let name: HTMLElementName
    let isInPicture: Bool
    /// The attributes in order.
    ///
    /// The first of several attributes with one name counts, as in HTML.
    private(set) var attributes: [HTMLAttribute]
    /// Whether the tag repeats an attribute of a control.
    ///
    /// The second one would take effect if the first were removed.
    private(set) var hasRepeatedControl = false
    private let known = KnownValues()

    /// - Parameters:
    ///   - tag: A start tag.
    ///   - attributes: The attributes of the tag, as ``HTMLTokenizer`` has read them.
    ///   - bytes: The text that contains the tag.
    ///   - name: The name of the element; nil if it is that of the tag.
    ///   - isInPicture: Whether a `<picture>` is open around the tag.
    ///   - isJSX: Whether elements with a capitalised name are components.
    init(
        _ tag: HTMLTag, _ attributes: [HTMLAttribute], in bytes: UnsafeBytes,
        name: HTMLElementName? = nil, isInPicture: Bool, isJSX: Bool = false
    ) {
        self.tag = tag
        self.bytes = bytes
        self.isInPicture = isInPicture
        let isComponent = isJSX && bytes.isComponent(tag.name)
        self.name =
            isComponent ? .other : name ?? HTMLElementName(tag.element, written: bytes[tag.name])
        self.attributes = attributes
        if attributes.count > HTMLTokenizer.mostInTag { self.attributes.removeLast() }
        var index = 0
        while index < self.attributes.count {
            let name = self.attributes[index].name
            if (0..<index).contains(where: { bytes.isSameWord(self.attributes[$0].name, name) }) {
                self.attributes.remove(at: index)
                let rules = HTMLAttributeRules(UnsafeBytes(rebasing: bytes[name]))
                hasRepeatedControl = hasRepeatedControl || rules.isControl
            } else {
                index += 1
            }
        }
    }

    var label: String {
        name.label ?? UnsafeBytes(rebasing: bytes[tag.name]).lowercasedText
    }

    func isNamed(_ name: StaticString, _ attribute: HTMLAttribute) -> Bool {
        bytes.isWord(name, in: attribute.name)
    }

    func value(of attribute: StaticString) -> UnsafeBytes? {
        for known in attributes where isNamed(attribute, known) { return value(of: known) }
        return nil
    }

    var shown: Reference.Shown {
        if let shown = known.shown { return shown }
        let shown = readShown()
        known.shown = shown
        return shown
    }

    var urgency: Reference.Urgency? {
        if let urgency = known.urgency { return urgency }
        let urgency = readUrgency()
        known.urgency = urgency
        return urgency
    }

    /// Whether the element has areas, whose places are pixels of the image.
    var hasAreas: Bool { value(of: "usemap") != nil || value(of: "ismap") != nil }

    /// Whether a script in an attribute, such as `onerror="this.src='none.png'"`, may set the `src`.
    ///
    /// A `srcset` would count more.
    var setsSource: Bool {
        attributes.contains { attribute in
            bytes.matches("on", at: attribute.name.lowerBound)
                && String(decoding: value(of: attribute), as: UTF8.self).contains("src")
        }
    }

    func text(of attribute: StaticString) -> String? {
        value(of: attribute).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value with its character references decoded, valid as long as this view.
    func value(of attribute: HTMLAttribute) -> UnsafeBytes {
        let source = UnsafeBytes(rebasing: bytes[attribute.value])
        return DecodedText.isEncoded(source) ? known.keep(DecodedText(source).bytes) : source
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
        if name == .img, hasAreas { return .size }
        guard name.namesImageWithType else { return [] }
        let hasClaim = attributes.contains {
            rules.value(of: UnsafeBytes(rebasing: bytes[$0.name]), on: self)?.isClaim == true
        }
        return hasClaim ? .format : []
    }

    /// What the text of this element holds: the style sheet of a `<style>`, or JSON-LD; nil for
    /// another element.
    func textValue(by rules: HTMLRules) -> HTMLValue? {
        switch name {
        case .style: .styleText(readsRequests: rules.options.readsRequests)
        case .script where isJSONLD: .jsonLD
        default: nil
        }
    }

    /// The text of a raw text element, up to its end tag or the end of the same text.
    var rawText: (range: Range<Int>, isClosed: Bool) {
        let start = tag.range.upperBound
        let end = RawText(bytes, name: tag.element).end(from: start)
        return (start..<end, end < bytes.count)
    }
}

extension UnsafeBytes {
    /// The range extended by the whitespace before it, unless that whitespace must separate its
    /// neighbours.
    func includingWhitespaceBefore(_ range: Range<Int>) -> Range<Int> {
        if range.upperBound < count, !self[range.upperBound].endsTagName { return range }
        var start = range.lowerBound
        while start > 0, self[start - 1].isHTMLSpace { start -= 1 }
        return start..<range.upperBound
    }

    /// Whether two ranges have the same text, ignoring case.
    fileprivate func isSameWord(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        first.count == second.count
            && zip(first, second).allSatisfy { self[$0].lowercased == self[$1].lowercased }
    }
}

extension HTMLTagView {
    /// What was read of a tag, and is read once.
    final class KnownValues {
        fileprivate var shown: Reference.Shown?
        fileprivate var urgency: Reference.Urgency??
        /// Decoded values.
        private var buffers: [UnsafeMutableBufferPointer<UInt8>] = []

        fileprivate func keep(_ value: [UInt8]) -> UnsafeBytes {
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: value.count)
            _ = buffer.initialize(from: value)
            buffers.append(buffer)
            return UnsafeBytes(buffer)
        }

        deinit {
            for buffer in buffers { buffer.deallocate() }
        }
    }
}
