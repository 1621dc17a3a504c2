internal import CCmarkGFM

/// Uses cmark to keep the shortcodes that are in text and drop those in code, comments and tags.
struct ShortcodeFilter {
    private let tokens: ProbeTokens

    /// The ranges that are in text; they must be in order and must not overlap.
    static func confirmed(
        _ ranges: [Range<Int>], in bytes: UnsafeBytes, body: Int
    ) -> Set<Range<Int>> {
        guard !ranges.isEmpty else { return [] }
        let filter = ShortcodeFilter(tokens: ProbeTokens(unusedIn: bytes))
        let text = ShortcodeMask(bytes, ranges).text(from: body, word: filter.tokens.start)
        let found = text.withUnsafeBufferPointer { filter.found(in: $0) }
        return Set(found.filter(ranges.indices.contains).map { ranges[$0] })
    }

    private func found(in text: UnsafeBytes) -> Set<Int> {
        guard let tree = MarkdownTree(text) else { return [] }
        var found: Set<Int> = []
        var tokenizer = HTMLTokenizer(forHTMLIn: text)
        var isOff = false
        tree.forEach { node, type, isEntering in
            guard isEntering else { return }
            switch type {
            case CMARK_NODE_TEXT where !isOff:
                found.formUnion(
                    tokens.numbers(in: UnsafeBytes(cString: cmark_node_get_literal(node))))
            case CMARK_NODE_HTML_BLOCK, CMARK_NODE_HTML_INLINE:
                found.formUnion(
                    inHTML(UnsafeBytes(cString: cmark_node_get_literal(node)), &tokenizer, &isOff))
            case CMARK_NODE_CODE_BLOCK where !isOff:
                // A directive's value is in the info string of its fence; its content is not read.
                let info = UnsafeBytes(cString: cmark_node_get_fence_info(node))
                found.formUnion(tokens.numbers(in: info))
            default: break
            }
        }
        return found
    }

    /// The candidates whose tokens are in the HTML text, outside tags, comments, scripts and
    /// styles.
    private func inHTML(
        _ text: UnsafeBytes, _ tokenizer: inout HTMLTokenizer, _ isOff: inout Bool
    ) -> [Int] {
        var found: [Int] = []
        func add(_ range: Range<Int>) {
            if !isOff { found += tokens.numbers(in: UnsafeBytes(rebasing: text[range])) }
        }
        var position = 0
        var start = 0
        while let token = tokenizer.next(in: text, from: &position) {
            switch token {
            case .text, .cdata, .doctype, .declaration: break
            case .tag(let tag):
                let endsRawText = tag.isEnd && tag.element.isRawText
                if !endsRawText { add(start..<max(start, tag.range.lowerBound)) }
                start = tag.range.upperBound
            case .comment(let range):
                add(start..<max(start, range.lowerBound - 4))
                isOff = ToggleComments.isOff(UnsafeBytes(rebasing: text[range])) ?? isOff
                start = position
            }
        }
        if tokenizer.isInText { add(start..<text.count) }
        return found
    }
}
