internal import CCmarkGFM
internal import Glibc

/// One pass over a Markdown tree, in which it is hashed and its slots are collected.
struct MarkdownWalk {
    private(set) var slots: [MarkdownSlot] = []
    /// The URLs of links that have a token, as bytes.
    private(set) var tokenedLinks: [[UInt8]] = []
    private(set) var blocks: [Outline.Block] = []

    private var hasher = OutlineHasher()
    private var tokenizer = HTMLTokenizer()
    private var tokens: TokenMarks?
    private var depth = 0
    private var wasText = false

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - text: The Markdown, without front matter.
    ///   - tokens: What marks the tokens, if the text has any; then nothing is hashed.
    init?(parsing text: Bytes, tokens: TokenMarks? = nil) {
        guard let tree = MarkdownTree(text) else { return nil }
        self.tokens = tokens
        var walk = self
        tree.forEach { node, isEntering in
            if isEntering { walk.enter(node) } else { walk.leave(node) }
        }
        self = walk
        blocks = hasher.finish()
    }

    private mutating func enter(_ node: OpaquePointer) {
        let type = cmark_node_get_type(node)
        let isBlock = type.rawValue & UInt32(CMARK_NODE_TYPE_MASK) == UInt32(CMARK_NODE_TYPE_BLOCK)
        if depth == 1, isBlock {
            hasher.beginBlock(line: Int(cmark_node_get_start_line(node)))
        }
        if !isLeaf(type) { depth += 1 }
        if tokens == nil { hash(node, type) }
        switch type {
        case CMARK_NODE_IMAGE: addImage(node)
        case CMARK_NODE_LINK: addLink(node)
        case CMARK_NODE_HTML_BLOCK, CMARK_NODE_HTML_INLINE: addHTML(node)
        default: break
        }
    }

    private mutating func leave(_ node: OpaquePointer) {
        depth -= 1
        wasText = false
        if tokens == nil { hasher.combine(-2) }
    }

    private func isLeaf(_ type: cmark_node_type) -> Bool {
        switch type {
        case CMARK_NODE_HTML_BLOCK, CMARK_NODE_THEMATIC_BREAK, CMARK_NODE_CODE_BLOCK,
            CMARK_NODE_TEXT, CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK, CMARK_NODE_CODE,
            CMARK_NODE_HTML_INLINE:
            true
        default: false
        }
    }

    private mutating func addImage(_ node: OpaquePointer) {
        slots.append(
            MarkdownSlot(
                content: .image, value: bytes(cmark_node_get_url(node)),
                title: bytes(cmark_node_get_title(node)), line: hasher.line))
    }

    private mutating func addLink(_ node: OpaquePointer) {
        guard let tokens, let url = cmark_node_get_url(node) else { return }
        if tokens.begin(url) { tokenedLinks.append(bytes(url)) }
    }

    /// Collects the attributes that may hold URLs and hashes the rest.
    private mutating func addHTML(_ node: OpaquePointer) {
        guard let literal = cmark_node_get_literal(node) else { return }
        let text = Bytes(
            start: UnsafeRawPointer(literal).assumingMemoryBound(to: UInt8.self),
            count: strlen(literal))
        var position = 0
        var hashed = 0
        while let tag = tokenizer.nextTag(in: text, from: &position) {
            for found in ImageAttribute.all(of: tag, in: text) {
                let attribute = found.attribute
                // The quotation marks are left out too, so that they may be added.
                let outer = attribute.quote == .none ? 0 : 1
                if tokens == nil {
                    hasher.combine(text[hashed..<attribute.value.lowerBound - outer])
                    hasher.combineSlot()
                    hashed = attribute.value.upperBound + outer
                }
                slots.append(
                    MarkdownSlot(
                        content: found.content, value: text.copy(attribute.value), line: hasher.line
                    ))
            }
        }
        guard tokens == nil else { return }
        hasher.combine(text[hashed...])
        hasher.combine(text.count - hashed)
    }

    private func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        guard let text, text.pointee != 0 else { return [] }
        return Array(
            UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}

extension MarkdownWalk {
    /// Hashes everything that a node says of itself, but for an image's URL and for HTML.
    private mutating func hash(_ node: OpaquePointer, _ type: cmark_node_type) {
        // cmark may cut a text into any number of nodes.
        if type != CMARK_NODE_TEXT || !wasText { hasher.combine(Int(type.rawValue)) }
        wasText = type == CMARK_NODE_TEXT
        switch type {
        case CMARK_NODE_TEXT:
            hasher.combineText(cmark_node_get_literal(node))
        case CMARK_NODE_CODE, CMARK_NODE_FOOTNOTE_REFERENCE, CMARK_NODE_FOOTNOTE_DEFINITION:
            hasher.combine(cmark_node_get_literal(node))
        case CMARK_NODE_CODE_BLOCK:
            hasher.combine(cmark_node_get_fence_info(node))
            hasher.combine(cmark_node_get_literal(node))
        case CMARK_NODE_HEADING: hasher.combine(Int(cmark_node_get_heading_level(node)))
        case CMARK_NODE_LIST:
            hasher.combine(Int(cmark_node_get_list_type(node).rawValue))
            hasher.combine(Int(cmark_node_get_list_delim(node).rawValue))
            hasher.combine(Int(cmark_node_get_list_start(node)))
            hasher.combine(Int(cmark_node_get_list_tight(node)))
        case CMARK_NODE_ITEM:
            hasher.combine(cmark_node_get_type_string(node))
            hasher.combine(cmark_gfm_extensions_get_tasklist_item_checked(node) ? 1 : 0)
        case CMARK_NODE_LINK:
            hasher.combine(cmark_node_get_url(node))
            hasher.combine(cmark_node_get_title(node))
        case CMARK_NODE_IMAGE: hasher.combine(cmark_node_get_title(node))
        default: hashAlignments(node, type)
        }
    }

    private mutating func hashAlignments(_ node: OpaquePointer, _ type: cmark_node_type) {
        let isOfExtension = type.rawValue & UInt32(CMARK_NODE_VALUE_MASK) > 0xB
        guard isOfExtension, strcmp(cmark_node_get_type_string(node), "table") == 0 else { return }
        let columns = Int(cmark_gfm_extensions_get_table_columns(node))
        hasher.combine(columns)
        guard let alignments = cmark_gfm_extensions_get_table_alignments(node) else { return }
        hasher.combine(Bytes(start: alignments, count: columns))
    }
}
