/// The tree construction of the HTML standard (13.2.6) without the tree.
///
/// It keeps the open elements, which decide how the tokenizer reads on, which tags become elements
/// and which element is their parent. Nodes, quirks and errors have no effect on these three, apart
/// from one: in quirks mode a table does not close a paragraph. That only changes how many elements
/// are open.
struct TreeConstruction {
    /// The insertion mode (13.2.4.1).
    enum Mode {
        case beforeHTML, beforeHead, inHead, inHeadNoscript, afterHead, inBody, inTable, inCaption
        case inColumnGroup, inTableBody, inRow, inCell, inSelect, inSelectInTable, inTemplate
        case afterBody, inFrameset, afterFrameset, afterAfterBody, afterAfterFrameset
    }

    /// Where a start tag has put its element.
    struct Placement {
        var name: HTMLName
        var space: OpenElements.Space
        var isInPicture: Bool
        /// The index of the control that applies inside the parent; -1 if there is none.
        var control: Int32
        /// Whether the element is open now.
        var isOpen: Bool
        /// Whether the tag repeats `<html>` or `<body>`, and only adds attributes to it.
        var isRepeated = false
    }

    /// A limit that the document exceeds, as text that follows "the document has".
    enum Excess: String {
        case depth = "elements nested too deeply"
        case formatting = "too many unclosed formatting elements"
    }

    /// The most elements that may be open, so that each search among them takes bounded time.
    ///
    /// Browsers stop at 512.
    static let deepest = 390
    private static let mostCopiedBytes = 64 << 20
    /// The memory of an attribute in a browser besides its text, in bytes; a low estimate.
    private static let attributeSize = 32

    let bytes: UnsafeBytes
    var open: OpenElements
    var formatting: FormattingElements
    var mode = Mode.beforeHTML
    var templateModes: [Mode] = []
    /// Whether a `<frameset>` may still replace the body.
    var isFramesetAllowed = true
    /// The number of the open form; nil if there is none.
    var form: Int32?
    var hasHead = false
    /// Whether what is not allowed in a table is inserted before it.
    var isFostering = false
    var placement: Placement?
    /// The raw text element that the last start tag has opened.
    private(set) var rawText: HTMLName?
    /// Whether the text and the end tag of a raw text element follow.
    private var isInRawText = false
    private(set) var excess: Excess?
    private var copiedBytes = 0

    init(_ bytes: UnsafeBytes) {
        self.bytes = bytes
        open = OpenElements(bytes)
        formatting = FormattingElements(bytes)
    }

    /// Whether the innermost element is of SVG or MathML.
    // Inlined, because a call would copy all of tree construction.
    @inline(__always)
    var isInForeignContent: Bool { open.last.map { $0.space != .html } == true }

    /// Sets the control that applies inside the innermost element; -1 for none.
    mutating func setControl(_ index: Int) { open[open.count - 1].control = Int32(index) }

    /// Sets the kind of the text in the innermost element.
    mutating func setContent(_ content: OpenElements.Content) {
        open[open.count - 1].content = content
    }

    /// Reads a start tag.
    ///
    /// - Returns: Where its element is; nil if the tag is dropped.
    mutating func start(_ tag: HTMLTag) -> Placement? {
        placement = nil
        rawText = nil
        if let last = open.last, last.space != .html, isForeign(tag, in: last) {
            if startForeign(tag, in: last.space) { return placement }
        }
        while !startHTML(tag) {}
        isInRawText = rawText != nil
        return placement
    }

    mutating func end(_ tag: HTMLTag) {
        if isInRawText {
            isInRawText = false
            return open.pop()
        }
        if isInForeignContent, endForeign(tag) { return }
        while !endHTML(tag) {}
    }

    /// Reads text or a CDATA section.
    mutating func text(_ range: Range<Int>, isCDATA: Bool) {
        if isInRawText { return }
        if mode == .inBody, !isFramesetAllowed, formatting.isEmpty { return }
        let isBlank = isBlank(range, isCDATA: isCDATA)
        if let last = open.last, last.space != .html, !last.isIntegrationPoint {
            if !isBlank { isFramesetAllowed = false }
            return
        }
        while !textHTML(isBlank: isBlank) {}
    }

    // Inlined, because a call would copy all of tree construction.
    @inline(__always)
    private func isBlank(_ range: Range<Int>, isCDATA: Bool) -> Bool {
        // The standard drops NULs where this makes a difference.
        let first = bytes[range].firstIndex { !$0.isHTMLSpace && $0 != 0 }
        guard let first else { return true }
        guard bytes[first] == .ampersand, !isCDATA else { return false }
        let rest = UnsafeBytes(rebasing: bytes[first..<range.upperBound])
        return DecodedText(rest, isAttribute: false).bytes.allSatisfy(\.isHTMLSpace)
    }

    private mutating func startHTML(_ tag: HTMLTag) -> Bool {
        switch mode {
        case .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead: startBeforeBody(tag)
        case .inBody: startInBody(tag)
        case .inTable: startInTable(tag)
        case .inCaption: startInCaption(tag)
        case .inColumnGroup: startInColumnGroup(tag)
        case .inTableBody: startInTableBody(tag)
        case .inRow: startInRow(tag)
        case .inCell: startInCell(tag)
        case .inSelect, .inSelectInTable: startInSelect(tag)
        case .inTemplate: startInTemplate(tag)
        case .afterBody, .afterAfterBody: startAfterBody(tag)
        case .inFrameset, .afterFrameset, .afterAfterFrameset: startInFrameset(tag)
        }
    }

    private mutating func endHTML(_ tag: HTMLTag) -> Bool {
        switch mode {
        case .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead: endBeforeBody(tag)
        case .inBody: endInBody(tag)
        case .inTable: endInTable(tag)
        case .inCaption: endInCaption(tag)
        case .inColumnGroup: endInColumnGroup(tag)
        case .inTableBody: endInTableBody(tag)
        case .inRow: endInRow(tag)
        case .inCell: endInCell(tag)
        case .inSelect, .inSelectInTable: endInSelect(tag)
        case .inTemplate: tag.element == .template ? endInHead(tag) : true
        case .afterBody, .afterAfterBody: endAfterBody(tag)
        case .inFrameset, .afterFrameset, .afterAfterFrameset: endInFrameset(tag)
        }
    }

    private mutating func textHTML(isBlank: Bool) -> Bool {
        switch mode {
        case .beforeHTML, .beforeHead, .inHead, .inHeadNoscript, .afterHead:
            if isBlank { return true }
            leaveHead()
            return false
        case .inBody, .inCaption, .inCell, .inTemplate: textInBody(isBlank: isBlank)
        case .inTable, .inTableBody, .inRow:
            if isBlank, open.isLast(in: OpenElements.tableParts) { return true }
            isFostering = true
            textInBody(isBlank: isBlank)
            isFostering = false
        case .inColumnGroup:
            guard !isBlank, open.isLast(.colgroup) else { return true }
            open.pop()
            mode = .inTable
            return false
        case .afterBody, .afterAfterBody:
            if isBlank { break }
            mode = .inBody
            return false
        case .inSelect, .inSelectInTable, .inFrameset, .afterFrameset, .afterAfterFrameset: break
        }
        return true
    }

    private mutating func textInBody(isBlank: Bool) {
        reopenFormatting()
        if !isBlank { isFramesetAllowed = false }
    }
}

extension TreeConstruction {
    /// Inserts the element of a tag, and opens it unless it is void.
    mutating func insert(
        _ tag: HTMLTag, as name: HTMLName? = nil, space: OpenElements.Space = .html,
        isVoid: Bool = false
    ) {
        let parent = parent
        placement = Placement(
            name: name ?? tag.element, space: space,
            isInPicture: parent?.name == .picture, control: parent?.control ?? -1,
            isOpen: !isVoid)
        if isVoid { return }
        push(name ?? tag.element, tag, space: space, control: parent?.control ?? -1)
    }

    /// Opens an element whose start tag the document leaves out.
    mutating func push(
        _ name: HTMLName, _ tag: HTMLTag? = nil, space: OpenElements.Space = .html,
        control: Int32 = -1
    ) {
        open.push(name, tag, space: space, control: control)
        if open.count > Self.deepest, excess == nil { excess = .depth }
    }

    /// Inserts an element whose content is raw text.
    mutating func insertRawText(_ tag: HTMLTag) {
        insert(tag)
        rawText = tag.element
    }

    /// The parent of an element that is inserted now.
    private var parent: OpenElements.Element? {
        @inline(__always) get { isFostering ? open.fosterParent : open.last }
    }

    /// Opens the formatting elements again that an element around them has closed.
    mutating func reopenFormatting() {
        guard !formatting.isEmpty else { return }
        var index = formatting.entries.count
        while index > 0, let id = formatting[index - 1].id, open.lastIndex(id: id) == nil {
            index -= 1
        }
        if index == formatting.entries.count { return }
        while index < formatting.entries.count {
            let entry = formatting[index]
            open.push(entry.name, nil, id: entry.id)
            copiedBytes += entry.tag.count + attributeCount(entry.tag) * Self.attributeSize
            index += 1
        }
        if excess == nil,
            open.count >= Self.deepest
                || copiedBytes > Self.mostCopiedBytes + 8 * bytes.count
        {
            excess = .formatting
        }
    }

    private func attributeCount(_ tag: Range<Int>) -> Int {
        // The name of the tag is read as an attribute.
        var index = tag.lowerBound + 1
        var count = -1
        while HTMLTokenizer.attribute(in: bytes, from: &index) != nil { count += 1 }
        return count
    }

    /// Reads `<html>` or `<body>` again, which adds attributes to the first one.
    mutating func repeatTag(_ tag: HTMLTag) {
        placement = Placement(
            name: tag.element, space: .html, isInPicture: false, control: -1, isOpen: false,
            isRepeated: true)
    }
}

// SVG and MathML (13.2.6.5).
extension TreeConstruction {
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

    /// - Returns: false if the tag ends the foreign content and is HTML.
    private mutating func startForeign(_ tag: HTMLTag, in space: OpenElements.Space) -> Bool {
        if Self.breakouts.contains(tag.element)
            || tag.element == .font && has(["color", "face", "size"], in: tag)
        {
            closeForeign()
            return false
        }
        insert(tag, space: space, isVoid: tag.isSelfClosing)
        if tag.element == .annotationXML, space == .math, !tag.isSelfClosing,
            isHTMLAnnotation(tag)
        {
            open[open.count - 1].holdsHTML = true
        }
        return true
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

    /// Inserts `<svg>` or `<math>`.
    mutating func insertForeign(_ tag: HTMLTag, _ space: OpenElements.Space) {
        insert(tag, space: space, isVoid: tag.isSelfClosing)
    }

    func has(_ names: [StaticString], in tag: HTMLTag) -> Bool {
        names.contains { value(of: $0, in: tag) != nil }
    }

    /// The value of the first attribute with this name.
    func value(of name: StaticString, in tag: HTMLTag) -> [UInt8]? {
        var index = tag.name.upperBound
        while let attribute = HTMLTokenizer.attribute(in: bytes, from: &index) {
            guard attribute.name.count == name.utf8CodeUnitCount,
                bytes.matches(name, at: attribute.name.lowerBound)
            else { continue }
            return DecodedText(UnsafeBytes(rebasing: bytes[attribute.value])).bytes
        }
        return nil
    }

    private func isHTMLAnnotation(_ tag: HTMLTag) -> Bool {
        let encoding = value(of: "encoding", in: tag)?.map(\.lowercased)
        return encoding == Array("text/html".utf8)
            || encoding == Array("application/xhtml+xml".utf8)
    }

    private static let breakouts = HTMLName.Group(
        """
        b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img
        li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul
        var
        """)
}
