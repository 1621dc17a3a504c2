internal import CGumbo
internal import Glibc

/// One pass over an HTML tree, in which it is hashed and its slots are collected.
struct HTMLWalk {
    private(set) var slots: [HTMLSlot] = []
    private(set) var blocks: [Outline.Block] = []
    private(set) var baseHref: String?
    /// The document's encoding, if it is no superset of ASCII.
    private(set) var strangeEncoding: String?
    /// Whether the tree is so deep that another version of gumbo would have given up on it.
    private(set) var isTooDeep = false

    private var hasher = OutlineHasher()
    private(set) var bytes: Bytes

    /// gumbo 0.12 and later stop at 400.
    private static let deepest = 390

    init?(parsing bytes: Bytes) {
        guard let tree = HTMLTree(bytes) else { return nil }
        self.bytes = bytes
        var walk = self
        tree.forEach { node, depth, isEntering in
            if isEntering { walk.enter(node, depth) } else { walk.hasher.combine(-2) }
        }
        self = walk
        blocks = hasher.finish()
    }

    var outline: Outline {
        Outline(
            blocks: blocks,
            slots: slots.map { Outline.Slot(value: $0.value, pieces: $0.pieces, line: $0.line) })
    }

    private mutating func enter(_ node: HTMLTree.Node, _ depth: Int) {
        if depth > Self.deepest { isTooDeep = true }
        hasher.combine(Int(node.pointee.type.rawValue))
        if node.pointee.isElement {
            // The children of the body are blocks.
            if depth <= 3 { hasher.beginBlock(line: Int(node.pointee.v.element.start_pos.line)) }
            enterElement(node)
        } else if node.pointee.type == GUMBO_NODE_DOCUMENT {
            hash(node.pointee.v.document)
        } else if !addStyleText(node) {
            hasher.combine(node.pointee.v.text.text)
        }
    }

    private mutating func hash(_ document: GumboDocument) {
        hasher.combine(document.has_doctype ? 1 : 0)
        guard document.has_doctype else { return }
        hasher.combine(document.name)
        hasher.combine(document.public_identifier)
        hasher.combine(document.system_identifier)
    }

    private mutating func enterElement(_ node: HTMLTree.Node) {
        let element = node.pointee.v.element
        hasher.combine(Int(element.tag.rawValue))
        hasher.combine(Int(element.tag_namespace.rawValue))
        if element.tag == GUMBO_TAG_UNKNOWN { hasher.combine(element.writtenName) }
        let isHTML = element.tag_namespace == GUMBO_NAMESPACE_HTML
        let isImage = isHTML && element.tag == GUMBO_TAG_IMG
        var size = ImageSize()
        var source: Int?
        for index in 0..<Int(element.attributes.length) {
            guard let pointer = element.attributes.data[index] else { continue }
            let attribute = pointer.assumingMemoryBound(to: GumboAttribute.self).pointee
            if isImage, size.take(attribute) { continue }
            guard let content = content(of: attribute, on: node, isHTML: isHTML) else {
                hasher.combine(attribute.name)
                hasher.combine(attribute.value)
                continue
            }
            hasher.combine(attribute.name)
            hasher.combineSlot()
            if content == .attribute(element: "img", attribute: "src") { source = slots.count }
            slots.append(HTMLSlot(attribute, content, in: bytes, line: hasher.line))
        }
        if isImage { addSize(size, source: source) }
        if isHTML { readHead(element) }
    }

    /// What the attribute's value is, if it may name images.
    private func content(
        of attribute: GumboAttribute, on node: HTMLTree.Node, isHTML: Bool
    ) -> HTMLSlot.Content? {
        guard attribute.value.pointee != 0 else { return nil }
        if strcmp(attribute.name, "style") == 0 {
            return mayNameImages(attribute.original_value.bytes) ? .style : nil
        }
        guard isHTML else { return nil }
        switch node.pointee.v.element.tag {
        case GUMBO_TAG_IMG:
            if strcmp(attribute.name, "src") == 0 {
                return .attribute(element: "img", attribute: "src")
            }
            return strcmp(attribute.name, "srcset") == 0 ? .srcset(element: "img") : nil
        case GUMBO_TAG_SOURCE:
            if strcmp(attribute.name, "srcset") == 0 { return .srcset(element: "source") }
            let isSource = strcmp(attribute.name, "src") == 0 && node.isInPicture
            return isSource ? .attribute(element: "source", attribute: "src") : nil
        default: return nil
        }
    }

    private func mayNameImages(_ css: Bytes) -> Bool {
        css.indices.contains {
            css[$0] == .openParenthesis
                && (css.matches("url", at: $0 - 3) || css.matches("image-set", at: $0 - 9))
        }
    }

    private mutating func addSize(_ size: ImageSize, source: Int?) {
        if let source, size.isUnknown { slots[source].sizeSlot = slots.count }
        slots.append(HTMLSlot(sizeValue: size.slotValue, line: hasher.line))
    }

    /// Adds the text of a `<style>` element as a slot, if `node` is one.
    private mutating func addStyleText(_ node: HTMLTree.Node) -> Bool {
        guard let parent = node.pointee.parent, parent.pointee.isElement,
            parent.pointee.v.element.tag == GUMBO_TAG_STYLE,
            node.pointee.type == GUMBO_NODE_TEXT,
            let slot = HTMLSlot(styleText: node.pointee.v.text, in: bytes, line: hasher.line)
        else { return false }
        slots.append(slot)
        hasher.combineSlot()
        return true
    }

    private mutating func readHead(_ element: GumboElement) {
        if element.tag == GUMBO_TAG_BASE, baseHref == nil {
            baseHref = element.attribute("href").map { String(cString: $0.value) }
        } else if element.tag == GUMBO_TAG_META, strangeEncoding == nil {
            let content = element.attribute("http-equiv").flatMap { _ in
                element.attribute("content")
            }
            guard let declared = element.attribute("charset") ?? content else { return }
            let text = String(cString: declared.value).lowercased()
            strangeEncoding = Self.strangeEncodings.first { text.hasSuffix($0) }
        }
    }

    /// Encodings in which bytes that are ASCII signs mean something else.
    private static let strangeEncodings = [
        "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "utf-7",
    ]
}

/// What an `<img>` says of its size.
private struct ImageSize {
    private var width: String?
    private var height: String?
    private var isStyled = false

    /// Whether the attribute is part of the size, and not of the rest of the tree.
    mutating func take(_ attribute: GumboAttribute) -> Bool {
        if strcmp(attribute.name, "width") == 0 {
            width = String(cString: attribute.value)
        } else if strcmp(attribute.name, "height") == 0 {
            height = String(cString: attribute.value)
        } else {
            if strcmp(attribute.name, "style") == 0 {
                let style = String(cString: attribute.value).lowercased()
                isStyled = style.split { !$0.isLetter }.contains { $0 == "width" || $0 == "height" }
            }
            return false
        }
        return true
    }

    var isUnknown: Bool { width == nil && height == nil && !isStyled }

    var slotValue: [UInt8] { sizeSlotValue(width: width, height: height) }
}

extension HTMLTree.Node {
    fileprivate var isInPicture: Bool {
        guard let parent = pointee.parent, parent.pointee.isElement else { return false }
        return parent.pointee.v.element.name == "picture"
    }
}
