/// The destinations that can be changed in a Markdown text without another effect on its tree.
///
/// A destination directly after `](` is read as one token. What comes before it was read without it,
/// unless a parser looked ahead for the end of something that it then did not find: of a code span,
/// of a tag, of a comment, of a table's cell. So a destination is plain if it has none of the bytes
/// that can end, forbid or continue such a thing, and no bytes that are escapes. Another plain
/// destination in its place is then read in the same way, and so is the rest of the text.
struct PlainDestination: Sendable, Equatable {
    /// Whether the text has `<`, and so perhaps something that looks like a tag or a comment.
    private let hasMarkup: Bool
    /// Whether the text has `]:`, and so perhaps definitions.
    private let hasDefinitions: Bool
    private let body: Int

    /// - Parameters:
    ///   - bytes: The document.
    ///   - body: The offset at which the Markdown begins.
    init(in bytes: UnsafeBytes, body: Int) {
        let text = UnsafeBytes(rebasing: bytes[body...])
        hasMarkup = text.contains(.less)
        hasDefinitions = text.containsExactly("]:")
        self.body = body
    }

    /// The size of the longest text with definitions, in bytes.
    ///
    /// How much the definitions of a longer one may add to it, cmark limits by its length.
    private static let longestWithDefinitions = 100_000

    /// Whether a destination is plain.
    func contains(_ range: Range<Int>, in bytes: UnsafeBytes) -> Bool {
        range.lowerBound > body && bytes[range.lowerBound - 1] == .openParenthesis
            && end(from: range.lowerBound, in: bytes) == range.upperBound
    }

    /// The end of the plain destination that begins at `start`; nil if there is none.
    func end(from start: Int, in bytes: UnsafeBytes) -> Int? {
        if hasDefinitions, bytes.count > Self.longestWithDefinitions { return nil }
        var index = start
        while index < bytes.count, isPlain(bytes[index]) {
            // A comment cannot contain two hyphens.
            if hasMarkup, bytes[index] == .hyphen, bytes[index - 1] == .hyphen { return nil }
            index += 1
        }
        return index > start ? index : nil
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case _ where byte.isASCIIAlphanumeric: true
        case .slash, .hyphen, .colon, .question, .hash, .ampersand: true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: "@"):
            true
        // It cannot be in an attribute's value without quotation marks.
        case .equals: !hasMarkup
        default: false
        }
    }
}
