import DocumentSyntax
import StyleSizing

/// One pass over the tokens of an HTML document that collects the slots.
struct HTMLWalk {
    var slots: [HTMLSlot] = []
    /// The tags and the texts with slots.
    private(set) var parts: [HTMLPart] = []
    var page = PageFacts(styles: PageStyles())
    /// The controls in attributes, with offsets in the parsed text.
    private(set) var controls: [LocatedControl] = []
    /// Whether a comment has turned imgbake off.
    private(set) var isOff = false
    /// The images in places that are not read; nil if they are not wanted.
    var unread: [UnreadImage]?
    /// The texts of scripts.
    var scripts: [Range<Int>] = []
    /// The parts of the page's flight data; nil if one has an unknown form.
    var pushes: [FlightPush]? = []
    /// The declared encoding, if it is not a superset of ASCII.
    private(set) var unsupportedEncoding: String?
    /// The limit that the document exceeds, as text that follows "the document has".
    private(set) var excess: String?
    /// The style sheet that a rewrite has linked to, as it is written; nil if there is none.
    var linkedSheet: String?
    /// Whether the `<style>` that is open applies on every screen.
    private(set) var isStyleUnconditional = false
    /// What was read of the style sheet in SVG that is open.
    var drawingStyle: [UInt8] = []

    let bytes: UnsafeBytes
    let rules: HTMLRules
    private var tokenizer = HTMLTokenizer(isGuided: true)
    private(set) var tree: TreeSimulation
    private var metaImages = MetaImages()
    /// The controls of the `<html>` and `<body>` tags.
    private var rootControls: [Int] = []
    /// The slots of formatting elements, which tree construction compares with each other.
    private var formattingSlots: [Range<Int>] = []
    /// The elements that images stand in.
    var styledElements = StyledElements()
    /// The number of `<img>` elements so far.
    private(set) var imageCount = 0
    /// Whether the last tag began in SVG or MathML.
    private(set) var wasForeign = false
    /// The attributes of the last tag that may name images, each with the kind of its value.
    private(set) var contents: [(attribute: HTMLAttribute, content: HTMLValue)] = []

    /// A walk that has read nothing.
    init(_ bytes: UnsafeBytes, rules: HTMLRules) {
        self.bytes = bytes
        self.rules = rules
        tree = TreeSimulation(bytes)
    }

    /// Reads the whole document.
    mutating func parse() {
        var position = 0
        while tree.excess == nil, let token = tokenizer.next(in: bytes, from: &position) {
            read(token)
        }
        endDrawingStyle()
        excess = tree.excess?.rawValue
        if excess == nil, tokenizer.mostAttributes > HTMLTokenizer.mostInTag {
            excess = "a tag with more than \(HTMLTokenizer.mostInTag) attributes"
        }
        if tree.open.comparesTags { formattingSlots.forEach { refuse($0) } }
        readPushes()
        metaImages.forEach { slots[$0].claimSlots = $1 }
    }

    /// Leaves slots as they are, because the tree may depend on their values.
    private mutating func refuse(_ range: Range<Int>) {
        for slot in range {
            slots[slot].problem = .placeUncertain
            for piece in slots[slot].pieces.indices { slots[slot].pieces[piece].place = nil }
            let isControl = slots[slot].content.isControl
            if isControl, let control = slots[slot].control { controls[control].ranges = nil }
        }
    }

    var outline: Outline {
        let values = slots.map {
            Outline.Slot(
                value: $0.value, pieces: $0.pieces.map(\.piece), content: $0.content,
                start: $0.start)
        }
        return Outline(slots: values, parts: .html(parts, start: 0, firstSlot: 0))
    }

    private mutating func read(_ token: HTMLToken) {
        switch token {
        case .text(let range):
            tree.text(range)
            readText(range)
        case .cdata(let range):
            let isStyle = tree.open.last?.content == .style
            tree.text(range)
            describe(text: range, isCDATA: true)
            if isStyle, !isOff { leave(range, in: .style) }
        case .comment(let range), .declaration(let range):
            isOff = ToggleComments.isOff(UnsafeBytes(rebasing: bytes[range])) ?? isOff
        case .doctype: break
        case .tag(let tag):
            endDrawingStyle()
            if tag.isEnd {
                if isEndOfHead(tag) { noteHeadEnd(tag) }
                tree.end(tag)
            } else {
                wasForeign = tree.isInForeignContent
                let placement = tree.start(tag)
                if let name = tree.rawText { tokenizer.state = .rawText(name) }
                if let placement { readElement(tag, placement) }
                if unread != nil, !isOff { leaveUnread(in: tag, tokenizer.attributes, placement) }
            }
            tokenizer.readsCDATA = tree.isInForeignContent
        }
    }

    /// Reads an element, unless it cannot have a slot.
    private mutating func readElement(_ tag: HTMLTag, _ placement: TreeSimulation.Placement) {
        let name = HTMLElementName(placement.name, written: bytes[tag.name])
        if placement.space == .html, name == .meta || tag.element == .base { readHead(tag) }
        if name == .style || name == .script { setContent(tag, name) }
        if isDescribed {
            if name == .style { isStyleUnconditional = appliesAlways(tag) }
            if name == .link {
                if noteAddedLink(tag) { return }
                readLink(tag)
            }
            if tag.element == .template, placement.isOpen { readTemplate(tag) }
            for attribute in tokenizer.attributes { readHandler(attribute) }
        }
        let isImage = name == .img && placement.space == .html
        if isImage { imageCount += 1 }
        if placement.isRepeated {
            // Without a control of the first tag, one of this tag would count.
            for control in rootControls { controls[control].ranges = nil }
        } else if !isOff, isImage || mayNameImage(name) {
            let view = HTMLTagView(
                tag, tokenizer.attributes, in: bytes, name: name, isInPicture: placement.isInPicture
            )
            readAttributes(of: view, placement)
        }
    }

    /// Whether an attribute of the last tag may name an image on this element.
    // Inlined, because a call would copy the walk. So would a closure.
    @inline(__always)
    private func mayNameImage(_ element: HTMLElementName) -> Bool {
        for attribute in tokenizer.attributes {
            let name = UnsafeBytes(rebasing: bytes[attribute.name])
            if rules.mayNameImage(name, on: element) { return true }
            if rules.options.readsData, DataReader.mayBeJSON(bytes, attribute.value) { return true }
        }
        return false
    }

    private mutating func readAttributes(
        of view: HTMLTagView, _ placement: TreeSimulation.Placement
    ) {
        let isImage = view.name == .img && placement.space == .html
        contents.removeAll(keepingCapacity: true)
        var size = ImageSize(isDescribed: isDescribed)
        var source: Int?
        let first = slots.count
        for attribute in view.attributes {
            if isImage, size.read(attribute, of: view) { continue }
            guard let content = content(of: attribute, on: view) else { continue }
            if isImage, view.isNamed("src", attribute) { source = first + contents.count }
            contents.append((attribute, content))
        }
        guard !contents.isEmpty else { return }
        let isSource = view.isInPicture && view.name == .source
        for (attribute, content) in contents {
            slots.append(HTMLSlot(attribute, content, in: bytes))
            // Without quotation marks, there is no space for a second candidate.
            slots[slots.count - 1].takesCandidates =
                isDescribed && (isImage || isSource) && attribute.quote != .none
                && view.isNamed("srcset", attribute)
        }
        let range = first..<slots.count
        if rules.options.readsRequests, view.name == .link {
            for slot in range { slots[slot].link = view.tag.range }
        }
        addControl(of: view, placement, slots: range)
        addClaims(of: view, slots: range)
        if isDescribed {
            if view.isInPicture, isImage || isSource { addMember(view, slots: range) }
            describePreload(view, slots: range)
        }
        if isImage {
            if view.hasAreas { for slot in range { slots[slot].fixSize() } }
            if isDescribed, let source { describe(view, size, source: source, slots: range) }
            if let source, !view.isInPicture { addSize(size, of: view, source: source) }
        }
        if view.tag.element.isFormatting { formattingSlots.append(range) }
        parts.append(HTMLPart(kind: .tag(view.tag), range: view.tag.range, slots: range))
    }

    /// The kind of the attribute's value, if it may name images.
    // Inlined, because a call would copy the walk.
    @inline(__always)
    private func content(of attribute: HTMLAttribute, on view: HTMLTagView) -> HTMLValue? {
        let name = UnsafeBytes(rebasing: bytes[attribute.name])
        guard let content = rules.value(of: name, on: view) else {
            guard rules.options.readsData, DataReader.mayBeJSON(bytes, attribute.value) else {
                return nil
            }
            return .data(DataReader(.json, rules, isAttribute: true))
        }
        if content.isControl { return content }
        let value = view.value(of: attribute)
        guard !value.isEmpty else { return nil }
        if case .style = content, !value.mayNameCSSImage { return nil }
        return content
    }

    /// Assigns an element's claims to the slots of its image.
    private mutating func addClaims(of view: HTMLTagView, slots range: Range<Int>) {
        if view.name == .meta {
            for slot in range { metaImages.add(slots[slot].content, slot: slot) }
            return
        }
        guard range.contains(where: { slots[$0].content.isClaim }) else { return }
        let claims = range.filter { slots[$0].content.isClaim }
        for slot in range where slots[slot].content.ownAttribute != nil {
            slots[slot].claimSlots = claims
        }
    }

    private mutating func addSize(_ size: ImageSize, of view: HTMLTagView, source: Int) {
        let isDescribed = slots[source].image != nil
        guard size.isUnknown || isDescribed else { return }
        slots[source].size = EditPoint.Size(
            offset: slots[source].end, takesSize: size.isUnknown,
            attributes: self.isDescribed ? size.attributes : nil, isDescribed: isDescribed,
            element: isDescribed ? view.tag.range : nil)
    }

    /// Reads the control of an element and assigns it to the element's slots.
    private mutating func addControl(
        of view: HTMLTagView, _ placement: TreeSimulation.Placement, slots range: Range<Int>
    ) {
        let own = range.filter { slots[$0].content.isControl }
        var control = placement.mark
        if !own.isEmpty {
            control = controls.count
            controls.append(located(own, on: view))
            if view.tag.element == .html || view.tag.element == .body {
                rootControls.append(control)
            }
            let isPicture = view.name == .picture
            if placement.isOpen { tree.setMark(isPicture ? control : -1) }
        }
        guard control >= 0 else { return }
        for slot in range { slots[slot].control = control }
    }

    private func located(_ own: [Int], on view: HTMLTagView) -> LocatedControl {
        var result = LocatedControl(control: ImageControl(), ranges: [], slots: own)
        result.control.offset = slots[own[0]].offset
        for attribute in view.attributes {
            let name = UnsafeBytes(rebasing: bytes[attribute.name])
            guard HTMLAttributeRules(name).isControl else { continue }
            result.control.read(name, view.value(of: attribute))
            result.ranges?.append(bytes.includingWhitespaceBefore(attribute.whole))
            result.control.offset = min(result.control.offset, attribute.name.lowerBound)
        }
        if view.hasRepeatedControl { result.ranges = nil }
        return result
    }

    private mutating func readHead(_ tag: HTMLTag) {
        if tag.element == .base {
            guard page.base == nil else { return }
            page.base = tree.text(of: "href", in: tag).map { ($0, tag.range.lowerBound) }
        } else {
            let kind = tree.text(of: "http-equiv", in: tag)
            let content = kind.flatMap { _ in tree.text(of: "content", in: tag) }
            if kind?.lowercased() == "content-security-policy", let content {
                page.styles?.policy.add(ContentPolicy(content))
            }
            guard let declared = tree.text(of: "charset", in: tag) ?? content else { return }
            let name = declared.lowercased()
            unsupportedEncoding =
                unsupportedEncoding ?? Self.unsupportedEncodings.first { name.hasSuffix($0) }
        }
    }

    private mutating func noteHeadEnd(_ tag: HTMLTag) {
        let offset = tag.range.lowerBound
        page.headEnd = HeadEnd(offset: offset, sheet: linkedSheet)
        parts.append(
            HTMLPart(
                kind: .endOfHead, range: offset..<offset, slots: slots.count..<slots.count))
    }

    /// Encodings in which ASCII bytes can be parts of other characters.
    static let unsupportedEncodings = [
        "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "utf-7",
    ]
}

// The text of styles and scripts.
extension HTMLWalk {
    private mutating func setContent(_ tag: HTMLTag, _ name: HTMLElementName) {
        guard name == .script else { return tree.setContent(.style) }
        let view = HTMLTagView(
            tag, tokenizer.attributes, in: bytes, name: name, isInPicture: false)
        tree.setContent(rules.content(ofScript: view))
    }

    private mutating func readText(_ range: Range<Int>) {
        guard let parent = tree.open.last, parent.content != .other else { return }
        describe(text: range, isCDATA: false)
        if isOff { return }
        let isEncoded = parent.space != .html
        let isData = parent.content == .program || parent.content == .json
        let push = parent.content == .program && !isEncoded ? takePush(range) : nil
        let content = isData && isEncoded ? nil : value(of: parent.content)
        let slot =
            push ?? content.flatMap { HTMLSlot(text: range, $0, in: bytes, isEncoded: isEncoded) }
        if let slot {
            let rawText: HTMLName? =
                isEncoded ? nil : parent.content == .style ? .style : .script
            slots.append(slot)
            parts.append(
                HTMLPart(
                    kind: .text(of: rawText), range: range, slots: slots.indices.suffix(1)))
        }
        leave(text: range, of: parent.content, isRead: slot != nil && !isData)
    }

    private func value(of content: OpenElements.Content) -> HTMLValue? {
        switch content {
        case .style: .styleText(readsRequests: rules.options.readsRequests)
        case .jsonLD: .jsonLD
        case .program: .data(DataReader(.script, rules))
        case .json: .data(DataReader(.json, rules))
        case .script, .other: nil
        }
    }
}
