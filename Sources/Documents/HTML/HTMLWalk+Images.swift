import DocumentSyntax
import StyleSizing

extension HTMLWalk {
    /// Whether images are described, so that a `srcset` can be added to them.
    var isDescribed: Bool { rules.options.describesImages }

    /// Describes an `<img>` whose `src` is the only image that it names.
    mutating func describe(
        _ view: HTMLTagView, _ size: ImageSize, source: Int, slots range: Range<Int>
    ) {
        guard !view.isInPicture, view.value(of: "srcset") == nil, !view.hasAreas,
            !view.setsSource,
            range.allSatisfy({ $0 == source || slots[$0].content.ownAttribute == nil })
        else { return }
        let styled = StyledElement(
            name: "img", attributesFrom: view.tag.name.upperBound, in: bytes,
            parent: styledElements.innermost(of: tree.open, in: bytes))
        // In SVG, only an `<img>` ends the drawing. An ancestor may be a `<picture>` too. Only a child
        // of a host finds its slot.
        let takesPicture =
            !wasForeign && view.value(of: "slot") == nil
            && tree.open.count + 1 < TreeSimulation.deepest
            && !sequence(first: styled, next: \.parent).contains { $0.name == "picture" }
        let border = view.text(of: "border").map { $0 != "0" } ?? false
        slots[source].image = ImageElement(
            number: imageCount - 1, attributes: size.attributes, name: view.text(of: "name"),
            isUrgent: view.text(of: "fetchpriority")?.lowercased() == "high", hasEdge: border,
            hasStyle: view.value(of: "style") != nil, hasClass: view.value(of: "class") != nil,
            takesPicture: takesPicture, styled: styled)
    }

    /// Notes the place to add attributes to a link that preloads an image.
    mutating func describePreload(_ view: HTMLTagView, slots range: Range<Int>) {
        let own = range.filter { slots[$0].content.ownAttribute?.role == .preload }
        // A `prefetch` has no `imagesrcset`.
        guard own.count == 1, case .url = slots[own[0]].content,
            let rel = view.text(of: "rel")?.lowercased().split(whereSeparator: \.isWhitespace),
            rel.contains("preload"), view.value(of: "imagesizes") == nil,
            view.value(of: "imagesrcset") == nil
        else { return }
        slots[own[0]].size = EditPoint.Size(
            offset: slots[own[0]].end, takesSize: false, attributes: ImageTagAttributes(),
            isDescribed: true, element: nil, isPreload: true)
    }

    /// Reads the text of a style sheet or a script for what it does to images.
    mutating func describe(text range: Range<Int>, isCDATA: Bool) {
        guard isDescribed, let parent = tree.open.last,
            parent.content == .style || parent.content == .script
        else { return }
        let source = UnsafeBytes(rebasing: bytes[range])
        let isEncoded = parent.space != .html && !isCDATA
        let text = isEncoded ? DecodedText(source, isAttribute: false).bytes : Array(source)
        if parent.content == .script {
            page.styles?.scripts.add(text)
        } else if parent.space == .html {
            let rules = SizingRules(text)
            page.styles?.rules.append(isStyleUnconditional ? rules : rules.ifApplied)
        } else {
            // Comments and CDATA sections divide it.
            drawingStyle += text
        }
    }

    /// Reads the style sheet in SVG that a tag or the end of the document has ended.
    // Inlined, because each tag calls it.
    @inline(__always)
    mutating func endDrawingStyle() {
        if drawingStyle.isEmpty { return }
        page.styles?.rules.append(SizingRules(drawingStyle).ifApplied)
        drawingStyle = []
    }

    /// Reads a script in an attribute such as `onclick`, or in a `javascript:` URL.
    mutating func readHandler(_ attribute: HTMLAttribute) {
        let source = UnsafeBytes(rebasing: bytes[attribute.value])
        if bytes.matches("on", at: attribute.name.lowerBound) {
            page.styles?.scripts.add(DecodedText(source).bytes)
            return
        }
        // Also `xlink:href` and `formaction`. Nearly all other URLs begin with another letter.
        let end = attribute.name.upperBound
        guard bytes.matches("href", at: end - 4) || bytes.matches("action", at: end - 6),
            let first = source.first(where: { $0 > .space }),
            first.lowercased == UInt8(ascii: "j") || first == .ampersand
        else { return }
        // Most likely it begins with `javascript:`, and escapes nothing between a name and its dot.
        page.styles?.scripts.add(DecodedText(source).bytes)
    }

    /// Notes the element whose shadow tree a `<template>` holds.
    mutating func readTemplate(_ tag: HTMLTag) {
        guard tree.value(of: "shadowrootmode", in: tag) != nil,
            let host = styledElements.innermost(of: tree.open, in: bytes)?.parent
        else { return }
        page.styles?.hosts.insert(host.name)
    }

    /// Reads the URL of a style sheet.
    mutating func readLink(_ tag: HTMLTag) {
        let words =
            tree.text(of: "rel", in: tag)?.lowercased().split(whereSeparator: \.isWhitespace) ?? []
        // A script makes a style sheet of such a preload.
        let isPreload =
            words.contains("preload")
            && tree.text(of: "as", in: tag)?.lowercased() == "style"
        guard words.contains("stylesheet") || isPreload,
            let href = tree.text(of: "href", in: tag)
        else { return }
        let isUnconditional = words == ["stylesheet"] && appliesAlways(tag)
        page.styles?.links.append(SheetLink(url: href, isUnconditional: isUnconditional))
    }

    /// Whether the style sheet of a tag applies on every screen, whatever the user chooses.
    func appliesAlways(_ tag: HTMLTag) -> Bool {
        func isMissing(_ name: StaticString, or value: String? = nil) -> Bool {
            guard let found = tree.text(of: name, in: tag) else { return true }
            return found.lowercased() == value
        }
        // A browser that runs scripts shows no `<noscript>`.
        let isHidden = tree.open.indices.contains {
            [.noscript, .template].contains(tree.open[$0].name)
        }
        return !isHidden && isMissing("media", or: "all") && isMissing("type", or: "text/css")
            && isMissing("title") && isMissing("disabled")
    }
}
