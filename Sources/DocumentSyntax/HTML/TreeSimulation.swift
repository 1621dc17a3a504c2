/// What tree construction (13.2.6) tells the tokenizer and the rules, without a tree.
///
/// The open elements decide how the tokenizer reads on, which tags become elements and which element
/// is their parent. There are no insertion modes: what an element may contain follows from the open
/// elements. Where that is not enough, or where browsers differ, the document is refused: for a
/// `<frameset>` that may replace a body, for a `<col>` directly in a `<template>`, and for raw text in
/// a `<select>`, which older browsers read as tags. Elements that belong before a table count as if
/// they were in it.
package struct TreeSimulation {
    /// Where a start tag has put its element.
    package struct Placement {
        package var name: HTMLName
        package var space: OpenElements.Space
        package var isInPicture: Bool
        /// The number of what is inside the parent; -1 if it has none.
        package var mark: Int
        /// Whether the element is open now.
        package var isOpen: Bool
        /// Whether the tag repeats `<html>` or `<body>`, and only adds attributes to it.
        package var isRepeated = false
    }

    /// A reason to refuse the document, as text that follows "the document has".
    package enum Excess: String {
        case depth = "elements nested too deeply"
        case formatting = "too many unclosed formatting elements"
        case ambiguous = "a tag that browsers read in different ways"
    }

    /// The most elements that may be open, so that each search among them takes bounded time.
    ///
    /// Browsers stop at 512.
    package static let deepest = 390

    package let bytes: UnsafeBytes
    package var open: OpenElements
    /// The number of the open form; nil if there is none.
    package var form: Int?
    private var hasHead = false
    /// Whether framesets take the place of the body.
    private var hasFrameset = false
    /// The raw text element that the last start tag has opened.
    package private(set) var rawText: HTMLName?
    /// Whether the text and the end tag of a raw text element follow.
    private var isInRawText = false
    package var excess: Excess?

    package init(_ bytes: UnsafeBytes) {
        self.bytes = bytes
        open = OpenElements(bytes)
    }

    /// Whether the innermost element is of SVG or MathML.
    // Inlined, because a call would copy the open elements.
    @inlinable @inline(__always)
    package var isInForeignContent: Bool { open.last.map { $0.space != .html } == true }

    /// Gives a number to what is inside the innermost element; -1 for none.
    package mutating func setMark(_ index: Int) { open[open.count - 1].mark = index }

    /// Sets the kind of the text in the innermost element.
    package mutating func setContent(_ content: OpenElements.Content) {
        open[open.count - 1].content = content
    }

    /// Reads a start tag.
    ///
    /// - Returns: Where its element is; nil if the tag is dropped.
    package mutating func start(_ tag: HTMLTag) -> Placement? {
        rawText = nil
        if let last = open.last, last.space != .html, isForeign(tag, in: last) {
            if !isBreakout(tag) { return startForeign(tag, in: last.space) }
            closeForeign()
        }
        let placement =
            hasFrameset
            ? startInFrameset(tag) : isBeforeBody ? startBeforeBody(tag) : startInBody(tag)
        isInRawText = rawText != nil
        return placement
    }

    package mutating func end(_ tag: HTMLTag) {
        if isInRawText {
            isInRawText = false
            return open.pop()
        }
        if isInForeignContent, endForeign(tag) { return }
        if hasFrameset {
            if tag.element == .frameset, open.count > 1 { open.pop() }
        } else if isBeforeBody {
            endBeforeBody(tag)
        } else {
            endInBody(tag)
        }
    }

    package mutating func text(_ range: Range<Int>) {
        if isInRawText || hasFrameset { return }
        if isBeforeBody {
            if !bytes[range].allSatisfy({ $0.isHTMLSpace || $0 == 0 }) { openBody() }
        } else if let last = open.last, last.space == .html || last.isIntegrationPoint {
            reopenFormatting()
        }
    }

    /// Opens an element whose start tag the document leaves out.
    package mutating func push(_ name: HTMLName) {
        open.push(name)
        checkDepth()
    }

    @inline(__always)
    private mutating func checkDepth() {
        if open.count > Self.deepest, excess == nil { excess = .depth }
    }

    /// Inserts the element of a tag, and opens it unless it is void.
    package mutating func insert(
        _ tag: HTMLTag, as name: HTMLName? = nil, space: OpenElements.Space = .html,
        isVoid: Bool = false
    ) -> Placement {
        let parent = open.last
        let mark = parent?.mark ?? -1
        if !isVoid {
            open.push(name ?? tag.element, tag, space: space, mark: mark)
            checkDepth()
        }
        return Placement(
            name: name ?? tag.element, space: space, isInPicture: parent?.name == .picture,
            mark: mark, isOpen: !isVoid)
    }

    /// Inserts an element whose content is raw text.
    package mutating func insertRawText(_ tag: HTMLTag) -> Placement {
        if tag.element != .script, tag.element != .textarea, open.contains(.select) {
            excess = excess ?? .ambiguous
        }
        rawText = tag.element
        return insert(tag)
    }

    /// Reads `<html>` or `<body>` again, which adds attributes to the first one.
    package func repeated(_ tag: HTMLTag) -> Placement {
        Placement(
            name: tag.element, space: .html, isInPicture: false, mark: -1, isOpen: false,
            isRepeated: true)
    }

    package mutating func reopenFormatting() {
        if !open.reopenFormatting(), excess == nil { excess = .formatting }
    }
}

// Before the body, and framesets (13.2.6.4.2–6, 20–23).
extension TreeSimulation {
    private var isBeforeBody: Bool {
        switch open.count {
        case 0, 1: true
        case 2: open[1].isHTML(.head)
        case 3: open[2].isHTML(.noscript) && open[1].isHTML(.head)
        default: false
        }
    }

    private mutating func startBeforeBody(_ tag: HTMLTag) -> Placement? {
        let name = tag.element
        if open.isEmpty {
            if name == .html { return insert(tag) }
            push(.html)
        }
        if name == .html { return repeated(tag) }
        if !hasHead {
            hasHead = true
            if name == .head { return insert(tag) }
            push(.head)
        }
        if name == .head { return nil }
        if open.isLast(.noscript) {
            if Self.noscriptContent.contains(name) { return startHeadContent(tag) }
            if name == .noscript { return nil }
            open.pop()
        }
        if name.isHeadContent { return startHeadContent(tag) }
        if name == .noscript, open.isLast(.head) { return insert(tag) }
        open.close(from: 1)
        hasFrameset = name == .frameset
        if name == .body || hasFrameset { return insert(tag) }
        push(.body)
        return startInBody(tag)
    }

    private mutating func endBeforeBody(_ tag: HTMLTag) {
        switch tag.element {
        case .head:
            if open.isEmpty { push(.html) }
            hasHead = true
            if open.isLast(.head) { open.pop() }
        case .noscript: if open.isLast(.noscript) { open.pop() }
        case .body, .html, .br: if !open.isLast(.noscript) || tag.element == .br { openBody() }
        default: break
        }
    }

    private mutating func openBody() {
        if open.isEmpty { push(.html) }
        hasHead = true
        open.close(from: 1)
        push(.body)
    }

    /// Reads a start tag of ``HTMLName/isHeadContent``.
    package mutating func startHeadContent(_ tag: HTMLTag) -> Placement {
        switch tag.element {
        case .script, .style, .title, .noframes: insertRawText(tag)
        case let name: insert(tag, isVoid: name != .template)
        }
    }

    private mutating func startInFrameset(_ tag: HTMLTag) -> Placement? {
        switch tag.element {
        case .html: repeated(tag)
        case .frameset where open.isLast(.frameset): insert(tag)
        case .frame where open.isLast(.frameset): insert(tag, isVoid: true)
        case .noframes: insertRawText(tag)
        default: nil
        }
    }

    private static let noscriptContent = HTMLName.Group(
        "basefont bgsound link meta noframes style")
}

// SVG and MathML (13.2.6.5).
extension TreeSimulation {
    /// Whether a start tag in an element of SVG or MathML belongs to these languages.
    private func isForeign(_ tag: HTMLTag, in parent: OpenElements.Element) -> Bool {
        if parent.isMathTextBoundary {
            return tag.element == .mglyph || tag.element == .malignmark
        }
        if parent.space == .math, parent.name == .annotationXML, tag.element == .svg {
            return false
        }
        return !parent.isIntegrationPoint
    }

    /// Whether a start tag ends the foreign content that it stands in.
    private func isBreakout(_ tag: HTMLTag) -> Bool {
        Self.breakouts.contains(tag.element)
            || tag.element == .font
                && ["color", "face", "size"].contains { value(of: $0, in: tag) != nil }
    }

    private mutating func startForeign(
        _ tag: HTMLTag, in space: OpenElements.Space
    ) -> Placement {
        let placement = insert(tag, space: space, isVoid: tag.isSelfClosing)
        if tag.element == .annotationXML, space == .math, !tag.isSelfClosing {
            let encoding = value(of: "encoding", in: tag)?.map(\.lowercased)
            open[open.count - 1].holdsHTML =
                encoding == Array("text/html".utf8)
                || encoding == Array("application/xhtml+xml".utf8)
        }
        return placement
    }

    /// - Returns: false if the tag is to be read as HTML.
    private mutating func endForeign(_ tag: HTMLTag) -> Bool {
        if tag.element == .br || tag.element == .p {
            closeForeign()
            return false
        }
        for index in open.indices.reversed() {
            if open[index].space == .html { return false }
            guard open.hasName(open[index], of: tag) else { continue }
            open.close(from: index)
            return true
        }
        return true
    }

    /// Closes elements up to one whose content is HTML.
    private mutating func closeForeign() {
        while let last = open.last, last.space != .html, !last.isIntegrationPoint { open.pop() }
    }

    /// The value of the first attribute with this name.
    package func value(of name: StaticString, in tag: HTMLTag) -> [UInt8]? {
        var index = tag.name.upperBound
        while let attribute = HTMLTokenizer.attribute(in: bytes, from: &index) {
            guard attribute.name.count == name.utf8CodeUnitCount,
                bytes.matches(name, at: attribute.name.lowerBound)
            else { continue }
            return DecodedText(UnsafeBytes(rebasing: bytes[attribute.value])).bytes
        }
        return nil
    }

    /// The same as text.
    package func text(of name: StaticString, in tag: HTMLTag) -> String? {
        value(of: name, in: tag).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let breakouts = HTMLName.Group(
        """
        b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img
        li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul
        var
        """)
}
