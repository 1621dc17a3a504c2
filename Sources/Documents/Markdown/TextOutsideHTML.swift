/// The text of HTML blocks that is in no block element, such as the lines after `</p>` without a
/// blank line between them.
///
/// CommonMark reads it as HTML; kramdown and Python-Markdown read it as Markdown.
struct TextOutsideHTML {
    /// The text, with a letter in place of each tag and of the text in elements.
    private(set) var text: [UInt8] = []
    /// The lines of the document from which the lines of the text are.
    private var lines: [Int] = []
    private var depth = 0

    var isEmpty: Bool { text.isEmpty }

    /// Begins an HTML block on a line of the document.
    mutating func begin(_ html: UnsafeBytes, line: Int) {
        depth = 0
        text += [.lineFeed, .lineFeed]
        lines += [line, line] + (line...).prefix(html.count { $0 == .lineFeed })
    }

    /// Adds a token of the block.
    ///
    /// - Returns: Whether it is text in no element.
    mutating func add(_ token: HTMLToken, _ range: Range<Int>, of html: UnsafeBytes) -> Bool {
        if case .text = token, depth == 0 {
            text += html[range]
            return true
        }
        if case .tag(let tag) = token {
            let name = UnsafeBytes(rebasing: html[tag.name]).lowercasedText
            let isBlock =
                HTMLBlockStart.names.contains(name) && !HTMLBlockStart.empty.contains(name)
            if isBlock { depth = max(0, depth + (tag.isEnd ? -1 : 1)) }
        }
        text += [UInt8(ascii: "x")] + html[range].filter(\.isLineEnd)
        return false
    }

    /// The line of the document for a line of the text.
    func line(_ line: Int) -> Int { lines.indices.contains(line - 1) ? lines[line - 1] : 1 }

    /// The text, followed by the definitions of the document.
    func markdown(of document: UnsafeBytes) -> [UInt8] {
        let candidates = DestinationScanner(bytes: document, body: 0).candidates { _ in true }
        return candidates.reduce(into: text + [.lineFeed, .lineFeed]) { result, candidate in
            guard case .definition(let label) = candidate.kind else { return }
            let url = document[candidate.range]
            result += [.openBracket] + document[label] + [.closeBracket, .colon, .space]
            result += candidate.isAngled ? [.less] + url + [.greater] : Array(url)
            result.append(.lineFeed)
        }
    }
}
