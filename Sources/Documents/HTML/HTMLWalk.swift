internal import CGumbo
internal import Glibc

/// One pass over an HTML tree that hashes it and collects its slots.
struct HTMLWalk {
    private(set) var slots: [HTMLSlot] = []
    private(set) var blocks: [Outline.Block] = []
    private(set) var baseHref: String?
    /// The offset of the element with ``baseHref``.
    private(set) var baseOffset: Int?
    /// The controls in attributes, with offsets in the parsed text.
    private(set) var controls: [LocatedControl] = []
    /// The comments that turn imgbake off and on.
    private(set) var toggleComments = ToggleComments()
    /// The image URLs in scripts.
    private(set) var scriptImages: [(offset: Int, url: String)] = []
    /// The declared encoding, if it is not a superset of ASCII.
    private(set) var unsupportedEncoding: String?
    /// Whether the tree is too deep for other versions of gumbo.
    private(set) var isTooDeep = false

    private var hasher = OutlineHasher()
    private(set) var bytes: UnsafeBytes
    private var rules: HTMLRules
    /// The controls of `<picture>` elements and of their descendants.
    private var pictureControls: [HTMLTree.Node: Int] = [:]
    private var metaImages = MetaImages()

    /// The deepest tree that is read.
    ///
    /// gumbo 0.12 and later stop at a depth of 400.
    private static let deepest = 390

    init?(parsing bytes: UnsafeBytes, rules: HTMLRules) {
        guard let tree = HTMLTree(bytes) else { return nil }
        self.bytes = bytes
        self.rules = rules
        var walk = self
        tree.forEach { node, depth, isEntering in
            if isEntering { walk.enter(node, depth) } else { walk.hasher.combine(.end) }
        }
        self = walk
        blocks = hasher.finish()
        var slots = slots
        metaImages.forEach { slots[$0].claimSlots = $1 }
        self.slots = slots
    }

    var outline: Outline {
        Outline(
            blocks: blocks,
            slots: slots.map {
                Outline.Slot(value: $0.value, pieces: $0.pieces.map(\.piece), line: $0.line)
            })
    }

    private mutating func enter(_ node: HTMLTree.Node, _ depth: Int) {
        if depth > Self.deepest { isTooDeep = true }
        if node.pointee.isElement {
            // Each child of the body is a block.
            if depth <= 3 { hasher.beginBlock(line: Int(node.pointee.v.element.start_pos.line)) }
            enterElement(node)
            return
        }
        hasher.combine(Int(node.pointee.type.rawValue))
        if node.pointee.type == GUMBO_NODE_DOCUMENT {
            hash(node.pointee.v.document)
        } else if !addText(node) {
            addScript(node)
            if node.pointee.type == GUMBO_NODE_COMMENT { addToggleComment(node.pointee.v.text) }
            hasher.combine(node.pointee.v.text.text)
        }
    }

    private mutating func addToggleComment(_ comment: GumboText) {
        guard let text = comment.text else { return }
        let start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        toggleComments.add(
            UnsafeBytes(start: start, count: strlen(text)), at: Int(comment.start_pos.offset))
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
        let kind = Int(node.pointee.type.rawValue) | Int(element.tag_namespace.rawValue) << 4
        hasher.combine(kind | Int(element.tag.rawValue) << 8)
        if element.tag == GUMBO_TAG_UNKNOWN { hasher.combine(element.writtenName) }
        let view = HTMLNodeView(node: node)
        let isImage = view.name == .img && element.tag_namespace == GUMBO_NAMESPACE_HTML
        var size = ImageSize()
        let first = slots.count
        var source: Int?
        for index in 0..<Int(element.attributes.length) {
            guard let pointer = element.attributes.data[index] else { continue }
            let attribute = pointer.assumingMemoryBound(to: GumboAttribute.self).pointee
            if isImage, size.read(attribute) { continue }
            guard let content = content(of: attribute, on: view) else {
                hasher.combine(attribute.name)
                hasher.combine(attribute.value)
                continue
            }
            // A control will be removed from the output, so it must not affect the hash.
            if content != .control {
                hasher.combine(attribute.name)
                hasher.combineSlot()
            }
            if isImage, strcmp(attribute.name, "src") == 0 { source = slots.count }
            slots.append(HTMLSlot(attribute, content, in: bytes, line: hasher.line))
        }
        addControl(of: node, view, slots: first..<slots.count)
        addClaims(of: view, slots: first..<slots.count)
        if isImage { addSize(size, source: view.isInPicture ? nil : source) }
        if element.tag_namespace == GUMBO_NAMESPACE_HTML { readHead(element) }
    }

    /// The kind of the attribute's value, if it may name images.
    private func content(of attribute: GumboAttribute, on view: HTMLNodeView) -> HTMLValue? {
        guard let content = rules.value(of: attribute.nameBytes, on: view) else { return nil }
        if content == .control { return content }
        guard attribute.value.pointee != 0 else { return nil }
        return content != .style || attribute.valueBytes.mayNameCSSImage ? content : nil
    }

    /// Assigns an element's claims to the slots of its image.
    private mutating func addClaims(of view: HTMLNodeView, slots range: Range<Int>) {
        if view.name == .meta {
            for slot in range { metaImages.add(slots[slot].content, slot: slot) }
            return
        }
        let claims = range.filter { slots[$0].content.isClaim }
        if claims.isEmpty { return }
        for slot in range where slots[slot].content.namesOwnImage {
            slots[slot].claimSlots = claims
        }
    }

    private mutating func addSize(_ size: ImageSize, source: Int?) {
        if let source, size.isUnknown { slots[source].sizeSlot = slots.count }
        slots.append(HTMLSlot(sizeValue: size.slotValue, line: hasher.line))
    }

    /// Adds a slot for `node` if it is the text of a `<style>` or of JSON-LD.
    private mutating func addText(_ node: HTMLTree.Node) -> Bool {
        guard node.pointee.type == GUMBO_NODE_TEXT, let parent = node.pointee.parent,
            parent.pointee.isElement,
            let content = HTMLNodeView(node: parent).textContent,
            let slot = HTMLSlot(node.pointee.v.text, content, in: bytes, line: hasher.line)
        else { return false }
        slots.append(slot)
        hasher.combineSlot()
        return true
    }

    /// Collects image URLs from `node` if it is the text of a `<script>`.
    private mutating func addScript(_ node: HTMLTree.Node) {
        guard node.pointee.type == GUMBO_NODE_TEXT, let parent = node.pointee.parent,
            parent.pointee.isElement, parent.pointee.v.element.tag == GUMBO_TAG_SCRIPT,
            let range = bytes.range(of: node.pointee.v.text.original_text)
        else { return }
        scriptImages += ScriptImages.located(
            in: UnsafeBytes(rebasing: bytes[range]), at: range.lowerBound)
    }

    /// Reads the control of an element and assigns it to the element's slots.
    private mutating func addControl(
        of node: HTMLTree.Node, _ view: HTMLNodeView, slots range: Range<Int>
    ) {
        if range.isEmpty && view.name != .picture && pictureControls.isEmpty { return }
        let own = range.filter { slots[$0].content == .control }
        var index = node.pointee.parent.flatMap { pictureControls[$0] }
        if let index, own.isEmpty { pictureControls[node] = index }
        if !own.isEmpty {
            index = controls.count
            controls.append(located(own, on: view))
            if view.name == .picture { pictureControls[node] = index }
        }
        guard let index else { return }
        for slot in range { slots[slot].control = index }
    }

    private func located(_ own: [Int], on view: HTMLNodeView) -> LocatedControl {
        var result = LocatedControl(control: ImageControl(), ranges: [], slots: own)
        result.control.offset = slots[own[0]].offset
        for attribute in view.element.attributeList {
            guard HTMLAttributeRules(attribute.nameBytes).isControl else { continue }
            result.control.read(attribute.nameBytes, attribute.valueBytes)
            guard let range = bytes.range(of: attribute) else {
                result.ranges = nil
                continue
            }
            result.ranges?.append(bytes.includingWhitespaceBefore(range))
            result.control.offset = min(result.control.offset, range.lowerBound)
        }
        if view.hasRepeatedControl { result.ranges = nil }
        return result
    }

    private mutating func readHead(_ element: GumboElement) {
        if element.tag == GUMBO_TAG_BASE, baseHref == nil {
            baseHref = element.attribute("href").map { String(cString: $0.value) }
            baseOffset = baseHref == nil ? nil : Int(element.start_pos.offset)
        } else if element.tag == GUMBO_TAG_META, unsupportedEncoding == nil {
            let content = element.attribute("http-equiv").flatMap { _ in
                element.attribute("content")
            }
            guard let declared = element.attribute("charset") ?? content else { return }
            let text = String(cString: declared.value).lowercased()
            unsupportedEncoding = Self.unsupportedEncodings.first { text.hasSuffix($0) }
        }
    }

    /// Encodings in which ASCII bytes can be parts of other characters.
    static let unsupportedEncodings = [
        "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "utf-7",
    ]
}
