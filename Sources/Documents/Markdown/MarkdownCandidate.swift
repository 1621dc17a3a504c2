/// A place in a Markdown text that may be where an image's URL stands.
struct MarkdownCandidate {
    enum Kind {
        /// After `](`.
        case inline
        /// After `]:`, with the place of the label.
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

    /// The URL, in bytes of the document.
    var range: Range<Int>
    var kind: Kind
    /// Whether it stands in `<…>`.
    var isAngled = false
}
