import DocumentSyntax

/// The URLs that can be changed in a Markdown text without another effect on its tree: destinations
/// directly after `](`, and values in quotation marks.
///
/// Such a URL is read as one token. It can only matter to the text before it if a parser searches
/// ahead for the end of a code span, a tag, a comment or the cell of a table, and fails. So a value is
/// plain if it has no bytes that can end, continue or forbid such a thing, and no escapes. Another
/// plain value in its place is then read in the same way, and so is the rest of the text.
struct PlainValue: Sendable, Equatable {
    /// Whether the text has `<!--`, and so perhaps comments.
    private let hasComments: Bool
    private let body: Int

    /// Fails if the length of a URL can matter, or a URL in the text can have been taken for another.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - body: The offset at which the Markdown begins.
    init?(in bytes: UnsafeBytes, body: Int) {
        let text = UnsafeBytes(rebasing: bytes[body...])
        // Labels have a greatest length, and cmark cuts that of a footnote by columns. A URL in the
        // first lines can also decide whether they are front matter.
        if text.containsExactly("[^") || text.containsExactly("]:")
            || body == 0 && FrontMatter.mayBegin(text) || Self.hasUnreadPlaces(text)
        {
            return nil
        }
        hasComments = text.containsExactly("<!--")
        self.body = body
    }

    /// Whether there may be URLs in places that the scanners leave out: after a line end, and after
    /// many `=` without whitespace.
    private static func hasUnreadPlaces(_ text: UnsafeBytes) -> Bool {
        for close in text.places(of: .closeBracket) {
            guard close + 1 < text.count, text[close + 1] == .openParenthesis else { continue }
            let next = text[(close + 2)...].first { $0 != .space && $0 != .tab }
            if next == nil || next?.isHTMLSpace == true || next == .verticalTab { return true }
        }
        var count = 0
        var last = 0
        for place in text.places(of: .equals) {
            let ends = text[last..<place].contains { $0.isHTMLSpace || $0 == .greater }
            count = ends ? 1 : count + 1
            if count > ValueScanner.mostValuesInRun { return true }
            last = place
        }
        return false
    }

    /// Whether a value is plain and in a place where it can be changed.
    func contains(_ candidate: MarkdownCandidate, in bytes: UnsafeBytes) -> Bool {
        let range = candidate.range
        guard range.lowerBound > body, range.upperBound < bytes.count else { return false }
        let (before, after) = (bytes[range.lowerBound - 1], bytes[range.upperBound])
        switch candidate.kind {
        case .inline:
            guard before == .openParenthesis else { return false }
        case .attribute:
            guard before == after, before == .doubleQuote || before == .singleQuote else {
                return false
            }
        case .definition, .text: return false
        }
        return end(from: range.lowerBound, in: bytes) == range.upperBound
    }

    /// The end of the plain value that begins at `start`; nil if there is none.
    func end(from start: Int, in bytes: UnsafeBytes) -> Int? {
        var index = start
        var hasEquals = false
        while index < bytes.count, Self.isPlain(bytes[index]) {
            // A comment cannot contain two hyphens.
            if hasComments, bytes[index] == .hyphen, bytes[index - 1] == .hyphen { return nil }
            hasEquals = hasEquals || bytes[index] == .equals
            index += 1
        }
        if hasEquals, isInUnquotedValue(start, in: bytes) { return nil }
        return index > start ? index : nil
    }

    /// Whether an attribute's value without quotation marks, which cannot contain `=`, may continue
    /// at `start`.
    private func isInUnquotedValue(_ start: Int, in bytes: UnsafeBytes) -> Bool {
        if bytes[start - 1] == .doubleQuote || bytes[start - 1] == .singleQuote { return false }
        let text = bytes[body..<start]
        let run = text.lastIndex(where: Self.isSpace) ?? body
        // Lines of a block quote begin with `>`.
        let before = text[..<run].last { !Self.isSpace($0) && $0 != .greater }
        return before == .equals || text[run...].contains(.equals)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte.isHTMLSpace || byte == .verticalTab }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case _ where byte.isASCIIAlphanumeric: true
        case .slash, .hyphen, .colon, .question, .hash, .ampersand, .equals, UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: ","),
            UInt8(ascii: "@"):
            true
        default: false
        }
    }
}
