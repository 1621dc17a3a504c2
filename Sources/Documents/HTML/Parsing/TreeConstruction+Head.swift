// Before, in and after the head, after the body, and in framesets (13.2.6.4.2–6, 19–23).
//
// A function returns false if the tag must be read again in the new insertion mode.
extension TreeConstruction {
    mutating func startBeforeBody(_ tag: HTMLTag) -> Bool {
        let name = tag.element
        if name == .html {
            guard mode == .beforeHTML else {
                repeatTag(tag)
                return true
            }
            insert(tag)
            mode = .beforeHead
            return true
        }
        switch mode {
        case .beforeHead where name == .head:
            insert(tag)
            (mode, hasHead) = (.inHead, true)
            return true
        case .inHead where name.isHeadContent: return startInHead(tag)
        case .inHead where name == .noscript:
            insert(tag)
            mode = .inHeadNoscript
            return true
        case .inHeadNoscript where Self.noscriptContent.contains(name): return startInHead(tag)
        case .inHeadNoscript where name == .noscript: return true
        case .afterHead where name.isHeadContent: return startInHead(tag)
        case .afterHead where name == .body:
            insert(tag)
            (mode, isFramesetAllowed) = (.inBody, false)
            return true
        case .afterHead where name == .frameset:
            insert(tag)
            mode = .inFrameset
            return true
        default: break
        }
        if name == .head, mode == .inHead || mode == .inHeadNoscript || mode == .afterHead {
            return true
        }
        leaveHead()
        return false
    }

    /// Goes on to the next insertion mode, with the elements whose tags are left out.
    mutating func leaveHead() {
        switch mode {
        case .beforeHTML:
            push(.html)
            mode = .beforeHead
        case .beforeHead:
            push(.head)
            (mode, hasHead) = (.inHead, true)
        case .inHead:
            open.pop()
            mode = .afterHead
        case .inHeadNoscript:
            open.pop()
            mode = .inHead
        default:
            push(.body)
            mode = .inBody
        }
    }

    mutating func endBeforeBody(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .template where mode == .inHead || mode == .afterHead: return endInHead(tag)
        case .head where mode == .inHead:
            leaveHead()
            return true
        case .noscript where mode == .inHeadNoscript:
            leaveHead()
            return true
        case .br: break
        case .head where mode == .beforeHTML || mode == .beforeHead: break
        case .body, .html:
            if mode == .inHeadNoscript { return true }
        default: return true
        }
        leaveHead()
        return false
    }

    /// Reads a start tag of ``HTMLName/isHeadContent``.
    mutating func startInHead(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .template:
            insert(tag)
            formatting.addMarker()
            isFramesetAllowed = false
            mode = .inTemplate
            templateModes.append(.inTemplate)
        case .script, .style, .title, .noframes: insertRawText(tag)
        default: insert(tag, isVoid: true)
        }
        return true
    }

    /// Reads `</template>`.
    mutating func endInHead(_ tag: HTMLTag) -> Bool {
        guard open.contains(.template) else { return true }
        open.closeImplied(thoroughly: true)
        open.close(through: .template)
        formatting.clearToMarker()
        _ = templateModes.popLast()
        resetMode()
        return true
    }

    mutating func startInTemplate(_ tag: HTMLTag) -> Bool {
        if tag.element.isHeadContent { return startInHead(tag) }
        let next: Mode =
            switch tag.element {
            case .caption, .colgroup, .tbody, .tfoot, .thead: .inTable
            case .col: .inColumnGroup
            case .tr: .inTableBody
            case .td, .th: .inRow
            default: .inBody
            }
        if !templateModes.isEmpty { templateModes[templateModes.count - 1] = next }
        mode = next
        return false
    }

    mutating func startAfterBody(_ tag: HTMLTag) -> Bool {
        if tag.element == .html {
            repeatTag(tag)
            return true
        }
        mode = .inBody
        return false
    }

    mutating func endAfterBody(_ tag: HTMLTag) -> Bool {
        if tag.element == .html, mode == .afterBody {
            mode = .afterAfterBody
            return true
        }
        mode = .inBody
        return false
    }

    mutating func startInFrameset(_ tag: HTMLTag) -> Bool {
        switch tag.element {
        case .html: repeatTag(tag)
        case .frameset where mode == .inFrameset: insert(tag)
        case .frame where mode == .inFrameset: insert(tag, isVoid: true)
        case .noframes: insertRawText(tag)
        default: break
        }
        return true
    }

    mutating func endInFrameset(_ tag: HTMLTag) -> Bool {
        if tag.element == .frameset, mode == .inFrameset, open.count > 1 {
            open.pop()
            if !open.isLast(.frameset) { mode = .afterFrameset }
        } else if tag.element == .html, mode == .afterFrameset {
            mode = .afterAfterFrameset
        }
        return true
    }

    /// Sets the insertion mode that suits the open elements (13.2.4.1).
    mutating func resetMode() {
        for index in open.indices.reversed() where open[index].space == .html {
            if let mode = mode(inside: open[index].name, at: index) {
                self.mode = mode
                return
            }
        }
        mode = .inBody
    }

    private func mode(inside name: HTMLName, at index: Int) -> Mode? {
        switch name {
        case .select:
            let outer = open.indices[..<index].last {
                open[$0].isHTML(.table) || open[$0].isHTML(.template)
            }
            return outer.map { open[$0].name == .table } == true ? .inSelectInTable : .inSelect
        case .td, .th: return .inCell
        case .tr: return .inRow
        case .tbody, .thead, .tfoot: return .inTableBody
        case .caption: return .inCaption
        case .colgroup: return .inColumnGroup
        case .table: return .inTable
        case .template: return templateModes.last ?? .inBody
        case .head: return .inHead
        case .body: return .inBody
        case .frameset: return .inFrameset
        case .html: return hasHead ? .afterHead : .beforeHead
        default: return nil
        }
    }

    private static let noscriptContent = HTMLName.Group(
        "basefont bgsound link meta noframes style")
}
