// In tables and in selects (13.2.6.4.9–17).
//
// A function returns false if the tag must be read again in the new insertion mode.
extension TreeConstruction {
    mutating func startInTable(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .caption: openPart(tag, in: .table, then: .inCaption)
        case .colgroup: openPart(tag, in: .table, then: .inColumnGroup)
        case .col: return openPart(leftOut: .colgroup, in: .table, then: .inColumnGroup)
        case .tbody, .tfoot, .thead: openPart(tag, in: .table, then: .inTableBody)
        case .td, .th, .tr: return openPart(leftOut: .tbody, in: .table, then: .inTableBody)
        case .table:
            guard open.has(.table, in: .table) else { break }
            open.close(through: .table)
            resetMode()
            return false
        case .style, .script, .template: return startInHead(tag)
        case .input where isHidden(tag): insert(tag, isVoid: true)
        case .form:
            guard form == nil, !open.contains(.template) else { break }
            insert(tag)
            form = open.last?.id
            open.pop()
        default: return fostering { $0.startInBody(tag) }
        }
        return true
    }

    mutating func endInTable(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .table:
            guard open.has(.table, in: .table) else { break }
            open.close(through: .table)
            resetMode()
        case .template: return endInHead(tag)
        case let name where Self.ignoredEnds.contains(name): break
        default: return fostering { $0.endInBody(tag) }
        }
        return true
    }

    /// Reads a tag that is not allowed in a table, so that its element comes before it.
    private mutating func fostering(_ read: (inout Self) -> Bool) -> Bool {
        isFostering = true
        let isDone = read(&self)
        isFostering = false
        return isDone
    }

    /// Where a part of a table belongs.
    private enum Context { case table, body, row }

    private mutating func close(to context: Context) {
        switch context {
        case .table: open.close(to: Self.tableContext)
        case .body: open.close(to: Self.bodyContext)
        case .row: open.close(to: Self.rowContext)
        }
    }

    private mutating func openPart(_ tag: HTMLTag, in context: Context, then mode: Mode) {
        close(to: context)
        insert(tag)
        if mode == .inCaption || mode == .inCell { formatting.addMarker() }
        self.mode = mode
    }

    private mutating func openPart(
        leftOut name: HTMLName, in context: Context, then mode: Mode
    ) -> Bool {
        close(to: context)
        push(name)
        self.mode = mode
        return false
    }

    /// Closes the innermost part of a table.
    private mutating func closePart(in context: Context, then mode: Mode) {
        close(to: context)
        open.pop()
        self.mode = mode
    }

    mutating func startInCaption(_ tag: HTMLTag) -> Bool {
        guard Self.parts.contains(tag.element) else { return startInBody(tag) }
        return !closeCaption()
    }

    mutating func endInCaption(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .caption:
            _ = closeCaption()
            return true
        case .table: return !closeCaption()
        case let name where Self.ignoredEnds.contains(name): return true
        default: return endInBody(tag)
        }
    }

    private mutating func closeCaption() -> Bool {
        guard open.has(.caption, in: .table) else { return false }
        open.closeImplied()
        open.close(through: .caption)
        formatting.clearToMarker()
        mode = .inTable
        return true
    }

    mutating func startInColumnGroup(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .html: return startInBody(tag)
        case .col: insert(tag, isVoid: true)
        case .template: return startInHead(tag)
        default:
            guard open.isLast(.colgroup) else { break }
            open.pop()
            mode = .inTable
            return false
        }
        return true
    }

    mutating func endInColumnGroup(_ tag: HTMLTag) -> Bool {
        if tag.element == .template { return endInHead(tag) }
        guard tag.element != .col, open.isLast(.colgroup) else { return true }
        open.pop()
        mode = .inTable
        return tag.element == .colgroup
    }

    mutating func startInTableBody(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .tr: openPart(tag, in: .body, then: .inRow)
        case .th, .td: return openPart(leftOut: .tr, in: .body, then: .inRow)
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead: return !closeTableBody()
        default: return startInTable(tag)
        }
        return true
    }

    mutating func endInTableBody(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .tbody, .tfoot, .thead:
            if open.has(tag.element, in: .table) { closePart(in: .body, then: .inTable) }
        case .table: return !closeTableBody()
        case let name where Self.ignoredEnds.contains(name): break
        default: return endInTable(tag)
        }
        return true
    }

    private mutating func closeTableBody() -> Bool {
        guard open.has(in: .table, where: { $0 == .tbody || $0 == .thead || $0 == .tfoot }) else {
            return false
        }
        closePart(in: .body, then: .inTable)
        return true
    }

    mutating func startInRow(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .th, .td: openPart(tag, in: .row, then: .inCell)
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead, .tr:
            guard open.has(.tr, in: .table) else { break }
            closePart(in: .row, then: .inTableBody)
            return false
        default: return startInTable(tag)
        }
        return true
    }

    mutating func endInRow(_ tag: HTMLTag) -> Bool {
        let name = tag.element
        switch name {
        case .tr, .table, .tbody, .tfoot, .thead:
            guard open.has(.tr, in: .table), name == .table || open.has(name, in: .table) else {
                break
            }
            closePart(in: .row, then: .inTableBody)
            return name == .tr
        case let name where Self.ignoredEnds.contains(name): break
        default: return endInTable(tag)
        }
        return true
    }

    mutating func startInCell(_ tag: HTMLTag) -> Bool {
        guard Self.parts.contains(tag.element) else { return startInBody(tag) }
        guard open.has(in: .table, where: { $0 == .td || $0 == .th }) else { return true }
        closeCell()
        return false
    }

    mutating func endInCell(_ tag: HTMLTag) -> Bool {
        let name = tag.element
        switch name {
        case .td, .th:
            guard open.has(name, in: .table) else { break }
            open.closeImplied()
            open.close(through: name)
            formatting.clearToMarker()
            mode = .inRow
        case .table, .tbody, .tfoot, .thead, .tr:
            guard open.has(name, in: .table) else { break }
            closeCell()
            return false
        case let name where Self.ignoredEnds.contains(name): break
        default: return endInBody(tag)
        }
        return true
    }

    private mutating func closeCell() {
        open.closeImplied()
        while let last = open.last, !last.isHTML(.td), !last.isHTML(.th) { open.pop() }
        open.pop()
        formatting.clearToMarker()
        mode = .inRow
    }

    mutating func startInSelect(_ tag: HTMLTag) -> Bool {
        let name = tag.element
        switch name {
        case .html: return startInBody(tag)
        case .option, .optgroup, .hr:
            if open.isLast(.option) { open.pop() }
            if name != .option, open.isLast(.optgroup) { open.pop() }
            insert(tag, isVoid: name == .hr)
        case .select: _ = closeSelect()
        case .input, .keygen, .textarea: return !closeSelect()
        case .script, .template: return startInHead(tag)
        case .caption, .table, .tbody, .tfoot, .thead, .tr, .td, .th:
            guard mode == .inSelectInTable else { break }
            return !closeSelect()
        default: break
        }
        return true
    }

    mutating func endInSelect(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .optgroup:
            if open.isLast(.option), open.count > 1, open[open.count - 2].isHTML(.optgroup) {
                open.pop()
            }
            if open.isLast(.optgroup) { open.pop() }
        case .option: if open.isLast(.option) { open.pop() }
        case .select: _ = closeSelect()
        case .template: return endInHead(tag)
        case .caption, .table, .tbody, .tfoot, .thead, .tr, .td, .th:
            guard mode == .inSelectInTable, open.has(tag.element, in: .table) else { break }
            return !closeSelect()
        default: break
        }
        return true
    }

    private mutating func closeSelect() -> Bool {
        guard open.has(.select, in: .select) else { return false }
        open.close(through: .select)
        resetMode()
        return true
    }

    private static let tableContext = HTMLName.Group("table template html")
    private static let bodyContext = HTMLName.Group("tbody tfoot thead template html")
    private static let rowContext = HTMLName.Group("tr template html")
    private static let parts = HTMLName.Group("caption col colgroup tbody td tfoot th thead tr")
    /// The end tags that a part of a table drops unless it is named so itself.
    private static let ignoredEnds = HTMLName.Group(
        "body caption col colgroup html tbody td tfoot th thead tr")
}
