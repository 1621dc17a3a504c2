import DocumentSyntax

/// The references of a document, and the images that could not be read.
///
/// It also holds the document's outline, so that ``rewrite(_:extraction:replacements:dropping:)``
/// can verify that the rewritten document has the same one.
package struct Extraction: Sendable {
    package let kind: DocumentKind
    /// All references, whatever their URLs, in the order of the document; no two of them overlap.
    package var references: References { References(located) }
    /// The images that were found but cannot be rewritten, in the order of the document.
    package let problems: [DocumentProblem]
    /// URLs that most likely name images but are in places that are not read, in the order of the
    /// document, each once for each kind of place.
    ///
    /// They are neither references nor problems.
    package let unread: [UnreadImage]
    /// The `href` of an HTML document's first `<base>` that has one.
    package let baseHref: String?
    /// The offset of the element with ``baseHref``, if it is known.
    package let baseOffset: Int?
    /// The style sheets of the page, if ``ExtractionOptions/describesImages`` is true.
    package let styles: PageStyles?
    /// The pictures of the author, if ``ExtractionOptions/describesImages`` is true.
    package let pictures: [AuthorPicture]
    /// The end tag of the page's head, if it is written and ``ExtractionOptions/describesImages`` is
    /// true.
    package let headEnd: HeadEnd?

    /// The settings that the document gives for individual images.
    package var controls: [ImageControl] { locatedControls.map(\.control) }

    let options: ExtractionOptions
    /// The size of the document in bytes.
    let byteCount: Int
    let outline: Outline
    /// The references, each with how to edit the document there.
    let located: [LocatedReference]
    let locatedControls: [LocatedControl]

    init(
        _ findings: Findings, kind: DocumentKind, options: ExtractionOptions, byteCount: Int
    ) {
        var problems = findings.problems
        located = LocatedReference.merged(findings.located, problems: &problems)
        self.kind = kind
        self.options = options
        self.byteCount = byteCount
        self.problems = problems.sorted { $0.offset < $1.offset }
        unread = findings.unread.ofEachPlace
        outline = findings.outline
        locatedControls = findings.controls
        baseHref = findings.baseHref
        baseOffset = findings.baseOffset
        styles = findings.styles
        pictures = findings.pictures
        headEnd = findings.headEnd
    }
}

extension Extraction {
    /// The document with further attributes on `<img>` elements.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - attribute: Returns the attribute for an element that ``ImageElement`` describes, such as
    ///     `data-number=1`, without quotation marks; nil for none.
    /// - Returns: The document.
    package func adding(
        to bytes: [UInt8], attribute: (ImageElement) -> String?
    ) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for one in located {
            guard let image = one.reference.image, let offset = one.editPoint.size?.offset,
                offset >= end, offset <= bytes.count, let text = attribute(image)
            else { continue }
            result += bytes[end..<offset]
            // The space after it ends its value.
            result += " \(text) ".utf8
            end = offset
        }
        return result + bytes[end...]
    }
}

/// The references of a document, in its order.
///
/// It shares the memory of the extraction that it belongs to.
package struct References: RandomAccessCollection, Sendable {
    private let located: [LocatedReference]

    init(_ located: [LocatedReference]) { self.located = located }

    package var startIndex: Int { 0 }
    package var endIndex: Int { located.count }
    package subscript(index: Int) -> Reference { located[index].reference }
}

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
