import DocumentSyntax

/// The rules for elements of feeds and sitemaps that name images.
struct FeedRules {
    let dialect: XMLDialect

    /// The meaning of an element's text.
    enum Text {
        /// The URL of an image.
        case url
        /// HTML, escaped or not.
        case html
        /// Elements of XHTML.
        case markup
    }

    /// Whether an element with this name may name an image.
    ///
    /// This check is fast and can return true for other elements.
    static func mayNameImage(_ name: Slice<UnsafeBytes>) -> Bool {
        guard name.count >= 3, name.count < 24 else { return false }
        switch name[name.startIndex] {
        // Every entry begins with an `<entry>`, which is none of them.
        case UInt8(ascii: "e"): return name.count > 5
        case UInt8(ascii: "a"), UInt8(ascii: "c"), UInt8(ascii: "d"), UInt8(ascii: "g"),
            UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "m"), UInt8(ascii: "s"),
            UInt8(ascii: "u"):
            return true
        default: return false
        }
    }

    /// The attribute with an image URL, if the element has one.
    func attribute(of element: XMLElement) -> HTMLAttribute? {
        if dialect == .sitemap { return nil }
        switch element.feedName {
        case "enclosure":
            guard isImage(element, "url") else { return nil }
            return element.attribute("url")
        case "media:content":
            guard isImageContent(element) else { return nil }
            return element.attribute("url")
        case "media:thumbnail": return element.attribute("url")
        case "itunes:image", "googleplay:image": return element.attribute("href")
        case "link":
            guard element.hasValue("enclosure", for: "rel"), isImage(element, "href") else {
                return nil
            }
            return element.attribute("href")
        case "content":
            guard element.isOfImageType == true else { return nil }
            return element.attribute("src")
        default: return nil
        }
    }

    /// Whether only the extension of its URL tells that the element names an image.
    func needsExtension(_ element: XMLElement) -> Bool {
        ["enclosure", "media:content", "link"].contains(element.feedName)
            && element.isOfImageType == nil && element.value(of: "medium") == nil
    }

    /// The attributes that state properties of the element's image.
    func claims(
        of element: XMLElement
    ) -> [(attribute: HTMLAttribute, claim: Reference.Claim.Kind)] {
        let names: [(String, Reference.Claim.Kind)] =
            switch element.feedName {
            case "enclosure", "link": [("type", .mediaType), ("length", .byteCount)]
            case "media:content":
                [
                    ("type", .mediaType), ("fileSize", .byteCount), ("width", .width),
                    ("height", .height),
                ]
            case "media:thumbnail": [("width", .width), ("height", .height)]
            case "content": [("type", .mediaType)]
            default: []
            }
        return names.compactMap { name, claim in
            element.attribute(name).map { ($0, claim) }
        }
    }

    /// The meaning of an element's text.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - parent: The name of the parent element.
    /// - Returns: The meaning; nil if the text names no images.
    func text(of element: XMLElement, in parent: UnsafeBytes?) -> Text? {
        let name = element.feedName
        if dialect == .sitemap { return name == "image:loc" ? .url : nil }
        switch name {
        case "url":
            return parent?.elementsEqual("image".utf8) == true ? .url : nil
        case "logo", "icon": return dialect == .atom ? .url : nil
        case "content:encoded", "excerpt:encoded", "description", "itunes:summary": return .html
        case "content", "summary":
            return dialect == .atom || element.hasAtomPrefix ? atomText(element) : .html
        default: return nil
        }
    }

    /// The meaning of an Atom text by its `type`; a text without one is plain.
    private func atomText(_ element: XMLElement) -> Text? {
        guard let type = element.attribute("type") else { return nil }
        switch String(decoding: element.bytes[type.value], as: UTF8.self).lowercased() {
        case "html", "text/html": return .html
        case "xhtml", "application/xhtml+xml": return .markup
        default: return nil
        }
    }

    private func isImage(_ element: XMLElement, _ attribute: StaticString) -> Bool {
        element.isOfImageType ?? (element.value(of: attribute).map(hasImageExtension) == true)
    }

    private func isImageContent(_ element: XMLElement) -> Bool {
        guard let medium = element.value(of: "medium") else { return isImage(element, "url") }
        return medium.elementsEqual("image".utf8)
    }
}

extension XMLElement {
    /// The name, without the prefix `atom:`.
    fileprivate var feedName: String {
        let name = hasAtomPrefix ? tag.name.lowerBound + 5..<tag.name.upperBound : tag.name
        // All names that matter are shorter than this.
        return name.count < 20 ? String(decoding: bytes[name], as: UTF8.self) : ""
    }

    fileprivate var hasAtomPrefix: Bool {
        tag.name.count > 5 && bytes.matches("atom:", at: tag.name.lowerBound)
    }

    fileprivate func hasValue(_ text: String, for attribute: StaticString) -> Bool {
        value(of: attribute)?.elementsEqual(text.utf8) == true
    }
}
