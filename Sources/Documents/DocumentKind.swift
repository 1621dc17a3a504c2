/// The language in which a document is written.
package enum DocumentKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Markdown, R Markdown and Quarto, with or without front matter.
    case markdown
    /// Markdown with JSX.
    case mdx
    case html, css
    /// XHTML, SVG, an RSS or Atom feed, or a sitemap; any other XML names no image.
    case xml
    /// A JSON Feed or a web app manifest; any other JSON names no image.
    case json

    /// The document kind for a file name extension; nil if such files are not documents.
    ///
    /// - Parameter fileExtension: The extension without its dot, in upper or lower case.
    package init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "md", "markdown", "mdown", "qmd", "rmd": self = .markdown
        case "mdx": self = .mdx
        case "html", "htm": self = .html
        case "css": self = .css
        case "xml", "rss", "atom", "xhtml", "svg": self = .xml
        case "json", "webmanifest": self = .json
        default: return nil
        }
    }

    /// Whether visitors of a built site load such documents, and not what a generator makes of them.
    package var isPublished: Bool { self != .markdown && self != .mdx }
}
