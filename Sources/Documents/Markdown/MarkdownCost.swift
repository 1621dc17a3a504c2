/// A check, before cmark parses a text, that parsing takes about linear memory.
///
/// cmark copies a definition's URL and title for each link or image that uses it, without a limit.
enum MarkdownCost {
    /// The limit that the text exceeds, as text that follows "the document has"; nil if it exceeds
    /// none.
    static func excess(in bytes: UnsafeBytes, body: Int) -> String? {
        var brackets = 0
        var longest = 0
        // In any document that is not hostile, the texts that are read here do not overlap.
        var budget = 8 * bytes.count + 65_536
        var runEnd = body
        var definitionsInRun = 0
        for close in bytes.places(of: .closeBracket, from: body) {
            let next = close + 1 < bytes.count ? bytes[close + 1] : .space
            // A link with its own destination uses no definition.
            if next != .openParenthesis { brackets += 1 }
            guard next == .colon else { continue }
            definitionsInRun = close < runEnd ? definitionsInRun + 1 : 0
            if definitionsInRun >= DestinationScanner.mostDefinitionsInRun { continue }
            runEnd = endOfRun(bytes, from: skipWhitespace(bytes, from: close + 2))
            let length = definitionLength(bytes, from: close + 2)
            budget -= length
            longest = max(longest, length)
            if budget < 0 { return "too many nested definitions" }
        }
        // A definition is used at most as often as there are brackets.
        return brackets * longest > mostCopied + 64 * bytes.count
            ? "a very long definition and too many uses" : nil
    }

    private static let mostCopied = 512 << 20

    /// An upper bound of the length of the URL and the title that begin at `start`.
    private static func definitionLength(_ bytes: UnsafeBytes, from start: Int) -> Int {
        var index = endOfRun(bytes, from: skipWhitespace(bytes, from: start))
        let title = skipWhitespace(bytes, from: index)
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

    private static func endOfRun(_ bytes: UnsafeBytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index].isMarkdownSpace { index += 1 }
        return index
    }

    /// The offset of the next character that is neither whitespace nor `>`.
    ///
    /// A definition ends at a blank line, but skipping one does no harm.
    private static func skipWhitespace(_ bytes: UnsafeBytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isMarkdownSpace || bytes[index] == .greater {
            index += 1
        }
        return index
    }
}
