import DocumentSyntax

/// An image, or a whole document, that is left unchanged because it could not be located or read
/// with certainty.
package struct DocumentProblem: Sendable, Hashable {
    /// The reason for a problem.
    package enum Reason: Sendable, Hashable {
        /// The whole document is in UTF-16 or another encoding that is not a superset of ASCII.
        case encoding(String)
        /// The whole document is too large for its parser.
        case tooLarge
        /// Parsing the document would exceed a limit of time or memory.
        case tooComplex(String)
        /// The range of the image's URL could not be determined.
        case placeUncertain
        /// The image is written in a way that CommonMark reads as text.
        case notCommonMark
        /// The image is Markdown inside an HTML block, which CommonMark does not parse but other
        /// processors do.
        case markdownInHTML
        /// Shortcodes or components name images, but no rule says which attribute holds the URL.
        case shortcodes(count: Int, name: String)
        /// The image is in an admonition or a tab of MkDocs, which CommonMark parses as code.
        case markdownInAdmonition
        /// The URL is not valid UTF-8, so its meaning depends on the reader.
        case urlNotUTF8
        /// The URL is in front matter that cannot be parsed.
        case metadataUnreadable
    }

    /// Whether the whole document is refused, and with it any images of other hosts.
    package var coversDocument: Bool {
        switch reason {
        case .encoding, .tooLarge, .tooComplex: true
        default: false
        }
    }

    /// The offset of the image in bytes.
    ///
    /// It is 0 for a whole document, and the beginning of the enclosing block if the image's own
    /// place is not known.
    package var offset: Int
    /// The URL, if there is one; bytes that are not UTF-8 are replaced by U+FFFD.
    package var url: String?
    package var reason: Reason

    package init(offset: Int, url: String? = nil, reason: Reason) {
        self.offset = offset
        self.url = url
        self.reason = reason
    }
}

extension DocumentProblem.Reason: CustomStringConvertible {
    /// The reason as one clause, for messages.
    package var description: String {
        switch self {
        case .encoding(let name):
            "the document is encoded in \(name), which is not a superset of ASCII"
        case .tooLarge: "the document is larger than \(largestDocument >> 20) MiB"
        case .tooComplex(let what): "the document has \(what)"
        case .placeUncertain: "the position of this image's URL could not be determined"
        case .notCommonMark:
            "CommonMark reads this image as text, but other renderers may show it"
        case .markdownInHTML:
            "the image is inside HTML or an indented block, where CommonMark does not parse Markdown"
        case .shortcodes(let count, _):
            count == 1
                ? "a shortcode names an image in an unknown attribute"
                : "\(count) shortcodes name images in unknown attributes"
        case .markdownInAdmonition:
            "the image is in an admonition or a tab of MkDocs, which CommonMark parses as code"
        case .urlNotUTF8: "the URL is not valid UTF-8"
        case .metadataUnreadable: "the front matter cannot be parsed"
        }
    }
}
