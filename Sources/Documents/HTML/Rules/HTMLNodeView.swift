internal import CGumbo

/// An element of gumbo's tree, as the reference rules see it.
struct HTMLNodeView: HTMLElementView {
    let node: HTMLTree.Node
    let name: HTMLElementName

    /// - Parameter node: An element node.
    init(node: HTMLTree.Node) {
        self.node = node
        name = HTMLElementName(node)
    }

    var element: GumboElement { node.pointee.v.element }

    var label: String { name.label ?? element.name }

    var isInPicture: Bool {
        guard let parent = node.pointee.parent, parent.pointee.isElement else { return false }
        return HTMLElementName(parent) == .picture
    }

    func value(of attribute: StaticString) -> UnsafeBytes? {
        withUnsafePointer(to: element.attributes) { attributes in
            attribute.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) {
                gumbo_get_attribute(attributes, $0)?.pointee.valueBytes
            }
        }
    }

    func text(of attribute: StaticString) -> String? {
        value(of: attribute).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the tag repeats an attribute of a control.
    ///
    /// The parser drops the second one. It would take effect if the first were removed.
    var hasRepeatedControl: Bool {
        let tag = element.original_tag.bytes
        var position = 1
        while position < tag.count, !tag[position].endsTagName { position += 1 }
        var names: [String] = []
        while let attribute = HTMLTokenizer.attribute(in: tag, from: &position) {
            let name = UnsafeBytes(rebasing: tag[attribute.name])
            if HTMLAttributeRules(name).isControl { names.append(name.lowercasedText) }
        }
        return Set(names).count < names.count
    }

    /// The kind of the element's text, if it may name images.
    var textContent: HTMLValue? {
        switch name {
        case .style: return .styleText
        case .script: return isJSONLD ? .jsonLD : nil
        default: return nil
        }
    }
}

extension HTMLElementView {
    /// Whether this is a `<script>` with JSON-LD.
    var isJSONLD: Bool {
        guard let type = value(of: "type") else { return false }
        let name = type.prefix { $0 != .semicolon }.filter { !$0.isHTMLSpace }
        return name.lazy.map(\.lowercased).elementsEqual("application/ld+json".utf8)
    }
}

extension UnsafeBytes {
    /// The range of an attribute, from its name to the end of its value.
    func range(of attribute: GumboAttribute) -> Range<Int>? {
        guard let name = range(of: attribute.original_name) else { return nil }
        let value = range(of: attribute.original_value)
        return name.lowerBound..<Swift.max(name.upperBound, value?.upperBound ?? 0)
    }

    /// The range extended by the whitespace before it, unless that whitespace must separate its
    /// neighbours.
    func includingWhitespaceBefore(_ range: Range<Int>) -> Range<Int> {
        if range.upperBound < count, !self[range.upperBound].endsTagName { return range }
        var start = range.lowerBound
        while start > 0, self[start - 1].isHTMLSpace { start -= 1 }
        return start..<range.upperBound
    }
}
