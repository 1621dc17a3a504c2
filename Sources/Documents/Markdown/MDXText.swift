import DocumentSyntax

/// Converts MDX to Markdown with HTML of the same length.
///
/// The text of comments, `{/* … */}`, is masked so that no image is found there. Comments that turn
/// imgbake off and on become HTML comments. Expressions in attributes become strings, without which
/// cmark would not recognise the tag.
struct MDXText {
    private let bytes: UnsafeBytes
    private(set) var result: [UInt8]
    /// The image URLs in expressions and exports, whose use is not known.
    private var scripts: [UnreadImage] = []

    init(_ bytes: UnsafeBytes) {
        self.bytes = bytes
        result = Array(bytes)
        run()
    }

    /// The image URLs in scripts that are not at `known` places.
    func unread(besides known: [Range<Int>]) -> [UnreadImage] {
        let known = Set(known.map(\.lowerBound))
        return scripts.filter { !known.contains($0.offset) }
    }

    private mutating func run() {
        var index = 0
        var endOfExports = 0
        var hasComments = true
        while index < bytes.count {
            switch bytes[index] {
            case .backtick: index = endOfCode(from: index)
            case .openBrace where hasComments && bytes.matches("/*", at: index + 1):
                guard let close = bytes.firstIndex(of: "*/}", from: index + 3) else {
                    hasComments = false
                    continue
                }
                replaceComment(index..<close + 3)
                index = close + 3
            case .openBrace where followsAttributeName(index):
                let end = endOfExpression(from: index)
                if let end { replaceExpression(index..<end) }
                index = end ?? index + 1
            case UInt8(ascii: "e") where index >= endOfExports && isExport(index):
                endOfExports = endOfBlock(from: index)
                addScript(index..<endOfExports)
                index += 1
            default: index += 1
            }
        }
    }

    private mutating func addScript(_ range: Range<Int>) {
        scripts += UnreadImage.all(in: bytes, .script, in: range)
    }

    private func isExport(_ start: Int) -> Bool {
        bytes.matches("export ", at: start) && (start == 0 || bytes[start - 1].isLineEnd)
    }

    /// The end of the block that begins at `start`: a blank line.
    private func endOfBlock(from start: Int) -> Int {
        let end = bytes.places(of: .lineFeed, from: start).first {
            $0 + 1 == bytes.count || bytes[$0 + 1].isLineEnd
        }
        return end ?? bytes.count
    }

    /// The length of the longest inline code that is read, in bytes.
    private static let longestCode = 2000

    /// The end of the code that begins with the backticks at `start`, or of the backticks if the
    /// code has no end.
    ///
    /// Fenced code ends with at least as many backticks, inline code with the same number.
    private func endOfCode(from start: Int) -> Int {
        let count = backticks(at: start)
        let after = start + count
        var line = start
        while line > 0, bytes[line - 1] == .space || bytes[line - 1] == .greater { line -= 1 }
        let isFence = count >= 3 && (line == 0 || bytes[line - 1].isLineEnd)
        let end = isFence ? bytes.count : min(after + Self.longestCode, bytes.count)
        var next = bytes.firstIndex(of: .backtick, from: after)
        while let found = next, found < end {
            let length = backticks(at: found)
            if length == count || isFence && length > count { return found + length }
            next = bytes.firstIndex(of: .backtick, from: found + length)
        }
        return isFence ? bytes.count : after
    }

    private func backticks(at start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] == .backtick { end += 1 }
        return end - start
    }

    /// Whether whitespace, an attribute name and `=` precede the brace.
    private func followsAttributeName(_ brace: Int) -> Bool {
        guard brace > 1, bytes[brace - 1] == .equals else { return false }
        var start = brace - 1
        while start > 0,
            bytes[start - 1].isASCIIAlphanumeric || bytes[start - 1] == .hyphen
                || bytes[start - 1] == .colon
        { start -= 1 }
        return start < brace - 1 && start > 0 && bytes[start - 1].isHTMLSpace
    }

    private mutating func replaceComment(_ range: Range<Int>) {
        let content = range.lowerBound + 3..<range.upperBound - 3
        let isOff = ToggleComments.isOff(UnsafeBytes(rebasing: bytes[content]))
        let word = isOff.map { $0 ? "imgbake-off" : "imgbake-on" }
        if let word, let comment = Self.htmlComment(word, range.count) {
            result.replaceSubrange(range, with: comment)
        } else {
            mask(content)
        }
    }

    /// An HTML comment of this length in bytes; nil if the length is too small.
    private static func htmlComment(_ word: String, _ count: Int) -> [UInt8]? {
        let padding = count - word.utf8.count - 7
        guard padding >= 0 else { return nil }
        return Array("<!--\(word)\(String(repeating: " ", count: padding))-->".utf8)
    }

    /// The length of the longest expression that is converted, in bytes.
    ///
    /// The two limits bound how often a byte is read.
    private static let longestExpression = 2000
    private static let deepestExpression = 16

    /// The end of the expression whose brace is at `start`; nil if it contains markup.
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
            case .less where index + 1 < bytes.count && bytes[index + 1].isASCIILetter: return nil
            default: break
            }
        }
        return nil
    }

    /// Replaces an expression by a string: its own, or one that is not a URL: `"{xxx"`.
    private mutating func replaceExpression(_ range: Range<Int>) {
        let inner = bytes.trimmingWhitespace(range.lowerBound + 1..<range.upperBound - 1)
        if isString(inner) {
            for index in range where !bytes[index].isLineEnd && !inner.contains(index) {
                result[index] = .space
            }
            result[inner.lowerBound] = .doubleQuote
            result[inner.upperBound - 1] = .doubleQuote
            return
        }
        addScript(range)
        mask(range)
        if range.count > 2 { result[range.lowerBound + 1] = .openBrace }
        result[range.lowerBound] = .doubleQuote
        result[range.upperBound - 1] = .doubleQuote
    }

    /// Whether an expression is a string without escapes, expressions and character references.
    private func isString(_ range: Range<Int>) -> Bool {
        guard range.count > 2, Self.isQuote(bytes[range.lowerBound]) else { return false }
        let content = bytes[range.lowerBound + 1..<range.upperBound - 1]
        return bytes[range.upperBound - 1] == bytes[range.lowerBound]
            && !(content.contains(.ampersand) && content.contains(.semicolon))
            && !UnsafeBytes(rebasing: content).containsExactly("${")
            && !content.contains { byte in
                byte == bytes[range.lowerBound] || byte == .doubleQuote || byte == .backslash
                    || byte.isLineEnd
            }
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == .doubleQuote || byte == .singleQuote || byte == .backtick
    }

    private mutating func mask(_ range: Range<Int>) {
        for index in range where !bytes[index].isLineEnd { result[index] = UInt8(ascii: "x") }
    }
}
