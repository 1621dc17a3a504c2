/// One pass over the tokens of an HTML document that hashes them and collects the slots.
///
/// Between two slots it hashes the text as it is written. Tokens and tree are functions of the text,
/// so two documents with equal hashes and slots have the same tokens, and the same tree.
struct HTMLWalk {
    var slots: [HTMLSlot] = []
    private(set) var blocks: [Outline.Block] = []
    private(set) var baseHref: String?
    /// The offset of the element with ``baseHref``.
    private(set) var baseOffset: Int?
    /// The controls in attributes, with offsets in the parsed text.
    private(set) var controls: [LocatedControl] = []
    /// The comments that turn imgbake off and on.
    private(set) var toggleComments = ToggleComments()
    /// The images in places that are not read; nil if they are not wanted.
    var unread: [UnreadImage]?
    /// The texts of scripts.
    var scripts: [Range<Int>] = []
    /// The declared encoding, if it is not a superset of ASCII.
    private(set) var unsupportedEncoding: String?
    /// The limit that the document exceeds, as text that follows "the document has".
    private(set) var excess: String?
    /// The style sheets, if images are described.
    var styles = PageStyles()
    /// The style sheet that a rewrite has linked to, as it is written; nil if there is none.
    var linkedSheet: String?
    /// The end tag of the head, if images are described and it is written.
    private(set) var headEnd: HeadEnd?
    /// Whether the `<style>` that is open applies on every screen.
    private(set) var isStyleUnconditional = false
    /// What was read of the style sheet in SVG that is open.
    var drawingStyle: [UInt8] = []

    let bytes: UnsafeBytes
    let rules: HTMLRules
    private var tokenizer = HTMLTokenizer(isGuided: true)
    private(set) var tree: TreeSimulation
    private var metaImages = MetaImages()
    /// The `<html>` and `<body>` tags.
    private var roots: [HTMLTag] = []
    private var hasher = OutlineHasher()
    /// The end of what is hashed.
    private var hashed = 0
    private var lines: LineCounter
    /// The elements that images stand in.
    var styledElements = StyledElements()
    /// The number of `<img>` elements so far.
    private(set) var imageCount = 0
    /// The open picture of the form that a rewrite adds.
    var picture: AddedPicture?
    /// The pictures of the author, if images are described.
    var pictures: [AuthorPicture] = []
    /// Whether the last tag began in SVG or MathML.
    private(set) var wasForeign = false
    private(set) var parts: [HTMLPart] = []
    /// Whether what must not change is hashed, and not only divided into parts.
    private let hashesText: Bool
    private let known = HTMLTagView.KnownValues()
    /// The attributes of the last tag that may name images, each with the kind of its value.
    private(set) var contents: [(attribute: HTMLAttribute, content: HTMLValue)] = []

    /// A walk that has read nothing.
    init(_ bytes: UnsafeBytes, rules: HTMLRules, hashesText: Bool = true) {
        self.bytes = bytes
        self.rules = rules
        self.hashesText = hashesText
        tree = TreeSimulation(bytes)
        lines = LineCounter(bytes)
    }

    /// Reads the whole document.
    mutating func parse() {
        // Growing these costs more, because the elements are large.
        slots.reserveCapacity(min(bytes.count / 512 + 2, 4096))
        parts.reserveCapacity(min(bytes.count / 1024 + 1, 4096))
        var position = 0
        while tree.excess == nil, let token = tokenizer.next(in: bytes, from: &position) {
            read(token)
        }
        endDrawingStyle()
        excess = tree.excess?.rawValue
        if excess == nil, tokenizer.mostAttributes > HTMLTokenizer.mostInTag {
            excess = "a tag with more than \(HTMLTokenizer.mostInTag) attributes"
        }
        endRun(at: bytes.count)
        hasher.combine(tree.open.dropped)
        // Without hashes, one block tells that the text is not refused.
        blocks = hashesText ? hasher.finish() : [Outline.Block(hash: 0, line: 1)]
        metaImages.forEach { slots[$0].claimSlots = $1 }
    }

    var outline: Outline {
        Outline(
            blocks: blocks, slots: outlineSlots, parts: hashesText ? nil : .html(parts))
    }

    /// The slots of the outline.
    // In loops, because `map` would copy each slot and each piece.
    var outlineSlots: [Outline.Slot] {
        var result: [Outline.Slot] = []
        result.reserveCapacity(slots.count)
        for slot in slots.indices {
            var pieces: [Outline.Piece] = []
            pieces.reserveCapacity(slots[slot].pieces.count)
            for piece in slots[slot].pieces.indices {
                pieces.append(slots[slot].pieces[piece].piece)
            }
            result.append(
                Outline.Slot(
                    value: slots[slot].value, pieces: pieces, line: slots[slot].line,
                    attribute: Outline.Attribute(
                        start: slots[slot].start, content: slots[slot].content)))
        }
        return result
    }

    /// The hashes of the blocks so far.
    var blockHashes: [Int] { hasher.blocks.map(\.hash) }

    /// Reads only a part of this document, or what has taken its place.
    ///
    /// - Returns: The end of the part; nil if there is no tag or text of the same kind at `start`.
    mutating func read(_ part: HTMLPart, at start: Int) -> Int? {
        // The lines are those of the other document.
        lines.offset = start
        hashed = start
        let blockCount = hasher.blocks.count
        guard let tag = part.tag else {
            let end = RawText(bytes, name: part.placement.name).end(from: start)
            return readSlot(text: start..<end, part.content, isEncoded: false) ? end : nil
        }
        var position = start
        guard case .tag(let found)? = tokenizer.next(in: bytes, from: &position),
            found.range.lowerBound == start, !found.isEnd,
            found.name.count == tag.name.count,
            found.isSelfClosing == tag.isSelfClosing,
            tokenizer.mostAttributes <= HTMLTokenizer.mostInTag
        else { return nil }
        let view = view(of: found, part.placement)
        // It stands before the part, or is verified with its picture.
        if isAddedSource(view) { return nil }
        hashed = found.name.upperBound
        readAttributes(of: view, part.placement)
        // A tag that has lost its slots has no block.
        return hasher.blocks.count == blockCount + 2 ? position : nil
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
            if isStyle { leave(range, in: .style) }
        case .comment(let range), .declaration(let range):
            toggleComments.add(UnsafeBytes(rebasing: bytes[range]), at: range.lowerBound)
        case .doctype: break
        case .tag(let tag):
            endDrawingStyle()
            if tag.isEnd {
                if isEndOfHead(tag) { noteHeadEnd(tag) }
                tree.end(tag)
                endPicture(at: tag)
            } else {
                wasForeign = tree.isInForeignContent
                let added = beginPicture(tag)
                let placement = tree.start(tag)
                if let added, let placement, placement.isOpen, placement.space == .html {
                    openPicture(added, at: tag)
                }
                if let name = tree.rawText { tokenizer.state = .rawText(name) }
                if let placement { readElement(tag, placement) }
                if unread != nil {
                    leaveUnread(in: tag, tokenizer.attributes, isDropped: placement == nil)
                }
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
                if readAddedLink(tag, line: lines.line(at: tag.range.lowerBound)) { return }
                readLink(tag)
            }
            if tag.element == .template, placement.isOpen { readTemplate(tag) }
            for attribute in tokenizer.attributes { readHandler(attribute) }
        }
        let mayHaveSlots = name == .img && placement.space == .html || mayNameImage(name)
        let isRoot = tag.element == .html || tag.element == .body
        if mayHaveSlots {
            var view = view(of: tag, placement)
            if placement.isRepeated { view.removeAttributes(of: roots) }
            readAttributes(of: view, placement)
        }
        if isRoot { roots.append(tag) }
    }

    /// Whether an attribute of the last tag may name an image on this element.
    // Inlined, because a call would copy the walk. So would a closure.
    @inline(__always)
    private func mayNameImage(_ element: HTMLElementName) -> Bool {
        for attribute in tokenizer.attributes {
            let name = UnsafeBytes(rebasing: bytes[attribute.name])
            if rules.mayNameImage(name, on: element) { return true }
        }
        return false
    }

    // Inlined, because a call would copy the walk.
    @inline(__always)
    private func view(of tag: HTMLTag, _ placement: TreeSimulation.Placement) -> HTMLTagView {
        HTMLTagView(
            tag, tokenizer.attributes, in: bytes,
            name: HTMLElementName(placement.name, written: bytes[tag.name]),
            isInPicture: placement.isInPicture, known: known)
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
        guard isImage || !contents.isEmpty else { return }
        let line = lines.line(at: view.tag.range.lowerBound)
        let isPreload = isDescribed && contents.contains { $0.content.isPreload }
        let isAddedSource = isAddedSource(view)
        if isAddedSource { skip(view.tag.range) }
        let isSource = isAddedSource || isSourceOfPicture(view.tag)
        // A source has a slot instead of a block.
        let hasBlock =
            !isSource && (isImage || contents.contains { !$0.content.isControl })
        if hasBlock {
            hash(view, isImage: isImage, isPreload: isPreload, contents)
        } else if !isSource, !view.hasRepeatedControl {
            skip(contents.map(\.attribute))
        }
        for (attribute, content) in contents {
            slots.append(HTMLSlot(attribute, content, in: bytes, line: line))
            // Without quotation marks, there is no space for a second candidate.
            slots[slots.count - 1].takesCandidates =
                isDescribed && (isImage || view.isInPicture && view.name == .source)
                && attribute.quote != .none && view.isNamed("srcset", attribute)
        }
        addControl(of: view, placement, slots: first..<slots.count)
        addClaims(of: view, slots: first..<slots.count)
        if isDescribed, picture == nil, view.isInPicture, isImage || view.name == .source {
            addMember(view, slots: first..<slots.count)
        }
        if isPreload { addPreload(view, slots: first..<slots.count, line: line) }
        if isSource { slots.append(sourceSlot(of: view, tokenizer.attributes, line: line)) }
        if isImage {
            let range = first..<slots.count
            if view.hasAreas { for slot in range { slots[slot].fixSize() } }
            if isDescribed, let source { describe(view, size, source: source, slots: range) }
            imageCount += 1
            addSize(
                size, of: view, source: view.isInPicture ? nil : source, first: first, line: line)
        }
        if hasBlock, picture == nil,
            let part = HTMLPart(view.tag, placement, slots: first..<slots.count)
        {
            parts.append(part)
        }
    }

    /// The kind of the attribute's value, if it may name images.
    // Inlined, because a call would copy the walk.
    @inline(__always)
    private func content(of attribute: HTMLAttribute, on view: HTMLTagView) -> HTMLValue? {
        let name = UnsafeBytes(rebasing: bytes[attribute.name])
        guard let content = rules.value(of: name, on: view) else { return nil }
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
        for slot in range where slots[slot].content.namesOwnImage {
            slots[slot].claimSlots = claims
        }
    }

    private mutating func addSize(
        _ size: ImageSize, of view: HTMLTagView, source: Int?, first: Int, line: Int
    ) {
        if let source, size.isUnknown || slots[source].image != nil {
            let isDescribed = slots[source].image != nil
            slots[source].size = EditPoint.Size(
                offset: slots[source].end, slot: slots.count, takesSize: size.isUnknown,
                attributes: self.isDescribed ? size.attributes : nil, isDescribed: isDescribed,
                element: isDescribed ? view.tag.range : nil, slotsBefore: slots.count - first)
        }
        var value = size.slotValue
        if picture != nil { value.insert(contentsOf: pictureMark(of: view), at: 0) }
        slots.append(HTMLSlot(sizeValue: value, line: line))
    }

    /// Reads the control of an element and assigns it to the element's slots.
    private mutating func addControl(
        of view: HTMLTagView, _ placement: TreeSimulation.Placement, slots range: Range<Int>
    ) {
        let own = range.filter { slots[$0].content.isControl }
        var control = Int(placement.control)
        if !own.isEmpty {
            control = controls.count
            controls.append(located(own, on: view))
            let isPicture = view.name == .picture
            if placement.isOpen { tree.setControl(isPicture ? control : -1) }
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
        func text(_ name: StaticString) -> String? {
            tree.value(of: name, in: tag).map { String(decoding: $0, as: UTF8.self) }
        }
        if tag.element == .base {
            guard baseHref == nil else { return }
            baseHref = text("href")
            baseOffset = baseHref == nil ? nil : tag.range.lowerBound
        } else {
            let content = text("http-equiv").flatMap { _ in text("content") }
            if text("http-equiv")?.lowercased() == "content-security-policy",
                let content
            {
                styles.policy.add(ContentPolicy(content))
            }
            guard let declared = text("charset") ?? content else { return }
            let name = declared.lowercased()
            unsupportedEncoding =
                unsupportedEncoding ?? Self.unsupportedEncodings.first { name.hasSuffix($0) }
        }
    }

    private mutating func noteHeadEnd(_ tag: HTMLTag) {
        let start = tag.range.lowerBound
        headEnd = HeadEnd(
            offset: start, sheet: linkedSheet, slotCount: slots.count, line: lines.line(at: start))
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
        let view = HTMLTagView(tag, tokenizer.attributes, in: bytes, name: name)
        tree.setContent(view.isJSONLD ? .jsonLD : .script)
    }

    private mutating func readText(_ range: Range<Int>) {
        guard let parent = tree.open.last, parent.content != .other else { return }
        describe(text: range, isCDATA: false)
        let isRead = readSlot(text: range, parent.content, isEncoded: parent.space != .html)
        if isRead, parent.space == .html {
            parts.append(HTMLPart(text: range, parent.content, slot: slots.count - 1))
        }
        leave(text: range, of: parent.content, isRead: isRead)
    }

    /// Reads a text that may name images, and returns whether it does.
    private mutating func readSlot(
        text range: Range<Int>, _ content: OpenElements.Content, isEncoded: Bool
    ) -> Bool {
        guard let content = content.value,
            let slot = HTMLSlot(
                text: range, content, in: bytes, line: lines.line(at: range.lowerBound),
                isEncoded: isEncoded)
        else { return false }
        endRun(at: range.lowerBound)
        hasher.combineSlot()
        endBlock(at: range.upperBound)
        slots.append(slot)
        return true
    }
}

extension OpenElements.Content {
    fileprivate var value: HTMLValue? {
        switch self {
        case .style: .styleText
        case .jsonLD: .jsonLD
        case .script, .other: nil
        }
    }
}

// The hashes of what must not change. Blocks of text as it is written alternate with those of tags
// with slots, so neither can be taken for the other.
extension HTMLWalk {
    /// Hashes the text up to `end`.
    private mutating func hash(to end: Int) {
        if hashesText { hasher.combine(bytes[hashed..<end]) }
        hashed = end
    }

    /// Hashes the text up to `end`, where a slot or a tag with slots follows.
    private mutating func endRun(at end: Int) {
        hash(to: end)
        if hashesText { hasher.beginBlock(line: lines.line) }
    }

    private mutating func endBlock(at end: Int) {
        if hashesText { hasher.beginBlock(line: lines.line) }
        hashed = end
    }

    /// Leaves out the controls of an element without other slots, as a rewrite that removes them
    /// does.
    private mutating func skip(_ controls: [HTMLAttribute]) {
        for control in controls { skip(bytes.includingWhitespaceBefore(control.whole)) }
    }

    /// Leaves a part of the text out.
    mutating func skip(_ range: Range<Int>) {
        hash(to: range.lowerBound)
        hashed = range.upperBound
    }

    /// Makes the outline differ from that of every text that is in order.
    mutating func markAsBroken() { hasher.combine(.missing) }

    /// Hashes a tag without the values of its slots, and without what a rewrite may add or remove:
    /// controls, and the size of an image.
    private mutating func hash(
        _ view: HTMLTagView, isImage: Bool, isPreload: Bool,
        _ contents: [(attribute: HTMLAttribute, content: HTMLValue)]
    ) {
        guard hashesText else { return }
        endRun(at: view.tag.name.upperBound)
        var next = 0
        for attribute in tokenizer.attributes {
            if next < contents.count, contents[next].attribute.value == attribute.value {
                let isAddable =
                    isImage && isDescribed && view.isNamed("srcset", attribute)
                    || isPreload && view.isNamed("imagesrcset", attribute)
                if !contents[next].content.isControl && !isAddable { combine(attribute.name) }
                next += 1
            } else if isPreload && view.isNamed("imagesizes", attribute) {
                continue
            } else if !isImage || view.addable(attribute, isDescribed: isDescribed) == nil {
                combine(attribute.name)
                combine(attribute.value)
            }
        }
        endBlock(at: view.tag.range.upperBound - (view.tag.isSelfClosing ? 2 : 1))
    }

    private mutating func combine(_ range: Range<Int>) {
        hasher.combine(range.count)
        hasher.combine(bytes[range])
    }
}
