/// A value in a Markdown tree that may contain URLs.
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
    /// The URL as cmark decodes it, or the source text of an HTML value.
    var value: [UInt8]
    /// The title of an image.
    var title: [UInt8] = []
    /// The text of an image; nil for anything else.
    var alt: String?
    /// The line on which the top-level block begins, counted from 1.
    var line: Int
    /// Whether a comment has turned imgbake off for the slot.
    var isOff = false
    /// The index of the control that applies to the slot.
    var control: Int?
    /// The image properties that the element states and that are not rewritten.
    var fixed: Reference.FixedProperties = []

    /// Whether this is the destination of an image or a link, and not a value in raw HTML.
    var isDestination: Bool { content == .image || content == .link }

    /// Whether this is the text of an element, and not the value of an attribute.
    var isText: Bool {
        if case .html(let content, _) = content { content.isText } else { false }
    }

    /// Whether this is an attribute with the URL of another host that a template computes.
    var isRemoteTemplate: Bool {
        guard case .html(let content, _) = content, content != .control, !content.isText,
            !isOff
        else { return false }
        return PageTemplates.occur(inRemote: value)
    }

    var isControl: Bool { if case .html(.control, _) = content { true } else { false } }
}
