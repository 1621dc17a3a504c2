/// One place in a document that names an image.
package struct Reference: Sendable, Hashable {
    /// What sort of place it is.
    package enum Kind: Sendable, Hashable {
        /// The destination of an inline image, `![alt](URL)`.
        case markdownImage
        /// The destination of a link reference definition, `[label]: URL`, that images use.
        case markdownDefinition
        /// An attribute that holds one URL, in an HTML document or in raw HTML within Markdown.
        case htmlAttribute(element: String, attribute: String)
        /// One candidate of a `srcset` attribute.
        case srcset(element: String)
        /// A `url()` in a style sheet, a `<style>` element or a `style` attribute.
        case cssURL
        /// A string in an `image-set()`.
        case cssImageSet
    }

    /// Where the URL stands in the document, in bytes: as it is written, without quotes.
    package var range: Range<Int>
    package var kind: Kind
    /// The URL as the language reads it, its entities and escapes decoded; it may be relative.
    package var url: String

    package init(range: Range<Int>, kind: Kind, url: String) {
        self.range = range
        self.kind = kind
        self.url = url
    }
}

extension Reference.Kind: CustomStringConvertible {
    /// The kind in a few words, for messages.
    package var description: String {
        switch self {
        case .markdownImage: "Markdown image"
        case .markdownDefinition: "Markdown link definition"
        case .htmlAttribute(let element, let attribute): "<\(element) \(attribute)>"
        case .srcset(let element): "<\(element) srcset>"
        case .cssURL: "CSS url()"
        case .cssImageSet: "CSS image-set()"
        }
    }
}
