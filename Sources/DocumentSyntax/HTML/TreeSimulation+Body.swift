// In the body (13.2.6.4.7).
extension TreeSimulation {
    package mutating func startInBody(_ tag: HTMLTag) -> Placement? {
        let name = tag.element
        if name.isBlock {
            open.closeParagraph()
            if name.isHeading, open.last?.space == .html, open.last?.name.isHeading == true {
                open.pop()
            }
            return insert(tag)
        }
        if name.isHeadContent { return startHeadContent(tag) }
        if name.isFormatting { return startFormatting(tag) }
        switch name {
        case .html: return open.contains(.template) ? nil : repeated(tag)
        case .body: return open[1].isHTML(.body) && !open.contains(.template) ? repeated(tag) : nil
        case .head, .frame: return nil
        case .frameset:
            excess = excess ?? .ambiguous
            return nil
        case .caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr:
            return startTablePart(tag)
        case .form: return startForm(tag)
        case .li, .dd, .dt: closeItem(before: name)
        case .table:
            if isBetweenTableParts { open.close(through: .table) }
            open.closeParagraph()
        case .rb, .rtc, .rp, .rt:
            if open.has(.ruby) {
                open.closeImplied(except: name == .rp || name == .rt ? .rtc : nil)
            }
        case .param, .source, .track: return insert(tag, isVoid: true)
        case .plaintext, .textarea, .xmp, .iframe, .noembed:
            if name == .plaintext || name == .xmp { open.closeParagraph() }
            if name == .xmp { reopenFormatting() }
            return insertRawText(tag)
        default: return startPhrase(tag)
        }
        return insert(tag)
    }

    /// Reads a start tag before which formatting elements are opened again.
    private mutating func startPhrase(_ tag: HTMLTag) -> Placement? {
        switch tag.element {
        case .hr:
            open.closeParagraph()
            if open.has(.select) { open.closeImplied() }
            return insert(tag, isVoid: true)
        case .select:
            if open.has(.select) {
                open.close(through: .select)
                return nil
            }
        case .input: if open.has(.select) { open.close(through: .select) }
        case .option, .optgroup:
            if open.has(.select) {
                open.closeImplied(except: tag.element == .option ? .optgroup : nil)
            } else if open.isLast(.option) {
                open.pop()
            }
        case .button: if open.has(.button) { open.close(through: .button) }
        default: break
        }
        reopenFormatting()
        switch tag.element {
        case .area, .br, .embed, .img, .input, .keygen, .wbr: return insert(tag, isVoid: true)
        case .image: return insert(tag, as: .img, isVoid: true)
        case .math, .svg:
            let space: OpenElements.Space = tag.element == .svg ? .svg : .math
            return insert(tag, space: space, isVoid: tag.isSelfClosing)
        default: return insert(tag)
        }
    }

    private mutating func startFormatting(_ tag: HTMLTag) -> Placement {
        if tag.element == .a { open.closeFormatting(.a, isForced: true) }
        reopenFormatting()
        if tag.element == .nobr, open.has(.nobr) {
            open.closeFormatting(.nobr)
            reopenFormatting()
        }
        open.dropEqual(to: tag)
        return insert(tag)
    }

    private mutating func startForm(_ tag: HTMLTag) -> Placement? {
        let isInTemplate = open.contains(.template)
        if form != nil, !isInTemplate { return nil }
        let isVoid = isBetweenTableParts
        if !isVoid { open.closeParagraph() }
        let placement = insert(tag, isVoid: isVoid)
        if !isInTemplate { form = isVoid ? -1 : open.last?.id }
        return placement
    }

    /// Closes the item before `<li>`, `<dd>` or `<dt>`.
    private mutating func closeItem(before name: HTMLName) {
        for index in open.indices.reversed() {
            let element = open[index]
            if name == .li ? element.isHTML(.li) : element.isHTML(.dd) || element.isHTML(.dt) {
                open.close(through: element.name)
                break
            }
            if element.isSpecial, !element.isHTML(.address), !element.isHTML(.div),
                !element.isHTML(.p)
            {
                break
            }
        }
        open.closeParagraph()
    }

    package mutating func endInBody(_ tag: HTMLTag) {
        let name = tag.element
        if name.isClosedBlock { return close(name, in: .ordinary) }
        if name.isFormatting {
            if !open.closeFormatting(name) { endOther(tag) }
            return
        }
        switch name {
        case .body, .html: break
        case .applet, .marquee, .object, .select, .dd, .dt: close(name, in: .ordinary)
        case .li: close(name, in: .list)
        case .p: open.closeParagraph()
        case .caption, .tbody, .td, .tfoot, .th, .thead, .tr, .table: close(name, in: .table)
        case .template:
            if open.contains(.template) { open.close(through: .template) }
        case .form where !open.contains(.template):
            guard let id = form else { return }
            form = nil
            open.closeImplied()
            open.close(only: id)
        case .form: close(.form, in: .ordinary)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            guard open.has(where: \.isHeading) else { break }
            while let last = open.last, !(last.space == .html && last.name.isHeading) { open.pop() }
            open.pop()
        default: endOther(tag)
        }
    }

    private mutating func close(_ name: HTMLName, in scope: OpenElements.Scope) {
        if open.has(name, in: scope) { open.close(through: name) }
    }

    /// Reads the end tag of an element without rules of its own.
    private mutating func endOther(_ tag: HTMLTag) {
        for index in open.indices.reversed() {
            if open[index].space == .html, open.hasName(open[index], of: tag) {
                return open.close(from: index)
            }
            if open[index].isSpecial { return }
        }
    }
}

// Tables (13.2.6.4.9–15).
extension TreeSimulation {
    /// Opens a part of a table, and the parts around it whose tags the document leaves out.
    private mutating func startTablePart(_ tag: HTMLTag) -> Placement? {
        let name = tag.element
        let outer = open.innermost(of: Self.parts)
        guard let outer, outer != .template || open.isLast(.template) else { return nil }
        if outer == .template, name == .col { excess = excess ?? .ambiguous }
        switch name {
        case .td, .th: open.close(to: Self.rowContext)
        case .tr: open.close(to: Self.bodyContext)
        case .col: open.close(to: Self.columnContext)
        default: open.close(to: Self.tables)
        }
        if name == .col, open.isLast(.table) { push(.colgroup) }
        if name == .td || name == .th || name == .tr, open.isLast(.table) { push(.tbody) }
        if name == .td || name == .th, !open.isLast(.tr), !open.isLast(.template) { push(.tr) }
        return insert(tag, isVoid: name == .col)
    }

    /// Whether the innermost part of a table is one that contains only other parts.
    private var isBetweenTableParts: Bool {
        switch open.innermost(of: Self.parts) {
        case .table, .colgroup, .tbody, .tfoot, .thead, .tr: true
        default: false
        }
    }

    private static let tables = HTMLName.Group("table template html")
    private static let columnContext = HTMLName.Group("colgroup table template html")
    private static let bodyContext = HTMLName.Group("tbody tfoot thead table template html")
    private static let rowContext = HTMLName.Group("tr tbody tfoot thead table template html")
    private static let parts = HTMLName.Group(
        "table caption colgroup tbody tfoot thead tr td th template")
}
