extension DialectText {
    /// An open fence.
    struct Fence {
        var sign: UInt8
        var count: Int
        /// Whether its content is Markdown.
        var isDirective: Bool
    }

    /// The directives of MyST whose content is Markdown, besides those with a colon fence, which
    /// CommonMark reads as text.
    private static let directives: Set<String> = [
        "admonition", "aside", "attention", "card", "caution", "container", "danger", "deprecated",
        "details", "div", "dropdown", "epigraph", "error", "exercise", "figure-md", "grid",
        "grid-item", "grid-item-card", "highlights", "hint", "important", "list-table", "margin",
        "note", "pull-quote", "seealso", "sidebar", "solution", "tab-item", "tab-set", "table",
        "tip", "todo", "toggle", "topic", "versionadded", "versionchanged", "warning",
    ]

    /// Reads a fence; those around Markdown become a heading and whitespace.
    mutating func readFence(_ line: Range<Int>) {
        let start = startOfText(line)
        guard start < line.upperBound,
            bytes[start] == .backtick || bytes[start] == UInt8(ascii: "~")
        else { return }
        let sign = bytes[start]
        let info = bytes[start..<line.upperBound].firstIndex { $0 != sign } ?? line.upperBound
        let count = info - start
        guard count >= 3 else { return }
        let text = bytes.trimmingWhitespace(info..<line.upperBound)
        if let last = fences.last {
            if last.sign == sign, count >= last.count, text.isEmpty {
                fences.removeLast()
                if last.isDirective { hideFence(start..<info, with: .space) }
                return
            }
            guard last.isDirective else { return }
        }
        guard text.isEmpty || !bytes[text].contains(.backtick) else { return }
        let name = directiveName(text)
        let isFigure = name == "figure"
        let isDirective = isFigure || name.map(Self.directives.contains) == true
        fences.append(Fence(sign: sign, count: count, isDirective: isDirective))
        if isFigure {
            // Its argument is a URL, which is read at a colon fence too.
            edits.append((start, Array(repeating: .colon, count: count)))
        } else if isDirective {
            hideFence(start..<text.lowerBound + 1, with: .hash)
        }
    }

    /// The name of the directive with which the text after a fence begins.
    private func directiveName(_ text: Range<Int>) -> String? {
        guard text.count > 2, bytes[text.lowerBound] == .openBrace,
            let close = bytes[text].firstIndex(of: .closeBrace)
        else { return nil }
        return String(decoding: bytes[text.lowerBound + 1..<close], as: UTF8.self)
    }

    private mutating func hideFence(_ range: Range<Int>, with first: UInt8) {
        let rest = Array(repeating: UInt8.space, count: range.count - 1)
        edits.append((range.lowerBound, [first] + rest))
    }
}
