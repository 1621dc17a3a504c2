/// A value in a Markdown tree that may hold URLs.
struct MarkdownSlot {
    enum Content: Equatable {
        /// The URL of an image.
        case image
        /// The URL of a link to an image.
        case link
        /// A value in raw HTML.
        case html(HTMLValue, quote: Notation.Quote)
    }

    var content: Content
    /// The URL as cmark reads it, or the source text of the value.
    var value: [UInt8]
    /// The title of an image.
    var title: [UInt8] = []
    /// The line on which its top-level block begins, counted from 1.
    var line: Int
    /// Whether a comment before it switches imgbake off.
    var isOff = false
    /// What its element asks of imgbake, as an index of the walk's.
    var control: Int?
    /// What its element says of the image and is not rewritten.
    var fixed: Reference.FixedProperties = []

    /// Whether it is the destination of an image or a link, and not a value in raw HTML.
    var isDestination: Bool { content == .image || content == .link }

    /// Whether it is the text of an element, and not the value of an attribute.
    var isText: Bool {
        switch content {
        case .html(.styleText, _), .html(.jsonLD, _): true
        default: false
        }
    }

    var isControl: Bool { if case .html(.control, _) = content { true } else { false } }
}
