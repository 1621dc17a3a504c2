import DocumentSyntax

/// One pass over an XML document that collects all references.
struct XMLWalk {
    private struct OpenElement {
        var name: Range<Int32>
        /// The index of the control that applies to the images in the element.
        var control: Int32?
    }

    /// The text of an element while it is being read.
    private struct PendingText {
        enum Purpose {
            case url(element: String)
            case html
            case value(HTMLValue)
        }

        var purpose: Purpose
        /// The number of open elements, including this one.
        var depth: Int
        var control: Int?
        var parts: [XMLText.Source] = []
    }

    private let bytes: UnsafeBytes
    private let dialect: XMLDialect
    private let rules: HTMLRules
    private let feed: FeedRules
    private var tokenizer: XMLTokenizer
    private var builder: XMLBuilder
    private var open: [OpenElement] = []
    private var pendingText: PendingText?
    /// The number of open elements outside embedded XHTML or HTML; nil outside of such content.
    private var markupDepth: Int?
    /// Whether a comment has turned imgbake off.
    private var isOff = false
    private var hasLongTag = false
    private var base: (href: String, offset: Int)?
    /// The images in attributes and in texts, read or not.
    private var found: [UnreadImage] = []

    /// The number of innermost open elements that an end tag is compared with.
    private static let searchDepth = 64

    init(_ bytes: UnsafeBytes, dialect: XMLDialect, options: ExtractionOptions) {
        self.bytes = bytes
        self.dialect = dialect
        rules = HTMLRules(options: options)
        feed = FeedRules(dialect: dialect)
        tokenizer = XMLTokenizer(bytes)
        builder = XMLBuilder(bytes)
    }

    mutating func run() {
        while !hasLongTag, let token = tokenizer.next() {
            switch token {
            case .start(let tag):
                note(attributesOf: tag)
                begin(tag)
            case .end(let name): end(name)
            case .text(let range):
                note(text: range)
                appendText(range, isEscaped: true)
            case .cdata(let range):
                note(text: range)
                appendText(range, isEscaped: false)
            case .comment(let range):
                isOff = ToggleComments.isOff(UnsafeBytes(rebasing: bytes[range])) ?? isOff
            }
        }
    }

    consuming func findings() -> Findings {
        if hasLongTag {
            return Findings(
                refusing: .tooComplex("a tag with more than \(XMLTag.mostAttributes) attributes"))
        }
        var findings = builder.finish(base: base)
        findings.addUnread(found)
        return findings
    }

    private func name(_ open: OpenElement) -> UnsafeBytes {
        UnsafeBytes(rebasing: bytes[Int(open.name.lowerBound)..<Int(open.name.upperBound)])
    }

    private var isInPicture: Bool {
        open.last.map { name($0).isExactly("picture") } == true
    }

    private mutating func begin(_ tag: XMLTag) {
        // An element with child elements is neither a URL nor escaped HTML.
        pendingText = nil
        let outer = open.last
        let isInPicture = isInPicture
        open.append(
            OpenElement(
                name: Int32(tag.name.lowerBound)..<Int32(tag.name.upperBound),
                control: isInPicture ? outer?.control : nil))
        if !isOff || dialect == .page { add(tag, in: outer, isInPicture: isInPicture) }
        if tag.isSelfClosing { removeLast() }
    }

    private mutating func add(_ tag: XMLTag, in outer: OpenElement?, isInPicture: Bool) {
        let isInFeed = dialect != .page && markupDepth == nil
        if isInFeed, !FeedRules.mayNameImage(bytes[tag.name]) { return }
        guard let element = XMLElement(tag, in: bytes, isInPicture: isInPicture) else {
            hasLongTag = true
            return
        }
        if isInFeed {
            addFeed(element, in: outer)
        } else {
            readBase(element)
            if !isOff { addPage(element) }
        }
    }

    private mutating func end(_ name: Range<Int>) {
        let wanted = UnsafeBytes(rebasing: bytes[name])
        guard
            let index = open.indices.suffix(Self.searchDepth).last(where: {
                self.name(open[$0]).isSame(as: wanted)
            })
        else { return }
        while open.count > index { removeLast() }
    }

    private mutating func removeLast() {
        if let pendingText, pendingText.depth == open.count { finish(pendingText) }
        if markupDepth == open.count { markupDepth = nil }
        open.removeLast()
    }

    private mutating func appendText(_ range: Range<Int>, isEscaped: Bool) {
        pendingText?.parts.append(XMLText.Source(range: range, isEscaped: isEscaped))
    }

    private mutating func readBase(_ element: XMLElement) {
        let name = UnsafeBytes(rebasing: bytes[bytes.withoutPrefix(element.tag.name)])
        guard base == nil, dialect == .page, name.lowercasedText == "base",
            let href = element.attribute("href")
        else { return }
        let text = XMLText(bytes, XMLText.Source(range: href.value, isEscaped: true))
        base = (String(decoding: text.decoded, as: UTF8.self), element.tag.name.lowerBound - 1)
    }
}

extension XMLWalk {
    private mutating func addFeed(_ element: XMLElement, in outer: OpenElement?) {
        if let attribute = feed.attribute(of: element) {
            let url = (attribute: attribute, claim: Reference.Claim.Kind?.none)
            let values = [url] + feed.claims(of: element).map { ($0.attribute, $0.claim) }
            builder.add(
                values.sorted { $0.attribute.value.lowerBound < $1.attribute.value.lowerBound }
                    .compactMap { locate($0.attribute, claim: $0.claim, of: element) })
        }
        switch feed.text(of: element, in: outer.map(name)) {
        case .url:
            pendingText = PendingText(
                purpose: .url(element: element.writtenName), depth: open.count)
        case .html:
            pendingText = PendingText(purpose: .html, depth: open.count)
            markupDepth = open.count
        case .markup:
            markupDepth = open.count
        case nil: break
        }
    }

    /// Locates an attribute of a feed element that names an image or makes a claim about one.
    private mutating func locate(
        _ attribute: HTMLAttribute, claim: Reference.Claim.Kind?, of element: XMLElement
    ) -> LocatedPieces? {
        let kind = Reference.Kind.xmlAttribute(
            element: element.writtenName,
            attribute: String(decoding: bytes[attribute.name], as: UTF8.self))
        let text = XMLText(bytes, XMLText.Source(range: attribute.value, isEscaped: true))
        var pieces = text.urlPieces(kind, .enclosure, Notation(.attribute(attribute.quote)))
        for index in pieces.indices { pieces[index].claim = claim }
        return builder.locate(
            text, pieces, isAttribute: true, control: nil,
            needsExtension: feed.needsExtension(element))
    }

    /// Adds the references in the attributes of a page's element, and starts to collect its text if
    /// that may name images.
    private mutating func addPage(_ element: XMLElement) {
        let values = element.attributes.compactMap { attribute in
            rules.value(of: UnsafeBytes(rebasing: bytes[attribute.name]), on: element).map {
                (attribute: attribute, value: $0)
            }
        }
        let control = addControl(values.filter { $0.value == .control }.map(\.attribute))
        var found: [LocatedPieces] = []
        defer {
            // The other `<meta>` elements of the same image are not known here.
            if element.name == .meta { found.append(LocatedPieces(fixing: [.format, .size])) }
            builder.add(found)
        }
        for (attribute, value) in values {
            if value == .control, let own = control.own {
                builder.addControl(attribute, to: own)
                continue
            }
            let source = UnsafeBytes(rebasing: bytes[attribute.value])
            if value == .style, !source.namesCSSImage { continue }
            let text = XMLText(bytes, XMLText.Source(range: attribute.value, isEscaped: true))
            let pieces = text.pieces(value, quote: attribute.quote, isInFeed: dialect != .page)
            let located = builder.locate(
                text, pieces, in: value, isAttribute: true,
                control: control.effective)
            if let located { found.append(located) }
        }
        switch element.name {
        case .style:
            pendingText = PendingText(
                purpose: .value(.styleText(readsRequests: rules.options.readsRequests)),
                depth: open.count, control: control.effective)
        case .script where element.isJSONLD:
            pendingText = PendingText(purpose: .value(.jsonLD), depth: open.count)
        default: break
        }
    }

    /// Adds the control of the innermost open element.
    ///
    /// - Returns: The index of the element's own control, and of the one that applies to it.
    private mutating func addControl(
        _ attributes: [HTMLAttribute]
    ) -> (own: Int?, effective: Int?) {
        let last = open.count - 1
        guard let first = attributes.first else {
            return (nil, open[last].control.map(Int.init))
        }
        var control = ImageControl()
        for attribute in attributes {
            let text = XMLText(bytes, XMLText.Source(range: attribute.value, isEscaped: true))
            text.decoded.withUnsafeBufferPointer {
                control.read(UnsafeBytes(rebasing: bytes[attribute.name]), $0)
            }
        }
        control.offset = first.name.lowerBound
        let index = builder.addControl(control)
        if name(open[last]).isExactly("picture") { open[last].control = Int32(index) }
        return (index, index)
    }

    /// Adds the references in the text of an element that ends.
    private mutating func finish(_ pendingText: PendingText) {
        self.pendingText = nil
        guard !isOff, let text = XMLText(bytes, parts: pendingText.parts) else { return }
        switch pendingText.purpose {
        case .url(let element):
            let role: Reference.Role = dialect == .sitemap ? .content : .enclosure
            let pieces = text.urlPieces(.xmlText(element: element), role, Notation())
            add(text, pieces, control: nil)
        case .value(let value):
            let pieces = text.pieces(value, quote: .none, isInFeed: dialect != .page)
            add(text, pieces, in: value, control: pendingText.control)
        case .html:
            guard text.decoded.contains(.less) else { return }
            let part = text.decoded.withUnsafeBufferPointer {
                htmlFindings(of: $0, rules: rules)
            }
            builder.embed(part, in: text)
        }
    }

    private mutating func add(
        _ text: XMLText, _ pieces: [HTMLPiece], in value: HTMLValue? = nil, control: Int?
    ) {
        let located = builder.locate(
            text, pieces, in: value, isAttribute: false, control: control)
        builder.add([located].compactMap(\.self))
    }
}

// The images in places that are not read.
extension XMLWalk {
    /// Notes the images in the attributes of a tag.
    private mutating func note(attributesOf tag: XMLTag) {
        if isOff { return }
        let urls = bytes.imageURLs(in: tag.inner)
        guard !urls.isEmpty, let attributes = tag.attributes(in: bytes),
            !Self.links.contains(localName(tag.name))
        else { return }
        let element = lowercased(tag.name)
        for range in urls {
            guard let name = attributes.first(where: { $0.value.contains(range.lowerBound) })?.name,
                !bytes.matches("xmlns", at: name.lowerBound),
                !bytes.matches("rdf:", at: name.lowerBound)
            else { continue }
            let place = UnreadImage.Place.attribute(
                element: element, attribute: lowercased(name))
            found.append(UnreadImage(place, range, in: bytes))
        }
    }

    /// Notes the images in a text: those of scripts, and of elements whose text no rule reads and is
    /// a URL or HTML.
    private mutating func note(text range: Range<Int>) {
        guard !isOff, pendingText == nil, let last = open.last else { return }
        let isScript = name(last).isExactly("script")
        let isMarkup = dialect == .page || markupDepth != nil
        if isMarkup && !isScript { return }
        let urls = bytes.imageURLs(in: range)
        let element = Int(last.name.lowerBound)..<Int(last.name.upperBound)
        if urls.isEmpty || !isMarkup && Self.links.contains(localName(element)) { return }
        let start = bytes.trimmingWhitespace(range).lowerBound
        for url in urls {
            let before = url.lowerBound > start ? bytes[url.lowerBound - 1] : .doubleQuote
            if isScript {
                found.append(UnreadImage(.script, url, in: bytes))
            } else if [.doubleQuote, .singleQuote, .semicolon].contains(before) {
                found.append(UnreadImage(.element(lowercased(element)), url, in: bytes))
            }
        }
    }

    /// The name in lower case without its prefix.
    private func localName(_ name: Range<Int>) -> String { lowercased(bytes.withoutPrefix(name)) }

    private func lowercased(_ name: Range<Int>) -> String {
        UnsafeBytes(rebasing: bytes[name]).lowercasedText
    }

    /// The elements that name pages, and no images that somebody loads.
    private static let links: Set<String> = [
        "a", "comments", "docs", "guid", "id", "link", "loc", "title", "uri",
    ]
}
