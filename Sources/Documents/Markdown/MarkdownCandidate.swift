/// A range of a Markdown text that may be the URL of an image.
struct MarkdownCandidate {
    enum Kind {
        /// A destination after `](`.
        case inline
        /// A destination after `]:`, with the range of the label.
        case definition(label: Range<Int>)
        /// The value of an attribute in raw HTML.
        case attribute
        /// The text of an element in raw HTML.
        case text

        var isDestination: Bool {
            switch self {
            case .inline, .definition: true
            case .attribute, .text: false
            }
        }
    }

    /// The range of the URL in the document.
    var range: Range<Int>
    var kind: Kind
    /// Whether the URL is in `<…>`.
    var isAngled = false
}
