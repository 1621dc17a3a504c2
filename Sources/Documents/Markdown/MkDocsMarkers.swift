internal import CCmarkGFM

/// Recognises the lines that begin a MkDocs admonition, `!!! note` or `??? note`, or a tab,
/// `=== "Title"`.
///
/// Their content is indented by four spaces, like code in CommonMark.
enum MkDocsMarkers {
    /// Whether the block before `node` contains such a line, so that `node` is its content.
    static func precede(_ node: OpaquePointer) -> Bool {
        guard let block = cmark_node_previous(node),
            cmark_node_get_type(block) == CMARK_NODE_PARAGRAPH
        else { return false }
        var line: [UInt8] = []
        var result = false
        var child = cmark_node_first_child(block)
        while let inline = child {
            switch cmark_node_get_type(inline) {
            case CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK:
                result = result || isMark(line)
                line = []
            case CMARK_NODE_TEXT where line.count < 8:
                var text = cmark_node_get_literal(inline)
                while let byte = text?.pointee, byte != 0, line.count < 8 {
                    line.append(UInt8(bitPattern: byte))
                    text = text?.successor()
                }
            default: break
            }
            child = cmark_node_next(inline)
        }
        return result || isMark(line)
    }

    private static func isMark(_ line: [UInt8]) -> Bool {
        ["!!! ", "??? ", "???+ ", "=== \"", "=== '", "===+ ", "===! "].contains {
            line.starts(with: $0.utf8)
        }
    }
}
