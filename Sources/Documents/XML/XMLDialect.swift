/// The vocabulary of an XML document, recognised by its root element.
enum XMLDialect {
    /// RSS, of any version.
    case rss
    case atom
    case sitemap
    /// SVG or XHTML.
    case page

    /// - Parameter root: The name of the root element as written.
    init?(root: Slice<UnsafeBytes>) {
        let local = root.lastIndex(of: .colon).map { root[($0 + 1)...] } ?? root
        switch String(decoding: local, as: UTF8.self) {
        case "rss", "RDF": self = .rss
        case "feed": self = .atom
        case "urlset", "sitemapindex": self = .sitemap
        case "svg", "html": self = .page
        default: return nil
        }
    }

    /// The dialect of a document; nil for any other XML.
    static func of(_ bytes: UnsafeBytes) -> XMLDialect? {
        var tokenizer = XMLTokenizer(bytes)
        while let token = tokenizer.next() {
            if case .start(let tag) = token { return XMLDialect(root: bytes[tag.name]) }
        }
        return nil
    }
}
