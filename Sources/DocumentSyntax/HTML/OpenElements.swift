/// The stack of open elements of the HTML standard (13.2.4.2), and the formatting elements that are
/// opened again in what follows (13.2.4.3).
package struct OpenElements {
    /// The language of an element.
    package enum Space: UInt8, Sendable {
        case html, math, svg
    }

    package struct Element {
        package var name: HTMLName
        package var space: Space
        /// The place of the name in its tag; empty if the document leaves the tag out.
        package let nameRange: Range<Int>
        fileprivate let tagEnd: Int
        /// A number that copies of a formatting element share with it.
        package var id: Int
        /// A number that the caller gives to what is inside; -1 if it gives none.
        package var mark: Int
        /// Whether this is a formatting element that is not opened again.
        fileprivate var isDropped = false
        /// Whether this is an `<annotation-xml>` with HTML.
        package var holdsHTML = false
        /// The kind of the text in the element.
        package var content = Content.other

        package func isHTML(_ name: HTMLName) -> Bool { self.name == name && space == .html }
    }

    /// The kind of the text in an element.
    package enum Content: UInt8, Sendable {
        case other, style, script, jsonLD
        /// A program, and JSON, that are read.
        case program, json
    }

    /// The elements outside of which a search does not look (13.2.4.2).
    package enum Scope { case ordinary, list, button, table }

    private static let mostCopiedBytes = 64 << 20

    private let bytes: UnsafeBytes
    @usableFromInline var elements: [Element] = []
    /// The number of open paragraphs.
    private var paragraphs = 0
    private var lastID = 0
    /// The formatting elements that others have closed, in the order of their tags.
    private var unclosed: [Element] = []
    private var copiedBytes = 0
    /// Whether the tree depends on which formatting elements with one name have the same attributes.
    package private(set) var comparesTags = false

    package init(_ bytes: UnsafeBytes) {
        self.bytes = bytes
        // A larger array takes longer to allocate than all else for a short text.
        elements.reserveCapacity(40)
    }

    package var isEmpty: Bool { elements.isEmpty }
    package var count: Int { elements.count }
    package var indices: Range<Int> { elements.indices }
    @inlinable package var last: Element? { elements.last }

    package subscript(index: Int) -> Element {
        get { elements[index] }
        set { elements[index] = newValue }
    }

    package func isLast(_ name: HTMLName) -> Bool { elements.last?.isHTML(name) == true }

    package func contains(_ name: HTMLName) -> Bool { elements.contains { $0.isHTML(name) } }

    /// The name of the innermost element of `group`.
    package func innermost(of group: HTMLName.Group) -> HTMLName? {
        elements.last { $0.space == .html && group.contains($0.name) }?.name
    }

    /// Whether the element has the name of the tag.
    package func hasName(_ element: Element, of tag: HTMLTag) -> Bool {
        guard element.name == tag.element else { return false }
        if element.name != .other { return true }
        guard element.nameRange.count == tag.name.count else { return false }
        return zip(bytes[element.nameRange], bytes[tag.name]).allSatisfy {
            $0.lowercased == $1.lowercased
        }
    }

    package func has(_ name: HTMLName, in scope: Scope = .ordinary) -> Bool {
        if name == .p, paragraphs == 0 { return false }
        return has(in: scope) { $0 == name }
    }

    package func has(in scope: Scope = .ordinary, where isWanted: (HTMLName) -> Bool) -> Bool {
        for element in elements.reversed() {
            if element.space == .html, isWanted(element.name) { return true }
            if scope.ends(at: element) { return false }
        }
        return false
    }

    /// Opens an element with the name of a tag, or one that the document leaves out.
    package mutating func push(
        _ name: HTMLName, _ tag: HTMLTag? = nil, space: Space = .html, mark: Int = -1
    ) {
        if name == .p { paragraphs += 1 }
        lastID += 1
        elements.append(
            Element(
                name: name, space: space, nameRange: tag?.name ?? 0..<0,
                tagEnd: tag?.range.upperBound ?? 0, id: lastID, mark: mark))
    }

    package mutating func pop() {
        let element = elements.removeLast()
        if element.name == .p { paragraphs -= 1 }
        if element.space != .html { return }
        if element.name.isFormatting { keep(element) }
        if element.name.endsFormatting { unclosed.removeAll { $0.id > element.id } }
    }

    /// Closes the elements from `index` on.
    package mutating func close(from index: Int) {
        while elements.count > index { pop() }
    }

    /// Closes all elements up to the innermost one with this name.
    package mutating func close(through name: HTMLName) {
        while let last, !last.isHTML(name) { pop() }
        if !elements.isEmpty { pop() }
    }

    /// Closes elements until the innermost is one of `group`.
    package mutating func close(to group: HTMLName.Group) {
        while elements.count > 1, let last, last.space != .html || !group.contains(last.name) {
            pop()
        }
    }

    /// Closes elements whose end tags may be left out, except those named `exception`.
    package mutating func closeImplied(except exception: HTMLName? = nil) {
        while let last, last.space == .html, last.name != exception, last.name.isImplied { pop() }
    }

    /// Closes the open paragraph, if there is one.
    package mutating func closeParagraph() {
        if has(.p, in: .button) { close(through: .p) }
    }

    /// Closes an element, and leaves those inside it open.
    package mutating func close(only id: Int) {
        let index = elements.lastIndex { $0.id == id }
        guard let index, !elements[(index + 1)...].contains(where: Scope.ordinary.ends) else {
            return
        }
        elements.remove(at: index)
    }
}

// Formatting elements (13.2.4.3).
extension OpenElements {
    /// The number of the innermost element that formatting elements outside are not opened again in.
    private var border: Int {
        elements.last { $0.space == .html && $0.name.endsFormatting }?.id ?? 0
    }

    /// Keeps a formatting element that another one closes.
    private mutating func keep(_ element: Element) {
        if element.isDropped { return }
        let place = unclosed.firstIndex { $0.id > element.id } ?? unclosed.count
        unclosed.insert(element, at: place)
    }

    /// Drops the earliest of four equal formatting elements, before that of a tag is opened.
    package mutating func dropEqual(to tag: HTMLTag) {
        let named = elements.count { $0.name == tag.element }
        if named + unclosed.count < 3 { return }
        let border = border
        let known = [unclosed, elements].joined().filter {
            $0.id > border && $0.name == tag.element && !$0.isDropped
        }
        if known.count >= 3 { comparesTags = true }
        let equal = known.filter { isSame($0, as: tag) }
        guard equal.count >= 3, let first = equal.map(\.id).min() else { return }
        unclosed.removeAll { $0.id == first }
        let open = elements.lastIndex { $0.id == first }
        if let open { elements[open].isDropped = true }
    }

    private func isSame(_ element: Element, as tag: HTMLTag) -> Bool {
        bytes[element.nameRange.lowerBound..<element.tagEnd]
            .elementsEqual(bytes[tag.name.lowerBound..<tag.range.upperBound])
    }

    /// Opens the formatting elements again that others have closed.
    ///
    /// - Returns: false if they are too many, or so long that a page would consist of their copies.
    @inline(__always)
    package mutating func reopenFormatting() -> Bool { unclosed.isEmpty || reopenUnclosed() }

    private mutating func reopenUnclosed() -> Bool {
        let border = border
        guard let first = unclosed.firstIndex(where: { $0.id > border }) else { return true }
        for var element in unclosed[first...] {
            element.mark = -1
            elements.append(element)
            copiedBytes += element.tagEnd - element.nameRange.lowerBound
        }
        unclosed.removeSubrange(first...)
        return elements.count < TreeSimulation.deepest
            && copiedBytes <= Self.mostCopiedBytes + 8 * bytes.count
    }

    /// Closes a formatting element; special elements inside it stay open, as after the adoption
    /// agency algorithm (13.2.6.4.7).
    ///
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - isForced: Whether it is also closed across the elements that an end tag does not cross.
    /// - Returns: false if no such element is open.
    @discardableResult
    package mutating func closeFormatting(_ name: HTMLName, isForced: Bool = false) -> Bool {
        if unclosed.isEmpty, isLast(name) {
            elements.removeLast()
            return true
        }
        let open = elements.lastIndex { $0.isHTML(name) }
        if open == nil, unclosed.isEmpty { return false }
        let border = border
        let index = open.flatMap { elements[$0].id > border ? $0 : nil }
        if let last = unclosed.lastIndex(where: { $0.name == name && $0.id > border }),
            index.map({ elements[$0].id < unclosed[last].id }) != false
        {
            unclosed.remove(at: last)
            return true
        }
        guard let index else { return false }
        let inner = elements[(index + 1)...]
        if inner.contains(where: Scope.ordinary.ends) {
            if isForced { elements.remove(at: index) }
            return true
        }
        close(from: 1 + (inner.lastIndex(where: \.isSpecial) ?? index))
        let rest = elements[(index + 1)...].filter { $0.isSpecial || $0.name.isFormatting }
        elements.replaceSubrange(index..., with: rest)
        return true
    }
}

extension OpenElements.Element {
    /// Whether the element is special (13.2.4.2), so that few end tags close it from inside.
    package var isSpecial: Bool {
        switch space {
        case .html: name.isSpecial
        case .math: Self.mathBoundaries.contains(name)
        case .svg: Self.svgBoundaries.contains(name)
        }
    }

    /// Whether start tags and text in this element of SVG or MathML are HTML.
    package var isIntegrationPoint: Bool {
        holdsHTML || isMathTextBoundary || space == .svg && Self.svgBoundaries.contains(name)
    }

    /// Whether this is a MathML text integration point.
    package var isMathTextBoundary: Bool {
        space == .math && Self.mathBoundaries.contains(name) && name != .annotationXML
    }

    fileprivate static let mathBoundaries = HTMLName.Group("mi mo mn ms mtext annotation-xml")
    fileprivate static let svgBoundaries = HTMLName.Group("foreignobject desc title")
    fileprivate static let htmlBoundaries = HTMLName.Group(
        "applet caption html table td th marquee object select template")
}

extension OpenElements.Scope {
    fileprivate func ends(at element: OpenElements.Element) -> Bool {
        typealias Element = OpenElements.Element
        switch (self, element.space) {
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
