import DocumentSyntax

// The images in places that no rule reads.

extension HTMLWalk {
    /// Notes the images that a text names, none of which is read.
    mutating func leave(_ range: Range<Int>, in place: UnreadImage.Place) {
        if place == .script { scripts.append(range) }
        unread? += UnreadImage.all(in: bytes, place, in: range)
    }

    /// Notes the images in a style sheet that its reader leaves, or in a script that has none.
    mutating func leave(text range: Range<Int>, of content: OpenElements.Content, isRead: Bool) {
        guard content == .style else {
            if !isRead { leave(range, in: .script) }
            return
        }
        guard unread != nil else { return }
        let text = UnsafeBytes(rebasing: bytes[range])
        unread? += CSSScanner.unread(in: text).map {
            UnreadImage(.style, $0, in: text, at: range.lowerBound)
        }
    }

    /// The images in scripts that are known because the page itself loads them.
    func loadedImages(in references: [LocatedReference]) -> [UnreadImage] {
        // The others are known by their extensions.
        let loaded = Set(
            references.map(\.reference).filter { $0.kind != .data && $0.role.isOfImage }.map(\.url)
                .filter { !isImageByPath($0) }.compactMap(hostAndPath))
        if loaded.isEmpty { return [] }
        return urlsInScripts.filter { hostAndPath(of: $0.url).map(loaded.contains) == true }
    }

    private var urlsInScripts: [UnreadImage] {
        scripts.flatMap { script in
            let text = UnsafeBytes(rebasing: bytes[script])
            return ImageURLs(in: text, takesAll: true).map {
                UnreadImage(.script, $0, in: text, at: script.lowerBound)
            }
        }
    }

    /// Marks the scripts that scripts in the page import or look for by their URLs.
    func markNamedScripts(in references: inout [LocatedReference]) {
        guard references.contains(where: { $0.reference.role == .script }) else { return }
        let replaced = Set(
            references.filter { $0.reference.kind == .data }.map(\.reference.range.lowerBound))
        let named = Set(
            urlsInScripts.filter { !replaced.contains($0.offset) }.map(\.url)
                .compactMap(hostAndPath))
        let areSought = scripts.contains {
            UnsafeBytes(rebasing: bytes[$0]).containsExactly("script[src")
        }
        for index in references.indices where references[index].reference.role == .script {
            let url = hostAndPath(of: references[index].reference.url)
            references[index].reference.isNamedByScripts =
                areSought || url.map(named.contains) == true
        }
    }

    /// A full URL without its scheme; nil if it has no host.
    private func hostAndPath(of url: String) -> Substring? {
        url.firstRange(of: "//").map { url[$0.upperBound...] }
    }

    /// Notes the images in attributes of a tag that no rule reads.
    ///
    /// - Parameters:
    ///   - tag: The last tag.
    ///   - attributes: Its attributes.
    ///   - placement: The place of its element; nil if it has made none, so that none was read.
    mutating func leaveUnread(
        in tag: HTMLTag, _ attributes: [HTMLAttribute], _ placement: TreeSimulation.Placement?
    ) {
        let isDropped = placement?.isRepeated != false
        for attribute in attributes where attribute.value.count >= ImageURLs.shortest {
            let isRead =
                !isDropped
                && contents.contains {
                    $0.attribute.value == attribute.value && $0.content != .style
                        && !$0.content.isData
                }
            let value = UnsafeBytes(rebasing: bytes[attribute.value])
            if isRead || !value.namesImageURL { continue }
            let view = HTMLTagView(
                tag, attributes, in: bytes,
                name: placement.map { HTMLElementName($0.name, written: bytes[tag.name]) },
                isInPicture: placement?.isInPicture == true)
            unread? += view.unreadImages(by: rules, isDropped: isDropped)
            return
        }
    }
}

extension HTMLTagView {
    /// The images that the tag names in attributes that no rule reads and that load something.
    ///
    /// - Parameters:
    ///   - rules: The rules for attributes that name images.
    ///   - isDropped: Whether the tag makes no element, so that no rule was applied.
    /// - Returns: The images in order.
    func unreadImages(by rules: HTMLRules, isDropped: Bool = false) -> [UnreadImage] {
        let named = attributes.filter { UnsafeBytes(rebasing: bytes[$0.value]).namesImageURL }
        if named.isEmpty || value(of: "data-imgbake").map(\.lowercasedText) == "off" { return [] }
        return named.flatMap { attribute -> [UnreadImage] in
            let name = nameBytes(of: attribute)
            let content = isDropped ? nil : rules.value(of: name, on: self)
            guard content == nil || content == .style, loads(attribute) else { return [] }
            let place = UnreadImage.Place.attribute(
                element: UnsafeBytes(rebasing: bytes[tag.name]).lowercasedText,
                attribute: name.lowercasedText)
            let images = UnreadImage.all(in: bytes, place, in: attribute.value)
            if content == nil { return images }
            let left = unreadStyles(in: attribute)
            return images.filter { left.containSorted($0.offset) }
        }
    }

    /// The places in a `style` attribute that its reader leaves.
    private func unreadStyles(in attribute: HTMLAttribute) -> [Range<Int>] {
        let value = DecodedText(UnsafeBytes(rebasing: bytes[attribute.value]))
        return value.bytes.withUnsafeBufferPointer(CSSScanner.unread).map {
            value.sourceRange($0).shifted(by: attribute.value.lowerBound)
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
