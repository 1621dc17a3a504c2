import DocumentSyntax

/// Finds the references of a feed, a sitemap, an SVG image or an XHTML page.
func xmlFindings(_ bytes: UnsafeBytes, options: ExtractionOptions) -> Findings {
    guard let dialect = XMLDialect.of(bytes) else { return Findings(ofData: bytes) }
    if let encoding = declaredEncoding(of: bytes), HTMLWalk.unsupportedEncodings.contains(encoding)
    {
        return Findings(refusing: .encoding(encoding))
    }
    var walk = XMLWalk(bytes, dialect: dialect, options: options)
    walk.run()
    return walk.findings()
}

/// Whether an XML document may name an image.
func mayNameXMLImages(_ bytes: UnsafeBytes, _ options: ExtractionOptions) -> Bool {
    switch XMLDialect.of(bytes) {
    case nil: bytes.namesImageURL
    case .sitemap: bytes.namesImageURL || bytes.contains("image:loc")
    case .page:
        mayNameHTMLImages(bytes, options) || bytes.namesImageURL
            || UnsafeBytes.pagePrefixes.contains { bytes.contains("<\($0)") }
    // Nearly every feed has images, and the HTML in it can be escaped in too many ways to search
    // for.
    case .rss, .atom: true
    }
}

/// The encoding in the XML declaration, in lower case.
private func declaredEncoding(of bytes: UnsafeBytes) -> String? {
    let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
    guard bytes.matches("<?xml", at: start),
        let end = bytes.firstIndex(of: .greater, from: start)
    else { return nil }
    let words = bytes[start..<end].split { $0.isHTMLSpace || $0 == .equals || $0 == .question }
    guard let name = words.firstIndex(where: { $0.elementsEqual("encoding".utf8) }),
        name + 1 < words.count
    else { return nil }
    let value = words[name + 1].filter { $0 != .singleQuote && $0 != .doubleQuote }
    return String(decoding: value.lazy.map(\.lowercased), as: UTF8.self)
}

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
