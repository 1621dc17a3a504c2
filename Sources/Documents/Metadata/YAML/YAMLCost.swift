/// A check, before YAML is parsed, that parsing takes little time and stack.
package enum YAMLCost {
    private static let largest = 256 << 10
    private static let deepest = 100
    private static let mostCopies = 1_000

    /// The limit that the text exceeds, as text that follows "the document has"; nil if it exceeds
    /// none.
    static func excess(in text: UnsafeBytes) -> String? {
        if text.count > largest { return "front matter of more than 256 KiB" }
        if isDeep(text) { return "front matter nested too deeply" }
        return copies(in: text) > mostCopies ? "front matter with too many aliases" : nil
    }

    /// Whether aliases may expand the text to more than the parser should be given.
    package static func hasManyAliases(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { copies(in: $0) > mostCopies }
    }

    /// Whether the nesting may exceed the parser's stack.
    ///
    /// In block style, each level is indented further by whitespace, a dash or a question mark.
    /// Brackets in strings are counted too. If a closing bracket in a string hides open ones, the
    /// parser's own limit applies.
    private static func isDeep(_ text: UnsafeBytes) -> Bool {
        var open = 0
        var marks = 0
        var isLeading = true
        for index in text.indices {
            switch text[index] {
            case .openBracket, .openBrace: open += 1
            case .closeBracket, .closeBrace: open = max(0, open - 1)
            default: break
            }
            if text[index].isLineEnd {
                (isLeading, marks) = (true, 0)
            } else if isLeading {
                let isMark = text[index] == .hyphen || text[index] == .question
                let next = index + 1 < text.count ? text[index + 1] : .lineFeed
                isLeading = isMark && next.isMarkdownSpace || text[index].isMarkdownSpace
                marks += 1
            }
            if open > deepest || marks > 2 * deepest { return true }
        }
        return false
    }

    /// The number of times that a part of the text may be expanded, since nested anchors multiply.
    private static func copies(in text: UnsafeBytes) -> Int {
        var uses: [[UInt8]: Int] = [:]
        for name in names(after: .ampersand, in: text) { uses[name] = 0 }
        guard !uses.isEmpty else { return 0 }
        for name in names(after: .asterisk, in: text) where uses[name] != nil {
            uses[name, default: 0] += 1
        }
        var product = 1
        for count in uses.values {
            product = product.multipliedReportingOverflow(by: 1 + count).partialValue
            if product > mostCopies || product <= 0 { return mostCopies + 1 }
        }
        return product
    }

    private static func names(after sign: UInt8, in text: UnsafeBytes) -> [[UInt8]] {
        text.places(of: sign).map { Array(text[($0 + 1)...].prefix(while: isOfName)) }
            .filter { !$0.isEmpty }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == .hyphen || byte == UInt8(ascii: "_")
    }
}
