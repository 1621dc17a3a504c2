internal import CBoundedParsers
internal import CCmarkGFM
import DocumentSyntax
import Locks

/// The tree that cmark-gfm parses from a Markdown text, with the extensions table, strikethrough,
/// autolink, task list and footnotes.
struct MarkdownTree: ~Copyable {
    private let arena: ParserArena
    private let root: OpaquePointer

    /// Parses a text; nil if a limit of ``ParserLimits`` is exceeded.
    init?(_ bytes: UnsafeBytes) {
        let arena = ParserArena()
        guard let root = Self.parse(bytes, in: arena.pointer) else { return nil }
        self.arena = arena
        self.root = root
    }

    private static func parse(_ bytes: UnsafeBytes, in arena: OpaquePointer) -> OpaquePointer? {
        if MarkdownTableCost.isExcessive(bytes) {
            ParserLimits.exceed(.tables)
            return nil
        }
        let parser = bytes.withMemoryRebound(to: CChar.self) { text in
            parser_begin_markdown(
                arena, extensions.pointers, extensions.pointers.count, text.baseAddress, text.count)
        }
        guard let parser else { return nil }
        return inlineParsing.withLock { _ in
            parser_finish_markdown(arena, parser, bytes.count)
        }
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

    private static let extensions: Extensions = {
        cmark_gfm_core_extensions_ensure_registered()
        let names = ["table", "strikethrough", "autolink", "tasklist"]
        return Extensions(pointers: names.map { cmark_find_syntax_extension($0) })
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

// @unchecked Sendable: the extensions are made once and never changed.
private struct Extensions: @unchecked Sendable {
    let pointers: [OpaquePointer?]
}

/// A memory arena for one tree of cmark, which is freed all at once.
///
/// Without it, nearly a third of the parsing time went into allocating and freeing thousands of
/// small pieces. cmark's own arena is global to the process; this one belongs to one tree. Its
/// memory counts for the ``ParserLimits`` of the document.
struct ParserArena: ~Copyable {
    let pointer: OpaquePointer

    init() { pointer = parser_arena_new() }

    deinit { parser_arena_free(pointer) }

    /// Calls `body`, in which cmark allocates from this arena.
    func use(_ body: () -> Void) {
        let outer = parser_arena_use(pointer)
        body()
        _ = parser_arena_use(outer)
    }
}

/// The versions of the parsers that this module uses.
package enum ParserVersions {
    package static var cmark: String { String(cString: cmark_version_string()) }
}
