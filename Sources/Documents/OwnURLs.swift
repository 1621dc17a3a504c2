import DocumentSyntax

/// The URLs by which a page, a feed or a sitemap says where it is published.
package struct OwnURLs: Equatable, Sendable {
    /// The target of `<link rel="canonical">`.
    package var canonical: String?
    /// The content of `<meta property="og:url">`.
    package var social: String?
    /// The target of a feed's `<link rel="self">`.
    package var feed: String?
    /// The pages that a sitemap lists.
    package var locations: [String] = []
}

/// Finds the URLs that a document gives for itself.
///
/// A page that only redirects gives none: its canonical link names another page.
///
/// - Parameters:
///   - bytes: The beginning of the document. A tag that is cut off is ignored.
///   - kind: The kind of the document.
/// - Returns: The URLs in the form in which they are written.
package func ownURLs(_ bytes: [UInt8], kind: DocumentKind) -> OwnURLs {
    bytes.withUnsafeBufferPointer { bytes in
        switch kind {
        case .html: pageURLs(bytes)
        case .xml: xmlURLs(bytes)
        case .markdown, .mdx, .css, .json, .script, .text: OwnURLs()
        }
    }
}

private func pageURLs(_ bytes: UnsafeBytes) -> OwnURLs {
    var urls = OwnURLs()
    var tokenizer = HTMLTokenizer()
    var position = 0
    while let tag = tokenizer.nextTag(in: bytes, from: &position) {
        let name = UnsafeBytes(rebasing: bytes[tag.name])
        if name.isWord("body") || (tag.isEnd && name.isWord("head")) { break }
        guard name.isWord("link") || name.isWord("meta") else { continue }
        let view = HTMLTagView(tag, tokenizer.attributes, in: bytes, isInPicture: false)
        if view.value(of: "http-equiv")?.isWord("refresh") == true { return OwnURLs() }
        if name.isWord("link"), view.value(of: "rel")?.isWord("canonical") == true {
            urls.canonical = urls.canonical ?? view.value(of: "href").flatMap(trimmed)
        }
        let property = view.value(of: "property") ?? view.value(of: "name")
        if name.isWord("meta"), property?.isWord("og:url") == true {
            urls.social = urls.social ?? view.value(of: "content").flatMap(trimmed)
        }
    }
    return urls
}

private func xmlURLs(_ bytes: UnsafeBytes) -> OwnURLs {
    switch XMLDialect.of(bytes) {
    case .rss, .atom: OwnURLs(feed: feedURL(bytes))
    case .sitemap: OwnURLs(locations: locations(bytes))
    case .page, nil: OwnURLs()
    }
}

/// The URL that a feed gives for itself before its first entry.
private func feedURL(_ bytes: UnsafeBytes) -> String? {
    var tokenizer = XMLTokenizer(bytes)
    while let token = tokenizer.next() {
        guard case .start(let tag) = token else { continue }
        let name = UnsafeBytes(rebasing: bytes[tag.name])
        if name.isWord("item") || name.isWord("entry") { return nil }
        guard name.isWord("link") || name.isWord("atom:link"),
            let element = XMLElement(tag, in: bytes, isInPicture: false)
        else { continue }
        if element.value(of: "rel")?.isWord("self") == true {
            return element.value(of: "href").flatMap(decoded)
        }
    }
    return nil
}

/// The `<loc>` elements of a sitemap that are complete.
private func locations(_ bytes: UnsafeBytes) -> [String] {
    var urls: [String] = []
    var tokenizer = XMLTokenizer(bytes)
    var isInside = false
    var text: [UInt8] = []
    while let token = tokenizer.next() {
        switch token {
        case .start(let tag):
            isInside = UnsafeBytes(rebasing: bytes[tag.name]).isWord("loc")
            text = []
        case .text(let range), .cdata(let range):
            if isInside { text += bytes[range] }
        case .end:
            if isInside, let url = text.withUnsafeBufferPointer({ decoded($0) }) {
                urls.append(url)
            }
            isInside = false
        case .comment: break
        }
    }
    return urls
}

/// A value without entities and without white space at its ends; nil if nothing is left.
private func decoded(_ value: UnsafeBytes) -> String? {
    DecodedText(value).bytes.withUnsafeBufferPointer { trimmed($0) }
}

private func trimmed(_ value: UnsafeBytes) -> String? {
    let range = value.trimmingWhitespace(0..<value.count)
    return range.isEmpty ? nil : value.string(range)
}
