/// Finds the references of an XML document: of a feed, a sitemap, SVG or XHTML.
func xmlFindings(_ bytes: Bytes, options: ExtractionOptions) -> Findings {
    guard let dialect = XMLDialect.of(bytes) else { return Findings() }
    var walk = XMLWalk(bytes, dialect: dialect, options: options)
    walk.run()
    return walk.findings()
}

/// Whether an XML document may name an image.
func mayNameXMLImages(_ bytes: Bytes, _ options: ExtractionOptions) -> Bool {
    switch XMLDialect.of(bytes) {
    case nil: false
    case .sitemap: bytes.contains("image:loc")
    case .page:
        mayNameHTMLImages(bytes, options)
            // With a prefix before the name.
            || bytes.contains(":image") || bytes.contains(":feimage") || bytes.contains(":img")
    // Nearly every feed does, and the HTML in it can be written in too many ways.
    case .rss, .atom: true
    }
}
