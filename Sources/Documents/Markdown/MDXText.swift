/// MDX as Markdown with HTML, of the same length: what cmark would misread is put in other words.
///
/// Comments, `{/* … */}`, lose what they say, so that no image is found there; those that switch
/// imgbake off and on become the comments of HTML that do. Expressions as the values of attributes
/// become strings, without which a tag would be none to cmark.
struct MDXText {
    private let bytes: Bytes
    private var result: [UInt8]

    static func asMarkdown(_ bytes: Bytes) -> [UInt8] {
        var text = MDXText(bytes: bytes, result: Array(bytes))
        text.run()
        return text.result
    }

    private mutating func run() {
        var brace = bytes.firstIndex(of: .openBrace, from: 0)
        var lastComment = true
        while let start = brace {
            var end = start + 1
            if bytes.matches("/*", at: start + 1) {
                if lastComment, let found = endOfComment(from: start + 3) {
                    end = found
                    replaceComment(start..<end)
                } else {
                    lastComment = false
                }
            } else if start > 0, bytes[start - 1] == .equals,
                let found = endOfExpression(from: start)
            {
                end = found
                replaceExpression(start..<end)
            }
            brace = bytes.firstIndex(of: .openBrace, from: end)
        }
    }

    private func endOfComment(from start: Int) -> Int? {
        var star = bytes.firstIndex(of: .asterisk, from: start)
        while let found = star {
            if bytes.matches("/}", at: found + 1) { return found + 3 }
            star = bytes.firstIndex(of: .asterisk, from: found + 1)
        }
        return nil
    }

    private mutating func replaceComment(_ range: Range<Int>) {
        let content = range.lowerBound + 3..<range.upperBound - 3
        let isOff = Switches.isOff(Bytes(rebasing: bytes[content]))
        let word = isOff.map { $0 ? "imgbake-off" : "imgbake-on" }
        if let word, let comment = Self.htmlComment(word, range.count) {
            result.replaceSubrange(range, with: comment)
        } else {
            blank(content)
        }
    }

    /// A comment of HTML with this many bytes; nil if they are too few.
    private static func htmlComment(_ word: String, _ count: Int) -> [UInt8]? {
        let blanks = count - word.utf8.count - 7
        guard blanks >= 0 else { return nil }
        return Array("<!--\(word)\(String(repeating: " ", count: blanks))-->".utf8)
    }

    /// Longer and deeper ones are left, so that no byte is looked at more often than that.
    private static let longestExpression = 2000
    private static let deepestExpression = 16

    /// The end of the expression whose brace is at `start`; nil if it has markup in it.
    private func endOfExpression(from start: Int) -> Int? {
        var depth = 0
        for index in start..<min(start + Self.longestExpression, bytes.count) {
            switch bytes[index] {
            case .openBrace:
                depth += 1
                if depth > Self.deepestExpression { return nil }
            case .closeBrace:
                depth -= 1
                if depth == 0 { return index + 1 }
            case .less, .greater: return nil
            default: break
            }
        }
        return nil
    }

    /// Makes a string of an expression that still shows that it is no URL: `"{xxx"`.
    private mutating func replaceExpression(_ range: Range<Int>) {
        blank(range)
        if range.count > 2 { result[range.lowerBound + 1] = .openBrace }
        result[range.lowerBound] = .doubleQuote
        result[range.upperBound - 1] = .doubleQuote
    }

    private mutating func blank(_ range: Range<Int>) {
        for index in range where !bytes[index].isLineEnd { result[index] = UInt8(ascii: "x") }
    }
}
