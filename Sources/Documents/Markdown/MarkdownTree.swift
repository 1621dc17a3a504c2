internal import CCmarkGFM
import Locks

/// The tree that cmark-gfm parses from a Markdown text, with the extensions table, strikethrough,
/// autolink, task list and footnotes.
struct MarkdownTree: ~Copyable {
    private let arena: MarkdownArena
    private let root: OpaquePointer

    /// - Returns: nil if cmark gives no tree.
    init?(_ bytes: UnsafeBytes) {
        let arena = MarkdownArena()
        guard let root = arena.use({ Self.parse(bytes) }) else { return nil }
        self.arena = arena
        self.root = root
    }

    private static func parse(_ bytes: UnsafeBytes) -> OpaquePointer? {
        guard let parser = cmark_parser_new_with_mem(CMARK_OPT_FOOTNOTES, MarkdownArena.memory)
        else { return nil }
        defer { cmark_parser_free(parser) }
        for `extension` in extensions {
            cmark_parser_attach_syntax_extension(parser, `extension`.pointer)
        }
        bytes.withMemoryRebound(to: CChar.self) { text in
            cmark_parser_feed(parser, text.baseAddress, text.count)
        }
        return inlineParsing.withLock { _ in
            UncheckedPointer(pointer: cmark_parser_finish(parser))
        }.pointer
    }

    /// Visits each node on entry and, unless it is a leaf, on exit.
    func forEach(_ visit: (OpaquePointer, cmark_node_type, _ isEntering: Bool) -> Void) {
        // To return a text, cmark may have to copy it.
        arena.use { walk(visit) }
    }

    private func walk(_ visit: (OpaquePointer, cmark_node_type, _ isEntering: Bool) -> Void) {
        var node = root
        while true {
            let type = cmark_node_get_type(node)
            visit(node, type, true)
            if let child = cmark_node_first_child(node) {
                node = child
                continue
            }
            if !type.isLeaf { visit(node, type, false) }
            while node != root {
                if let next = cmark_node_next(node) {
                    node = next
                    break
                }
                guard let parent = cmark_node_parent(node) else { return }
                node = parent
                visit(node, cmark_node_get_type(node), false)
            }
            if node == root { return }
        }
    }

    /// A lock that is held while cmark parses inlines.
    ///
    /// During that time cmark keeps its extensions' special characters in global variables, and the
    /// end of another parse would reset them.
    private static let inlineParsing = Locked(false)

    private static let extensions: [UncheckedPointer] = {
        cmark_gfm_core_extensions_ensure_registered()
        let names = ["table", "strikethrough", "autolink", "tasklist"]
        return names.map { UncheckedPointer(pointer: cmark_find_syntax_extension($0)) }
    }()
}

extension cmark_node_type {
    /// Whether a node of this type never has children.
    var isLeaf: Bool {
        switch self {
        case CMARK_NODE_HTML_BLOCK, CMARK_NODE_THEMATIC_BREAK, CMARK_NODE_CODE_BLOCK,
            CMARK_NODE_TEXT, CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK, CMARK_NODE_CODE,
            CMARK_NODE_HTML_INLINE:
            true
        default: false
        }
    }
}

// @unchecked Sendable: the extensions are made once and never changed; a tree is handed out by the
// lock to the one caller that parsed it.
private struct UncheckedPointer: @unchecked Sendable {
    let pointer: OpaquePointer?

    init(pointer: OpaquePointer?) { self.pointer = pointer }
}
