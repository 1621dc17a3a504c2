/// The language in which a document is written.
package enum DocumentKind: String, Sendable, Hashable, CaseIterable, Codable {
    case markdown, html, css

    /// The kind that a file name's extension stands for; nil for a file that is no document.
    ///
    /// - Parameter fileExtension: The extension without its dot, in any case.
    package init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "md", "markdown": self = .markdown
        case "html", "htm": self = .html
        case "css": self = .css
        default: return nil
        }
    }
}
