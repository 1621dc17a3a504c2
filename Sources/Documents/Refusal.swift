/// A part of a document, or all of it, that is left as it is because it could not be located or
/// read with certainty.
package struct Refusal: Sendable, Hashable {
    /// Why it is left.
    package enum Reason: Sendable, Hashable {
        /// The whole document is in UTF-16 or another encoding that is not a superset of ASCII.
        case encoding(String)
        /// The whole document is too large for its parser.
        case tooLarge
        /// The whole document would take its parser more than linear time or memory.
        case tooComplex(String)
        /// An image is there, but not where its URL is written.
        case placeUncertain
        /// It is Markdown within HTML, which some programs read and CommonMark does not.
        case markdownInHTML
        /// Shortcodes or components name images, and no rule says in which attribute.
        case shortcodes(count: Int, name: String)
        /// It is Markdown in an admonition or a tab of MkDocs, which CommonMark takes for code.
        case markdownInAdmonition
        /// The bytes of a URL are not UTF-8, so which URL they mean depends on the reader.
        case urlNotUTF8
        /// The URL stands in front matter that is not in the language it should be in.
        case metadataUnreadable
    }

    /// Whether images are left that may be those of other hosts, whatever their URLs: all of the
    /// document.
    package var isOfDocument: Bool {
        switch reason {
        case .encoding, .tooLarge, .tooComplex: true
        default: false
        }
    }

    /// The byte at which it stands; 0 if it is the whole document, the beginning of the block that
    /// holds the image if the image's own place is not known.
    package var offset: Int
    /// The URL, if there is one; where its bytes are not UTF-8, with U+FFFD for those.
    package var url: String?
    package var reason: Reason

    package init(offset: Int, url: String? = nil, reason: Reason) {
        self.offset = offset
        self.url = url
        self.reason = reason
    }
}

extension Refusal.Reason: CustomStringConvertible {
    /// The reason as a clause, for messages.
    package var description: String {
        switch self {
        case .encoding(let name): "the document is in \(name); only UTF-8 and its kin are read"
        case .tooLarge: "the document is larger than 256 MiB"
        case .tooComplex(let what): "the document has \(what)"
        case .placeUncertain: "it could not be told where this image's URL is written"
        case .markdownInHTML:
            "this is Markdown within HTML or indented, which CommonMark does not read as an image"
        case .shortcodes(let count, _):
            count == 1
                ? "a shortcode names an image that is not read"
                : "\(count) shortcodes name images that are not read"
        case .markdownInAdmonition:
            "this is code to CommonMark and an image to MkDocs"
        case .urlNotUTF8: "the URL is not valid UTF-8"
        case .metadataUnreadable: "the front matter cannot be parsed"
        }
    }
}
