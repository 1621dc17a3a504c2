internal import CGumbo
internal import Glibc

/// An element of gumbo's tree, as the rules for images look at it.
struct HTMLNodeView: HTMLElementView {
    let node: HTMLTree.Node
    let name: HTMLElementName

    /// - Parameter node: An element.
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

    func value(of attribute: StaticString) -> Bytes? {
        withUnsafePointer(to: element.attributes) { attributes in
            attribute.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) {
                gumbo_get_attribute(attributes, $0)?.pointee.valueBytes
            }
        }
    }

    /// Whether the tag has an attribute of a control twice: the parser drops the second, which would
    /// come to life without the first.
    var hasRepeatedControl: Bool {
        let tag = element.original_tag.bytes
        var position = 1
        while position < tag.count, !tag[position].endsTagName { position += 1 }
        var names: [String] = []
        while let attribute = HTMLTokenizer.attribute(in: tag, from: &position) {
            let name = Bytes(rebasing: tag[attribute.name])
            if HTMLAttributeRules(name).isControl { names.append(name.lowercasedText) }
        }
        return Set(names).count < names.count
    }

    /// How the text in the element is read, if it may name images.
    var textContent: HTMLValue? {
        switch name {
        case .style: return .styleText
        case .script: return isJSONLD ? .jsonLD : nil
        default: return nil
        }
    }
}

extension HTMLElementView {
    /// Whether a `<script>` holds JSON-LD.
    var isJSONLD: Bool {
        guard let type = value(of: "type") else { return false }
        let name = type.prefix { $0 != .semicolon }.filter { !$0.isHTMLSpace }
        return name.lazy.map(\.lowercased).elementsEqual("application/ld+json".utf8)
    }
}

extension GumboAttribute {
    /// The name as the parser has it: in lower case.
    var nameBytes: Bytes {
        let start = UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self)
        return Bytes(start: start, count: strlen(name))
    }
}

extension Bytes {
    /// Where an attribute is written, from its name to the end of its value.
    func range(of attribute: GumboAttribute) -> Range<Int>? {
        guard let name = range(of: attribute.original_name) else { return nil }
        let value = range(of: attribute.original_value)
        return name.lowerBound..<Swift.max(name.upperBound, value?.upperBound ?? 0)
    }

    /// `range` and the blanks directly before it, unless they are needed to part what is around it.
    func withBlanksBefore(_ range: Range<Int>) -> Range<Int> {
        if range.upperBound < count, !self[range.upperBound].endsTagName { return range }
        var start = range.lowerBound
        while start > 0, self[start - 1].isHTMLSpace { start -= 1 }
        return start..<range.upperBound
    }
}
