/// The stack of open elements of the HTML standard (13.2.4.2).
struct OpenElements {
    /// The language of an element.
    enum Space: UInt8 { case html, math, svg }

    struct Element {
        var name: HTMLName
        var space: Space
        /// The start and the length of the name in the document, for names that are `other`.
        fileprivate var nameStart: Int32
        fileprivate var nameCount: Int32
        /// A number that copies of a formatting element share with it.
        var id: Int32
        /// The index of the control that applies to what is inside; -1 if there is none.
        var control: Int32
        /// Whether this is an `<annotation-xml>` with HTML.
        var holdsHTML = false
        /// How the text in the element names images.
        var content = Content.other

        func isHTML(_ name: HTMLName) -> Bool { self.name == name && space == .html }
    }

    /// The kind of the text in an element.
    enum Content: UInt8 { case other, style, script, jsonLD }

    /// The elements outside of which a search does not look (13.2.4.2).
    enum Scope { case ordinary, list, button, table, select }

    private let bytes: UnsafeBytes
    private var elements: [Element] = []
    /// The number of open paragraphs.
    private var paragraphs = 0
    private var lastID: Int32 = 0

    init(_ bytes: UnsafeBytes) {
        self.bytes = bytes
        // A larger array takes longer to allocate than all else for a short text.
        elements.reserveCapacity(40)
    }

    var count: Int { elements.count }
    var indices: Range<Int> { elements.indices }
    var last: Element? { elements.last }

    subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }

    /// The place of an element's name in its tag; empty if the document leaves the tag out.
    func nameRange(of element: Element) -> Range<Int> {
        Int(element.nameStart)..<Int(element.nameStart) + Int(element.nameCount)
    }

    func isLast(_ name: HTMLName) -> Bool { elements.last?.isHTML(name) == true }

    func isLast(in group: HTMLName.Group) -> Bool {
        elements.last.map { $0.space == .html && group.contains($0.name) } == true
    }

    /// The parent of what is not allowed in a table and is inserted before it (13.2.6.1).
    var fosterParent: Element? {
        guard isLast(in: Self.tableParts) else { return last }
        let table = elements.lastIndex { $0.isHTML(.table) || $0.isHTML(.template) }
        guard let table else { return elements[0] }
        return elements[table].name == .template
            ? elements[table] : table > 0 ? elements[table - 1] : nil
    }

    /// Opens an element with the name of a tag, or one that the document leaves out.
    mutating func push(
        _ name: HTMLName, _ tag: HTMLTag? = nil, space: Space = .html, id: Int32? = nil,
        control: Int32 = -1
    ) {
        if name == .p { paragraphs += 1 }
        lastID += 1
        let place = tag?.name ?? 0..<0
        elements.append(
            Element(
                name: name, space: space, nameStart: Int32(truncatingIfNeeded: place.lowerBound),
                nameCount: Int32(truncatingIfNeeded: place.count), id: id ?? lastID,
                control: control))
    }

    mutating func pop() {
        if elements.removeLast().name == .p { paragraphs -= 1 }
    }

    /// Closes the elements from `index` on.
    mutating func close(from index: Int) {
        while elements.count > index { pop() }
    }

    /// Closes all elements up to the innermost one with this name.
    mutating func close(through name: HTMLName) {
        while let last, !last.isHTML(name) { pop() }
        if !elements.isEmpty { pop() }
    }

    /// Closes elements until the innermost is one of `group`.
    mutating func close(to group: HTMLName.Group) {
        while elements.count > 1, !isLast(in: group) { pop() }
    }

    /// Removes an element and leaves those inside it open; it must not be a paragraph.
    mutating func remove(at index: Int) { elements.remove(at: index) }

    mutating func insert(_ element: Element, at index: Int) {
        elements.insert(element, at: index)
    }

    func lastIndex(id: Int32) -> Int? { elements.lastIndex { $0.id == id } }

    func contains(_ name: HTMLName) -> Bool { elements.contains { $0.isHTML(name) } }

    /// Whether the element has the name of the tag.
    func hasName(_ element: Element, of tag: HTMLTag) -> Bool {
        guard element.name == tag.element else { return false }
        if element.name != .other { return true }
        guard Int(element.nameCount) == tag.name.count else { return false }
        let start = Int(element.nameStart)
        return zip(bytes[start..<start + tag.name.count], bytes[tag.name]).allSatisfy {
            $0.lowercased == $1.lowercased
        }
    }

    func has(_ name: HTMLName, in scope: Scope = .ordinary) -> Bool {
        if name == .p, paragraphs == 0 { return false }
        return has(in: scope) { $0 == name }
    }

    func has(in scope: Scope = .ordinary, where isWanted: (HTMLName) -> Bool) -> Bool {
        for element in elements.reversed() {
            if element.space == .html, isWanted(element.name) { return true }
            if scope.ends(at: element) { return false }
        }
        return false
    }

    func isInScope(_ index: Int) -> Bool {
        !elements[(index + 1)...].contains { Scope.ordinary.ends(at: $0) }
    }

    /// Closes elements whose end tags may be left out, except those named `exception`.
    mutating func closeImplied(except exception: HTMLName? = nil, thoroughly: Bool = false) {
        while let last, last.space == .html, last.name != exception,
            last.name.isImplied || thoroughly && Self.tableContent.contains(last.name)
        {
            pop()
        }
    }

    /// Closes the open paragraph, if there is one.
    mutating func closeParagraph() {
        guard has(.p, in: .button) else { return }
        closeImplied(except: .p)
        close(through: .p)
    }

    static let tableParts = HTMLName.Group("table tbody tfoot thead tr")
    private static let tableContent = HTMLName.Group(
        "caption colgroup tbody td tfoot th thead tr")
}

extension OpenElements.Element {
    /// Whether the element is special (13.2.4.2), so that few end tags close it from inside.
    var isSpecial: Bool {
        switch space {
        case .html: name.isSpecial
        case .math: Self.mathBoundaries.contains(name)
        case .svg: Self.svgBoundaries.contains(name)
        }
    }

    /// Whether start tags and text in this element of SVG or MathML are HTML.
    var isIntegrationPoint: Bool {
        holdsHTML || isMathTextBoundary || space == .svg && Self.svgBoundaries.contains(name)
    }

    /// Whether this is a MathML text integration point.
    var isMathTextBoundary: Bool {
        space == .math && Self.mathBoundaries.contains(name) && name != .annotationXML
    }

    fileprivate static let mathBoundaries = HTMLName.Group("mi mo mn ms mtext annotation-xml")
    fileprivate static let svgBoundaries = HTMLName.Group("foreignobject desc title")
    fileprivate static let htmlBoundaries = HTMLName.Group(
        "applet caption html table td th marquee object template")
}

extension OpenElements.Scope {
    fileprivate func ends(at element: OpenElements.Element) -> Bool {
        typealias Element = OpenElements.Element
        switch (self, element.space) {
        case (.select, _):
            return !(element.isHTML(.option) || element.isHTML(.optgroup))
        case (.table, .html):
            return element.name == .html || element.name == .table || element.name == .template
        case (.table, _): return false
        case (_, .math): return Element.mathBoundaries.contains(element.name)
        case (_, .svg): return Element.svgBoundaries.contains(element.name)
        case (.list, .html) where element.name == .ol || element.name == .ul: return true
        case (.button, .html) where element.name == .button: return true
        case (_, .html): return Element.htmlBoundaries.contains(element.name)
        }
    }
}
