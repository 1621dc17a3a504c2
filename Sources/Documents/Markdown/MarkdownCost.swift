/// Tells, before cmark parses a text, whether that would take it far more than linear memory.
///
/// cmark copies a definition's URL and title for each link or image that uses it, without a limit.
enum MarkdownCost {
    /// What is wrong with the text, to stand after "the document has".
    static func excess(in bytes: Bytes, body: Int) -> String? {
        var brackets = 0
        var longest = 0
        var bracket = bytes.firstIndex(of: .closeBracket, from: body)
        // The texts looked through here are laid end to end in any but a hostile document.
        var budget = 8 * bytes.count + 65_536
        var runEnd = body
        var definitionsInRun = 0
        while let close = bracket {
            bracket = bytes.firstIndex(of: .closeBracket, from: close + 1)
            let next = close + 1 < bytes.count ? bytes[close + 1] : .space
            // What has a destination of its own uses no definition.
            if next != .openParenthesis { brackets += 1 }
            guard next == .colon else { continue }
            definitionsInRun = close < runEnd ? definitionsInRun + 1 : 0
            if definitionsInRun >= DestinationScanner.mostDefinitionsInRun { continue }
            runEnd = endOfRun(bytes, from: skipBlanks(bytes, from: close + 2))
            let length = definitionLength(bytes, from: close + 2)
            budget -= length
            longest = max(longest, length)
            if budget < 0 { return "too many definitions within one another" }
        }
        // The uses of a long definition are as many as the brackets at most.
        return brackets * longest > mostCopied + 64 * bytes.count
            ? "a very long definition and too many uses" : nil
    }

    private static let mostCopied = 512 << 20

    /// How long the URL and the title that begin at `start` can be.
    private static func definitionLength(_ bytes: Bytes, from start: Int) -> Int {
        var index = endOfRun(bytes, from: skipBlanks(bytes, from: start))
        let title = skipBlanks(bytes, from: index)
        guard title > index, title < bytes.count else { return index - start }
        let close: UInt8
        switch bytes[title] {
        case .doubleQuote, .singleQuote: close = bytes[title]
        case .openParenthesis: close = .closeParenthesis
        default: return index - start
        }
        index = title + 1
        while index < bytes.count, bytes[index] != close {
            index += bytes[index] == .backslash ? 2 : 1
        }
        return min(index, bytes.count) - start
    }

    private static func endOfRun(_ bytes: Bytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index].isMarkdownSpace { index += 1 }
        return index
    }

    /// A definition does not go on beyond a blank line, but to look over one does no harm.
    private static func skipBlanks(_ bytes: Bytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isMarkdownSpace || bytes[index] == .greater {
            index += 1
        }
        return index
    }
}
