import DocumentSyntax

extension DialectText {
    /// An open fence.
    struct Fence {
        var sign: UInt8
        var count: Int
        /// Whether its content is Markdown.
        var isDirective: Bool
    }

    /// The directives of MyST whose content is another language.
    ///
    /// All others, also those of extensions, have Markdown or nothing in which an image can be.
    private static let code: Set<String> = [
        "code", "code-block", "code-cell", "command-output", "console", "digraph", "doctest",
        "eval-rst", "exec-code", "graph", "graphviz", "ipython", "jupyter-execute",
        "literalinclude", "math", "mermaid", "plantuml", "prompt", "raw", "sourcecode", "testcode",
        "testoutput", "testsetup", "tikz", "uml",
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
        let directive = directive(text)
        let isDirective = directive.map { Self.code.contains($0.name) } == false
        let hasImage =
            directive.map { mayBeURL($0.argument) } == true
            || directive != nil
                && !ShortcodeScanner.imageOptions(in: bytes, from: line.upperBound + 1).isEmpty
        fences.append(Fence(sign: sign, count: count, isDirective: isDirective))
        if isDirective, hasImage {
            // Its argument or an option is a URL, which is read at a colon fence too.
            edits.append((start, Array(repeating: .colon, count: count)))
        } else if isDirective {
            hideFence(start..<text.lowerBound + 1, with: .hash)
        }
    }

    /// The directive with which the text after a fence begins.
    private func directive(_ text: Range<Int>) -> (name: String, argument: Range<Int>)? {
        guard text.count > 2, bytes[text.lowerBound] == .openBrace,
            bytes[text.lowerBound + 1].isASCIILetter,
            let close = bytes[text].firstIndex(of: .closeBrace)
        else { return nil }
        let name = String(decoding: bytes[text.lowerBound + 1..<close], as: UTF8.self)
        return (name, bytes.trimmingWhitespace(close + 1..<text.upperBound))
    }

    private func mayBeURL(_ argument: Range<Int>) -> Bool {
        let text = bytes[argument]
        return !text.contains(.space) && text.contains { $0 == .slash || $0 == UInt8(ascii: ".") }
    }

    private mutating func hideFence(_ range: Range<Int>, with first: UInt8) {
        let rest = Array(repeating: UInt8.space, count: range.count - 1)
        edits.append((range.lowerBound, [first] + rest))
    }
}
