import DocumentSyntax

/// Finds the references of an HTML document and of its front matter.
func htmlFindings(_ bytes: UnsafeBytes, options: ExtractionOptions) -> Findings {
    let page = HTMLPage(bytes, options: options)
    let findings = htmlFindings(of: page.text, rules: page.rules, isGenerated: page.isGenerated)
    return findings.outline.parts == nil ? findings : page.whole(with: findings)
}

/// Finds the references of HTML without front matter.
///
/// - Parameters:
///   - text: The HTML.
///   - rules: The rules for attributes that name images.
///   - isGenerated: Whether templates are evaluated in the browser, and not by a generator; nil to
///     report no URL that a template computes.
/// - Returns: The findings; without parts if the text is refused as a whole.
func htmlFindings(
    of text: UnsafeBytes, rules: HTMLRules, isGenerated: Bool? = nil
) -> Findings {
    var walk = HTMLWalk(text, rules: rules)
    walk.unread = []
    walk.parse()
    if let excess = walk.excess { return Findings(refusing: .tooComplex(excess)) }
    if let encoding = walk.unsupportedEncoding { return Findings(refusing: .encoding(encoding)) }
    return walk.findings(isGenerated: isGenerated)
}

/// The outline of the front matter of an HTML document, and the offset at which the HTML begins.
func htmlMetadata(
    of bytes: UnsafeBytes, options: ExtractionOptions
) -> (outline: Outline, end: Int) {
    let page = HTMLPage(bytes, options: options)
    return (page.metadata.outline, page.start)
}

/// The slots of the flight data of an HTML document, in which these URLs count too.
func flightSlots(
    of bytes: UnsafeBytes, options: ExtractionOptions, accepting urls: Set<String>
) -> [HTMLSlot] {
    let page = HTMLPage(bytes, options: options)
    var rules = page.rules
    rules.acceptedURLs = urls
    var walk = HTMLWalk(page.text, rules: rules)
    walk.parse()
    return walk.slots.filter { $0.content.isPush }
}

/// An HTML document, split into front matter and HTML.
private struct HTMLPage {
    let metadata: Findings
    /// The offset at which the HTML begins.
    let start: Int
    let text: UnsafeBytes
    let rules: HTMLRules
    /// Whether the page is final.
    ///
    /// A page with front matter is input for a generator.
    let isGenerated: Bool

    init(_ bytes: UnsafeBytes, options: ExtractionOptions) {
        let frontMatter = FrontMatter(in: bytes)
        isGenerated = frontMatter == nil
        metadata = frontMatter?.findings(keys: options.frontMatterKeys) ?? Findings()
        var options = options
        // A generator makes the page of it, with style sheets and data that are not known here.
        if !isGenerated { (options.describesImages, options.readsData) = (false, false) }
        rules = HTMLRules(options: options)
        start = frontMatter?.end ?? (bytes.starts(with: utf8Mark) ? utf8Mark.count : 0)
        text = UnsafeBytes(rebasing: bytes[start...])
    }

    /// The findings of the front matter and of the HTML together.
    func whole(with html: Findings) -> Findings {
        guard start > 0, case .html(let parts, _, _)? = html.outline.parts else { return html }
        var whole = metadata
        whole.page = html.page
        // Images are described only without front matter, whose slots would come first.
        whole.page.headEnd?.offset += start
        whole.page.base?.offset += start
        whole.outline.parts = .html(
            parts, start: start, firstSlot: metadata.outline.slots.count)
        whole.embed(html) { $0.shifted(by: start) }
        return whole
    }
}

extension HTMLWalk {
    /// The findings of the walk.
    fileprivate func findings(isGenerated: Bool?) -> Findings {
        var findings = Findings()
        findings.outline = outline
        findings.controls = controls
        findings.page = page
        for index in slots.indices where !slots[index].pieces.isEmpty {
            if isOff(index) { continue }
            addReferences(ofSlot: index, to: &findings)
            if slots[index].content.isPush {
                findings.outline.addLengths(of: slots[index].pieces, slot: index)
            }
        }
        if rules.options.readsData { markNamedScripts(in: &findings.located) }
        let known = (unread ?? []) + loadedImages(in: findings.located)
        findings.unread = told(known, isGenerated: isGenerated)
        if rules.options.readsData { findings.dropUnreadInData() }
        return findings
    }

    /// The URLs in places that are not read, and in templates of a generated page.
    private func told(_ unread: [UnreadImage], isGenerated: Bool?) -> [UnreadImage] {
        guard let isGenerated else { return unread }
        let templates = slots.indices.filter { slots[$0].isComputed && !isOff($0) }
        let isSource =
            !isGenerated || !templates.isEmpty && PageTemplates.isSource(bytes)
        let told = templates.map { slots[$0] }
            .filter { !isSource || PageTemplates.occur(inRemote: $0.value) }
        return unread
            + told.map {
                UnreadImage(
                    isSource ? .source : .template, offset: $0.offset,
                    url: String(decoding: $0.value, as: UTF8.self))
            }
    }

    private func isOff(_ index: Int) -> Bool {
        guard let control = slots[index].control else { return false }
        return controls[control].control.isOff
    }

    private func addReferences(ofSlot index: Int, to findings: inout Findings) {
        let slot = slots[index]
        var own = LocatedPieces(
            slot.pieces, of: slot.value, slot: index, control: slot.control
        ).references
        if slot.takesCandidates { own.markSet() }
        let claims = slot.claimSlots.map(claims(ofSlot:))
        for place in own.indices {
            own[place].reference.image = slot.image
            own[place].reference.member = slot.member?.place
            own[place].reference.takesPreloadSet = slot.size?.isPreload == true
            own[place].editPoint.link = slot.link
            own[place].editPoint.pictureChild = slot.member?.tag
            own[place].editPoint.size = slot.size
            for claim in claims { own[place].add(claimsOf: claim) }
        }
        findings.located += own
        let unlocated = slot.pieces.filter {
            $0.claim == nil && $0.place == nil && $0.kind != .data
        }
        findings.problems += unlocated.map {
            DocumentProblem(
                offset: slot.offset, url: $0.piece.url(in: slot.value),
                reason: slot.problem ?? .urlNotUTF8)
        }
    }

    /// The claims that a slot makes about the image of another one.
    private func claims(ofSlot index: Int) -> LocatedPieces {
        var pieces = LocatedPieces(
            slots[index].pieces, of: slots[index].value, slot: index,
            control: slots[index].control)
        // A template computes the value.
        if slots[index].pieces.isEmpty, case .claim(let kind, _) = slots[index].content {
            pieces.fixed.formUnion(kind.fixedProperties)
        }
        return pieces
    }
}
