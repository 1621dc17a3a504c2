// In the body (13.2.6.4.7).
//
// A function returns false if the tag must be read again in the new insertion mode.
extension TreeConstruction {
    mutating func startInBody(_ tag: HTMLTag) -> Bool {
        let name = tag.element
        if name.isBlock {
            open.closeParagraph()
            if name.isHeading, open.last?.space == .html, open.last?.name.isHeading == true {
                open.pop()
            }
            insert(tag)
            if name == .pre || name == .listing { isFramesetAllowed = false }
            return true
        }
        if name.isHeadContent { return startInHead(tag) }
        if name.isFormatting {
            startFormatting(tag)
            return true
        }
        switch name {
        case .html: if !open.contains(.template) { repeatTag(tag) }
        case .body:
            guard open.count > 1, open[1].isHTML(.body), !open.contains(.template) else { break }
            isFramesetAllowed = false
            repeatTag(tag)
        case .frameset:
            guard isFramesetAllowed, open.count > 1, open[1].isHTML(.body) else { break }
            open.close(from: 1)
            insert(tag)
            mode = .inFrameset
        case .caption, .col, .colgroup, .frame, .head, .tbody, .td, .tfoot, .th, .thead, .tr: break
        case .form: startForm(tag)
        case .li, .dd, .dt: startItem(tag)
        case .button: startButton(tag)
        case .table:
            open.closeParagraph()
            insert(tag)
            (mode, isFramesetAllowed) = (.inTable, false)
        case .select: startSelect(tag)
        case .option, .optgroup:
            if open.isLast(.option) { open.pop() }
            reopenFormatting()
            insert(tag)
        case .rb, .rtc, .rp, .rt:
            if open.has(.ruby) {
                open.closeImplied(except: name == .rp || name == .rt ? .rtc : nil)
            }
            insert(tag)
        case .math, .svg:
            reopenFormatting()
            insertForeign(tag, name == .svg ? .svg : .math)
        case .plaintext, .textarea, .xmp, .iframe, .noembed: startRawText(tag)
        default: startOther(tag)
        }
        return true
    }

    private mutating func startOther(_ tag: HTMLTag) {
        switch tag.element {
        case .area, .br, .embed, .img, .keygen, .wbr, .image:
            reopenFormatting()
            insert(tag, as: tag.element == .image ? .img : nil, isVoid: true)
            isFramesetAllowed = false
        case .input:
            reopenFormatting()
            insert(tag, isVoid: true)
            if !isHidden(tag) { isFramesetAllowed = false }
        case .param, .source, .track: insert(tag, isVoid: true)
        case .hr:
            open.closeParagraph()
            insert(tag, isVoid: true)
            isFramesetAllowed = false
        case .applet, .marquee, .object:
            reopenFormatting()
            insert(tag)
            formatting.addMarker()
            isFramesetAllowed = false
        default:
            reopenFormatting()
            insert(tag)
        }
    }

    func isHidden(_ input: HTMLTag) -> Bool {
        value(of: "type", in: input)?.map(\.lowercased) == Array("hidden".utf8)
    }

    private mutating func startRawText(_ tag: HTMLTag) {
        if tag.element == .plaintext || tag.element == .xmp { open.closeParagraph() }
        if tag.element == .xmp { reopenFormatting() }
        if tag.element != .plaintext, tag.element != .noembed { isFramesetAllowed = false }
        insertRawText(tag)
    }

    private mutating func startForm(_ tag: HTMLTag) {
        let isInTemplate = open.contains(.template)
        if form != nil, !isInTemplate { return }
        open.closeParagraph()
        insert(tag)
        if !isInTemplate { form = open.last?.id }
    }

    /// Reads `<li>`, `<dd>` or `<dt>`, which closes the item before it.
    private mutating func startItem(_ tag: HTMLTag) {
        isFramesetAllowed = false
        for index in open.indices.reversed() {
            let element = open[index]
            let isItem =
                tag.element == .li
                ? element.isHTML(.li) : element.isHTML(.dd) || element.isHTML(.dt)
            if isItem {
                open.closeImplied(except: element.name)
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
        insert(tag)
    }

    private mutating func startButton(_ tag: HTMLTag) {
        if open.has(.button) {
            open.closeImplied()
            open.close(through: .button)
        }
        reopenFormatting()
        insert(tag)
        isFramesetAllowed = false
    }

    private mutating func startSelect(_ tag: HTMLTag) {
        reopenFormatting()
        insert(tag)
        isFramesetAllowed = false
        switch mode {
        case .inTable, .inCaption, .inTableBody, .inRow, .inCell: mode = .inSelectInTable
        default: mode = .inSelect
        }
    }

    private mutating func startFormatting(_ tag: HTMLTag) {
        if tag.element == .a, let index = formatting.lastIndex(of: .a) {
            let id = formatting[index].id
            adopt(tag)
            if let id, let index = formatting.lastIndex(id: id) { formatting.remove(at: index) }
            if let id, let index = open.lastIndex(id: id) { open.remove(at: index) }
        }
        reopenFormatting()
        if tag.element == .nobr, open.has(.nobr) {
            adopt(tag)
            reopenFormatting()
        }
        insert(tag)
        formatting.add(tag, id: open[open.count - 1].id)
    }
}

extension TreeConstruction {
    mutating func endInBody(_ tag: HTMLTag) -> Bool {
        let name = tag.element
        if name.isClosedBlock {
            if open.has(name) {
                open.closeImplied()
                open.close(through: name)
            }
            return true
        }
        if name.isFormatting {
            adopt(tag)
            return true
        }
        switch name {
        case .template: return endInHead(tag)
        case .body, .html:
            guard open.has(.body) else { break }
            mode = .afterBody
            return name == .body
        case .form: endForm()
        case .p:
            if !open.has(.p, in: .button) { push(.p) }
            open.closeParagraph()
        case .li, .dd, .dt:
            guard open.has(name, in: name == .li ? .list : .ordinary) else { break }
            open.closeImplied(except: name)
            open.close(through: name)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            guard open.has(where: \.isHeading) else { break }
            open.closeImplied()
            while let last = open.last, !(last.space == .html && last.name.isHeading) { open.pop() }
            open.pop()
        case .applet, .marquee, .object:
            guard open.has(name) else { break }
            open.closeImplied()
            open.close(through: name)
            formatting.clearToMarker()
        case .br:
            reopenFormatting()
            isFramesetAllowed = false
        default: endOther(tag)
        }
        return true
    }

    private mutating func endForm() {
        if open.contains(.template) {
            guard open.has(.form) else { return }
            open.closeImplied()
            return open.close(through: .form)
        }
        guard let id = form else { return }
        form = nil
        guard let index = open.lastIndex(id: id), open.isInScope(index) else { return }
        open.closeImplied()
        open.remove(at: index)
    }

    /// Reads the end tag of an element without rules of its own.
    private mutating func endOther(_ tag: HTMLTag) {
        for index in open.indices.reversed() {
            if open[index].space == .html, open.hasName(open[index], of: tag) {
                open.closeImplied(except: tag.element == .other ? nil : tag.element)
                return open.close(from: index)
            }
            if open[index].isSpecial { return }
        }
    }

    /// Runs the adoption agency algorithm, which closes a formatting element that may be open
    /// around elements that stay open.
    private mutating func adopt(_ tag: HTMLTag) {
        if let last = open.last, last.isHTML(tag.element), formatting.lastIndex(id: last.id) == nil
        {
            return open.pop()
        }
        for _ in 0..<8 {
            guard let entry = formatting.lastIndex(of: tag.element),
                let id = formatting[entry].id
            else { return endOther(tag) }
            guard let index = open.lastIndex(id: id) else {
                formatting.remove(at: entry)
                return
            }
            guard open.isInScope(index) else { return }
            guard let block = open.indices[(index + 1)...].first(where: { open[$0].isSpecial })
            else {
                open.close(from: index)
                formatting.remove(at: entry)
                return
            }
            adopt(block: block, index: index)
        }
    }

    /// Moves the element at `index` into the block, and closes what is between the two unless it is
    /// a formatting element.
    private mutating func adopt(block: Int, index: Int) {
        let element = open[index]
        var block = block
        /// The innermost formatting element that stays, after which the moved one is listed.
        var innermost: Int32?
        for (distance, between) in (index + 1..<block).reversed().enumerated() {
            let id = open[between].id
            let place = formatting.lastIndex(id: id)
            if place != nil, distance < 3 {
                innermost = innermost ?? id
                continue
            }
            if let place { formatting.remove(at: place) }
            open.remove(at: between)
            block -= 1
        }
        if let innermost, let own = formatting.lastIndex(id: element.id) {
            let moved = formatting.remove(at: own)
            let place = formatting.lastIndex(id: innermost).map { $0 + 1 }
            formatting.insert(moved, at: place ?? own)
        }
        open.remove(at: index)
        open.insert(element, at: block)
    }
}
