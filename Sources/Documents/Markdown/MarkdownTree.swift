internal import CCmarkGFM
internal import Synchronization

/// The tree that cmark-gfm makes of a Markdown text, with the extensions table, strikethrough,
/// autolink, task list and footnotes.
struct MarkdownTree: ~Copyable {
    private let root: OpaquePointer

    /// - Returns: nil if cmark gives no tree.
    init?(_ bytes: Bytes) {
        guard let parser = cmark_parser_new(CMARK_OPT_FOOTNOTES) else { return nil }
        defer { cmark_parser_free(parser) }
        for `extension` in Self.extensions {
            cmark_parser_attach_syntax_extension(parser, `extension`.pointer)
        }
        bytes.withMemoryRebound(to: CChar.self) { text in
            cmark_parser_feed(parser, text.baseAddress, text.count)
        }
        let tree = Self.inlineParsing.withLock { _ in
            UncheckedPointer(pointer: cmark_parser_finish(parser))
        }
        guard let root = tree.pointer else { return nil }
        self.root = root
    }

    deinit { cmark_node_free(root) }

    /// Visits each node when it is entered and, unless it is a leaf, when it is left.
    func forEach(_ visit: (OpaquePointer, _ isEntering: Bool) -> Void) {
        guard let iterator = cmark_iter_new(root) else { return }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(iterator) else {
                return
            }
            visit(node, event == CMARK_EVENT_ENTER)
        }
    }

    /// Held while cmark parses inlines.
    ///
    /// Meanwhile it keeps in global variables which characters its extensions want to see, and the
    /// end of another parse would take them away.
    private static let inlineParsing = Mutex(())

    private static let extensions: [UncheckedPointer] = {
        cmark_gfm_core_extensions_ensure_registered()
        let names = ["table", "strikethrough", "autolink", "tasklist"]
        return names.map { UncheckedPointer(pointer: cmark_find_syntax_extension($0)) }
    }()
}

// @unchecked Sendable: the extensions are made once and never changed; a tree is handed out by the
// lock to the one caller that parsed it.
private struct UncheckedPointer: @unchecked Sendable {
    let pointer: OpaquePointer?

    init(pointer: OpaquePointer?) { self.pointer = pointer }
}
