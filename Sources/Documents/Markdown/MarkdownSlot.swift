/// A value in a Markdown tree that may hold URLs.
struct MarkdownSlot {
    enum Content: Equatable {
        /// The URL of an image.
        case image
        /// An attribute in raw HTML.
        case attribute(element: String, attribute: String, quote: Notation.Quote)
    }

    var content: Content
    /// The URL as cmark reads it, or the attribute's source text.
    var value: [UInt8]
    /// The title of an image.
    var title: [UInt8] = []
    /// The line on which its top-level block begins, counted from 1.
    var line: Int

    var isImage: Bool { content == .image }
}
