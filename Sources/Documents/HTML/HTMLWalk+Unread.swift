// The images in places that no rule reads.

extension HTMLWalk {
    /// Notes the images that a text names, none of which is read.
    mutating func leave(_ range: Range<Int>, in place: UnreadImage.Place) {
        guard let found = imageURLs?.pass(range) else { return }
        for range in found { unread.append(UnreadImage(place, range, in: bytes)) }
    }

    /// Notes the images in attributes of a tag that no rule reads.
    ///
    /// - Parameters:
    ///   - tag: The last tag.
    ///   - attributes: Its attributes.
    ///   - isDropped: Whether the tag has made no element, so that none was read.
    mutating func leaveUnread(
        in tag: HTMLTag, _ attributes: [HTMLAttribute], isDropped: Bool
    ) {
        guard let found = imageURLs?.pass(tag.range), !found.isEmpty else { return }
        let element = HTMLElementName(tag.element, written: bytes[tag.name])
        let isRead = found.allSatisfy { range in
            attributes.contains { attribute in
                attribute.value.contains(range.lowerBound)
                    && rules.readsAlways(UnsafeBytes(rebasing: bytes[attribute.name]), on: element)
            }
        }
        if isRead, !isDropped { return }
        let view = HTMLTagView(tag, attributes, in: bytes)
        unread += view.unreadImages(found, by: rules, isDropped: isDropped)
    }
}

extension HTMLTagView {
    /// The images that the tag names in attributes that no rule reads and that load something.
    ///
    /// - Parameters:
    ///   - found: The places of URLs of images in the tag.
    ///   - rules: The rules for attributes that name images.
    ///   - isDropped: Whether the tag makes no element, so that no rule was applied.
    /// - Returns: The images in order.
    func unreadImages(
        _ found: ArraySlice<Range<Int>>, by rules: HTMLRules, isDropped: Bool = false
    ) -> [UnreadImage] {
        if value(of: "data-imgbake").map(\.lowercasedText) == "off" { return [] }
        return found.compactMap { range in
            guard
                let attribute = attributes.first(where: {
                    $0.value.lowerBound <= range.lowerBound
                        && range.lowerBound < $0.value.upperBound
                }),
                isDropped || rules.value(of: nameBytes(of: attribute), on: self) == nil,
                loads(attribute)
            else { return nil }
            return UnreadImage(
                .attribute(
                    element: UnsafeBytes(rebasing: bytes[tag.name]).lowercasedText,
                    attribute: nameBytes(of: attribute).lowercasedText), range, in: bytes)
        }
    }

    private func nameBytes(of attribute: HTMLAttribute) -> UnsafeBytes {
        UnsafeBytes(rebasing: bytes[attribute.name])
    }

    /// Whether a browser, a script or a reader may load a URL in an attribute: it is no link, and no
    /// text for people.
    private func loads(_ attribute: HTMLAttribute) -> Bool {
        let name = nameBytes(of: attribute).lowercasedText
        if Self.texts.contains(name) || name.hasPrefix("aria-") { return false }
        switch (tag.element, name) {
        case (.a, "href"), (.area, "href"), (.base, "href"), (.a, "xlink:href"): return false
        case (.link, "href"):
            let rel = value(of: "rel").map(\.lowercasedText) ?? ""
            return ["icon", "load", "prefetch", "stylesheet"].contains { rel.contains($0) }
        case (.meta, "content"):
            return bytes[attribute.value].first { !$0.isHTMLSpace } != nil
                && UnsafeBytes(rebasing: bytes[attribute.value]).namesHost
        default: return true
        }
    }

    /// The attributes with texts for people, or with links.
    private static let texts: Set<String> = [
        "alt", "title", "placeholder", "value", "label", "summary", "cite", "action", "formaction",
        "ping", "longdesc", "abbr",
    ]
}
