import DocumentSyntax

/// An element as the reference rules see it, from any parser.
protocol HTMLElementView {
    var name: HTMLElementName { get }
    /// The name in lower case, for messages.
    var label: String { get }
    /// Whether its parent is a `<picture>`.
    var isInPicture: Bool { get }
    /// The value of an attribute, with or without its entities decoded; nil if the element has no
    /// such attribute.
    func value(of attribute: StaticString) -> UnsafeBytes?
    /// The text of the attribute's value with its character references decoded.
    func text(of attribute: StaticString) -> String?
    /// The text and the size that the element gives for its image.
    var shown: Reference.Shown { get }
    /// The loading priority that the element gives to its image.
    var urgency: Reference.Urgency? { get }
}

extension HTMLElementView {
    func text(of attribute: StaticString) -> String? {
        value(of: attribute).map { String(decoding: DecodedText($0).bytes, as: UTF8.self) }
    }

    /// Whether the element's media type is an image's; nil if it has none.
    var isOfImageType: Bool? {
        guard let type = value(of: "type"), !type.isEmpty else { return nil }
        return type.isImageType
    }

    /// Whether this is a `<script>` with JSON-LD.
    var isJSONLD: Bool {
        guard let type = value(of: "type") else { return false }
        let name = type.prefix { $0 != .semicolon }.filter { !$0.isHTMLSpace }
        return name.lazy.map(\.lowercased).elementsEqual("application/ld+json".utf8)
    }

    var shown: Reference.Shown { readShown() }

    var urgency: Reference.Urgency? { readUrgency() }

    /// Reads the loading priority (HTML, "Fetch priority attributes" and "Lazy loading attributes").
    func readUrgency() -> Reference.Urgency? {
        guard name == .img || name == .link else { return nil }
        if let priority = value(of: "fetchpriority") {
            if priority.isTrimmedWord("high") { return .high }
            if priority.isTrimmedWord("low") { return .low }
        }
        return value(of: "loading")?.isTrimmedWord("lazy") == true ? .low : nil
    }

    func readShown() -> Reference.Shown {
        switch name {
        case .img, .input, .source, .video: break
        default: return Reference.Shown()
        }
        func pixels(_ attribute: StaticString) -> Int? {
            text(of: attribute).flatMap { Int($0) }.flatMap { (1...65_535).contains($0) ? $0 : nil }
        }
        return Reference.Shown(
            alt: text(of: "alt"), width: pixels("width"), height: pixels("height"))
    }
}

/// Applies the reference rules to the attributes of HTML and of inline SVG.
struct HTMLRules: Equatable {
    var options = ExtractionOptions()
    /// Whether elements with a capitalised name are components.
    var isJSX = false
    /// The number of `srcdoc` attributes around the HTML.
    var depth = 0
    /// URLs in data that count although they may not be full ones.
    var acceptedURLs: Set<String> = []

    private static let deepest = 3

    var lazyAttributes: [String] { options.lazyAttributes }

    /// Whether an attribute with this name may name images or be a control, whatever else the
    /// element has.
    func mayNameImage(_ name: UnsafeBytes, on element: HTMLElementName) -> Bool {
        HTMLAttributeRules(name, lazyAttributes: lazyAttributes)
            .mayApply(to: element, options)
    }

    /// The kind of an attribute's value.
    ///
    /// - Parameters:
    ///   - name: The attribute's name as written, in upper or lower case.
    ///   - element: The element with the attribute.
    /// - Returns: The kind; nil if the attribute names no image.
    func value(of name: UnsafeBytes, on element: some HTMLElementView) -> HTMLValue? {
        let rules = HTMLAttributeRules(name, lazyAttributes: lazyAttributes)
        guard rules.mayApply(to: element.name, options) else { return nil }
        let rule = rules.first {
            $0.elements.contains(element.name) && isMet($0.condition, by: element)
        }
        return rule.flatMap { value(of: name, on: element, by: $0) }
    }

    private func value(
        of name: UnsafeBytes, on element: some HTMLElementView, by rule: ReferenceRule
    ) -> HTMLValue? {
        switch rule.syntax {
        case .style: return .style
        case .control: return .control
        case .page: return .page(ofAttribute)
        case .meta: return Self.metaValue(element)
        case .mediaType, .integrity, .srcset, .file, .lazy, .url, .link: break
        }
        let name = rule.name ?? name.lowercasedText
        let role = rule.syntax == .link ? Self.role(ofLink: element) : rule.role
        guard let role else { return nil }
        let attribute = ImageAttribute(
            kind: rule.kind(element: element.label, attribute: name), name: name, role: role,
            certainty: rule.certainty,
            urgency: element.urgency ?? (rule.isLazy ? .low : nil), shown: element.shown)
        switch rule.syntax {
        case .mediaType: return .claim(.mediaType, attribute)
        case .integrity: return .claim(.integrity, attribute)
        case .srcset: return .srcset(attribute)
        case .file:
            if element.isOfImageType != nil { return .url(attribute) }
            return options.readsRequests
                ? .url(attribute.ofFrame(unlessImage: element.text(of: rule.attribute)))
                : .file(attribute)
        case .lazy: return .lazy(attribute)
        default: return .url(attribute)
        }
    }

    /// The rules for an HTML page inside an attribute.
    private var ofAttribute: HTMLRules {
        var rules = HTMLRules(options: options, depth: depth + 1)
        rules.options.readsData = false
        return rules
    }

    private func isMet(
        _ condition: ReferenceRule.Condition, by element: some HTMLElementView
    ) -> Bool {
        if condition.isEmpty { return true }
        return (!condition.contains(.isInPicture) || element.isInPicture)
            && (!condition.contains(.isImageButton)
                || element.value(of: "type")?.isTrimmedWord("image") == true)
            && (!condition.contains(.typeMayBeImage) || element.isOfImageType ?? true)
            && (!condition.contains(.typeIsImage) || element.isOfImageType == true)
            && (!condition.contains(.isIcon) || Self.isIcon(element))
            && (!condition.contains(.isPreload) || Self.isPreload(element))
            && (!condition.contains(.isSocial) || Self.isSocial(element))
            && (!condition.contains(.readsLinks) || options.readsLinks)
            && (!condition.contains(.readsRequests) || options.readsRequests)
            && (!condition.contains(.isProgram) || Self.isProgram(element))
            && (!condition.contains(.isShallow) || depth < Self.deepest)
    }

    private static func isIcon(_ link: some HTMLElementView) -> Bool {
        link.value(of: "rel").map { $0.hasWord(in: icons) } == true
    }

    private static func isSocial(_ link: some HTMLElementView) -> Bool {
        link.value(of: "rel")?.hasWord(in: ["image_src"]) == true
            || link.value(of: "itemprop")?.hasWord(in: ["image", "thumbnailurl"]) == true
    }

    private static func isPreload(_ link: some HTMLElementView) -> Bool {
        link.value(of: "rel").map { $0.hasWord(in: ["preload", "prefetch"]) } == true
            && link.value(of: "as")?.isTrimmedWord("image") == true
    }

    /// Whether a browser runs a `<script>` (HTML, "The script element").
    static func isProgram(_ script: some HTMLElementView) -> Bool {
        guard let type = script.text(of: "type")?.lowercased(), !type.isEmpty else { return true }
        return ["javascript", "ecmascript", "jscript", "livescript", "module"].contains {
            type.contains($0)
        }
    }

    /// The role of the file that a `<link>` loads; nil if it loads none, or an image.
    private static func role(ofLink link: some HTMLElementView) -> Reference.Role? {
        let rel = link.value(of: "rel")?.words ?? []
        if rel.contains("stylesheet") { return .style }
        if rel.contains("preconnect") || rel.contains("dns-prefetch") { return .connection }
        if rel.contains("modulepreload") { return .script }
        if rel.contains("manifest") { return .other }
        guard rel.contains("preload") || rel.contains("prefetch") || rel.contains("prerender")
        else { return nil }
        switch link.text(of: "as")?.lowercased() {
        case "style": return .style
        case "script", "worker", "sharedworker", "audioworklet", "paintworklet": return .script
        case "font": return .font
        case "audio", "video", "track": return .media
        case "document", "iframe", "frame", "object", "embed": return .frame
        default: return .other
        }
    }

    private static let icons: [StaticString] = [
        "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image",
        "mask-icon", "fluid-icon",
    ]

    /// The kind of the `content` of a `<meta>`; nil if it is not about images.
    private static func metaValue(_ meta: some HTMLElementView) -> HTMLValue? {
        guard meta.name == .meta else { return nil }
        for name: StaticString in ["property", "name", "itemprop"] {
            for word in meta.value(of: name)?.words ?? [] {
                let claim = metaClaims[word]
                guard claim != nil || metaNames.contains(word) else { continue }
                let attribute = ImageAttribute(
                    kind: .htmlAttribute(element: "meta", attribute: word), name: word,
                    role: word.hasPrefix("msapplication") ? .icon : .social, form: .absolute)
                return claim.map { .claim($0, attribute) } ?? .url(attribute)
            }
        }
        return nil
    }

    /// The `<meta>` properties that describe the image of an earlier `<meta>`
    /// (https://ogp.me/#structured).
    private static let metaClaims: [String: Reference.Claim.Kind] = [
        "og:image:type": .mediaType, "og:image:width": .width, "og:image:height": .height,
        "twitter:image:type": .mediaType, "twitter:image:width": .width,
        "twitter:image:height": .height,
    ]

    private static let metaNames: Set<String> = [
        "og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src",
        "image", "thumbnail", "thumbnailurl", "parsely-image-url", "sailthru.image.full",
        "sailthru.image.thumb", "msapplication-tileimage", "msapplication-square70x70logo",
        "msapplication-square150x150logo", "msapplication-square310x310logo",
        "msapplication-wide310x150logo",
    ]
}

extension UnsafeBytes {
    /// Whether the bytes are the media type of an image.
    var isImageType: Bool { matches("image/", at: firstIndex { !$0.isHTMLSpace } ?? 0) }

    /// The whitespace-separated words, in lower case.
    fileprivate var words: [String] {
        split(whereSeparator: \.isHTMLSpace).map {
            String(decoding: $0.lazy.map(\.lowercased), as: UTF8.self)
        }
    }

    /// Whether one of the whitespace-separated words is one of these, ignoring case.
    fileprivate func hasWord(in wanted: [StaticString]) -> Bool {
        var start = 0
        while start < count {
            var end = start
            while end < count, !self[end].isHTMLSpace { end += 1 }
            if wanted.contains(where: { isWord($0, in: start..<end) }) { return true }
            start = end + 1
        }
        return false
    }

    /// Whether the bytes without the whitespace at their ends are this lower-case word.
    fileprivate func isTrimmedWord(_ word: StaticString) -> Bool {
        isWord(word, in: trimmingWhitespace(0..<count))
    }
}

/// Groups the `<meta>` elements of a page that describe one image.
///
/// In the Open Graph protocol (https://ogp.me/#structured), properties such as `og:image:width`
/// belong to the `og:image` before them. Properties before any image belong to the first one.
struct MetaImages {
    private struct Image {
        var labels: Set<String> = []
        /// The slots with the image's URLs, such as `og:image` and `og:image:secure_url`.
        var slots: [Int] = []
        var claims: [Int] = []
    }

    /// The images by vocabulary, such as `og` and `twitter`.
    private var images: [Substring: [Image]] = [:]
    private var early: [Substring: [Int]] = [:]

    /// Adds the slot of a `<meta>` element.
    mutating func add(_ content: HTMLValue, slot: Int) {
        switch content {
        case .url(let attribute) where attribute.name.contains(":"): addURL(attribute.name, slot)
        case .claim(_, let attribute): addClaim(attribute.name, slot)
        default: break
        }
    }

    private static func vocabulary(_ label: String) -> Substring { label.prefix { $0 != ":" } }

    private mutating func addURL(_ label: String, _ slot: Int) {
        let vocabulary = Self.vocabulary(label)
        // Taken out of the dictionary, so that it is not copied when it changes.
        var list = images.removeValue(forKey: vocabulary) ?? []
        let isRoot = label == "\(vocabulary):image"
        if isRoot || list.last?.labels.contains(label) != false {
            list.append(Image(claims: early.removeValue(forKey: vocabulary) ?? []))
        }
        list[list.count - 1].labels.insert(label)
        list[list.count - 1].slots.append(slot)
        images[vocabulary] = list
    }

    private mutating func addClaim(_ label: String, _ slot: Int) {
        let vocabulary = Self.vocabulary(label)
        guard let count = images[vocabulary]?.count else {
            early[vocabulary, default: []].append(slot)
            return
        }
        images[vocabulary]?[count - 1].claims.append(slot)
    }

    /// Calls `body` with each image slot and the slots of its claims.
    func forEach(_ body: (_ slot: Int, _ claims: [Int]) -> Void) {
        for image in images.values.joined() {
            for slot in image.slots { body(slot, image.claims) }
        }
    }
}
