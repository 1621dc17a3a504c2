internal import CCmarkGFM
import DocumentSyntax

/// Uses cmark to keep the shortcodes that are in text and drop those in code, comments and tags.
struct ShortcodeFilter {
    private let tokens: ProbeTokens

    /// The ranges that are in text; they must be in order and must not overlap.
    static func confirmed(
        _ ranges: [Range<Int>], in bytes: UnsafeBytes, body: Int
    ) -> Set<Range<Int>> {
        guard !ranges.isEmpty else { return [] }
        let filter = ShortcodeFilter(tokens: ProbeTokens(unusedIn: bytes))
        let text = ShortcodeMask(bytes: bytes, ranges: ranges).text(
            from: body, word: filter.tokens.start)
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
        var position = 0
        while true {
            let isInText = tokenizer.isInText
            guard let token = tokenizer.next(in: text, from: &position) else { return found }
            switch token {
            case .text(let range) where isInText && !isOff:
                found += tokens.numbers(in: UnsafeBytes(rebasing: text[range]))
            case .comment(let range):
                isOff = ToggleComments.isOff(UnsafeBytes(rebasing: text[range])) ?? isOff
            case .text, .cdata, .tag, .doctype, .declaration: break
            }
        }
    }
}

/// A text in which shortcodes are replaced by plain words.
struct ShortcodeMask {
    let bytes: UnsafeBytes
    let ranges: [Range<Int>]

    /// The text at its original length, with `x` for each masked byte.
    func sameLength() -> [UInt8] {
        var result = Array(bytes)
        for range in ranges {
            var isAtLineStart = false
            for index in range where !isOfLine(bytes[index], &isAtLineStart) {
                result[index] = Self.filler
            }
        }
        return result
    }

    /// The text from `start`, with each masked range replaced by a word and the range's line ends.
    func text(from start: Int, word: (Int) -> [UInt8] = { _ in [filler] }) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count - start)
        var copied = start
        for (number, range) in ranges.enumerated() {
            result += bytes[copied..<range.lowerBound]
            result += word(number)
            var isAtLineStart = false
            var wasOfLine = false
            for index in range {
                let isOfLine = isOfLine(bytes[index], &isAtLineStart)
                if isOfLine {
                    result.append(bytes[index])
                } else if wasOfLine {
                    result.append(Self.filler)
                }
                wasOfLine = isOfLine
            }
            copied = range.upperBound
        }
        return result + bytes[copied...]
    }

    private static let filler = UInt8(ascii: "x")

    /// Whether a byte is a line end, or part of the container prefix at the beginning of the next
    /// line.
    private func isOfLine(_ byte: UInt8, _ isAtLineStart: inout Bool) -> Bool {
        if byte.isLineEnd {
            isAtLineStart = true
        } else if isAtLineStart {
            isAtLineStart = byte == .space || byte == .tab || byte == .greater
        }
        return isAtLineStart
    }
}
