/// The URLs that can be changed in a Markdown text without another effect on its tree: destinations
/// directly after `](`, and values in quotation marks.
///
/// Such a URL is read as one token. What comes before it was read without it, unless a parser looked
/// ahead for the end of something that it then did not find: of a code span, a tag, a comment or the
/// cell of a table. So a value is plain if it has no bytes that can end, continue or forbid such a
/// thing, and no escapes. Another plain value in its place is then read in the same way, and so is
/// the rest of the text.
struct PlainValue: Sendable, Equatable {
    /// Whether the text has `<!--`, and so perhaps comments.
    private let hasComments: Bool
    /// Whether the text has `]:`, and so perhaps definitions.
    private let hasDefinitions: Bool
    private let body: Int

    /// - Parameters:
    ///   - bytes: The document.
    ///   - body: The offset at which the Markdown begins.
    init(in bytes: UnsafeBytes, body: Int) {
        let text = UnsafeBytes(rebasing: bytes[body...])
        hasComments = text.containsExactly("<!--")
        hasDefinitions = text.containsExactly("]:")
        self.body = body
    }

    /// The size of the longest text with definitions, in bytes.
    ///
    /// How much the definitions of a longer one may add to it, cmark limits by its length.
    private static let longestWithDefinitions = 100_000

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
        if hasDefinitions, bytes.count > Self.longestWithDefinitions { return nil }
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
        let run = text.lastIndex { $0.isHTMLSpace } ?? body
        let before = text[..<run].last { !$0.isHTMLSpace }
        return before == .equals || text[run...].contains(.equals)
    }

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
