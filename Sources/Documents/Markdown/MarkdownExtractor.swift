import DocumentSyntax

/// Finds the references of a Markdown document.
struct MarkdownExtractor {
    private let bytes: UnsafeBytes
    private let rules: HTMLRules
    private let metadata: Findings
    /// The offset at which the Markdown begins.
    private let body: Int
    private let firstLine: Int
    /// The Markdown to parse and hash; nil for the document's own.
    private let hashed: UnsafeBytes?
    /// Whether the bytes are the document's own.
    private let isOriginal: Bool

    /// - Parameters:
    ///   - bytes: The document.
    ///   - options: Additional attributes, keys and shortcodes that name images.
    ///   - isMDX: Whether the bytes are the output of ``MDXText``.
    ///   - hashed: The Markdown with shortcodes masked, which has the same images; nil if no
    ///     shortcodes are masked.
    ///   - isOriginal: Whether the bytes are the document's own, and nothing in them is read but
    ///     Markdown.
    init(
        _ bytes: UnsafeBytes, options: ExtractionOptions, isMDX: Bool, hashed: UnsafeBytes? = nil,
        isOriginal: Bool = false
    ) {
        self.hashed = hashed
        self.isOriginal = isOriginal
        self.bytes = bytes
        rules = HTMLRules(options: options, isJSX: isMDX)
        let frontMatter = FrontMatter(in: bytes)
        body = frontMatter?.end ?? 0
        metadata = frontMatter?.findings(keys: options.frontMatterKeys) ?? Findings()
        firstLine = positions(of: [body], in: Array(bytes[..<body]))[0].line
    }

    private var text: UnsafeBytes { hashed ?? UnsafeBytes(rebasing: bytes[body...]) }

    func outline() -> Outline {
        guard let walk = MarkdownWalk(parsing: text, rules: rules, purpose: .comparing) else {
            return metadata.outline
        }
        var outline = metadata.outline
        outline.append(walk.outline(firstLine: firstLine, pieces: walk.pieces()))
        return outline
    }

    func findings() -> Findings {
        var whole = metadata
        let markdown = markdownFindings()
        whole.embed(markdown) { $0 }
        whole.outline.parts = markdown.outline.parts
        return whole
    }

    private func markdownFindings() -> Findings {
        if let excess = MarkdownCost.excess(in: bytes, body: body) {
            return Findings(refusing: .tooComplex(excess))
        }
        guard let tree = MarkdownTree(text) else { return Findings(refusing: .tooLarge) }
        let walk = MarkdownWalk(tree, of: text, rules: rules, purpose: .finding)
        var findings = findings(of: walk)
        let mayChange =
            hashed != nil || !metadata.located.isEmpty || !findings.located.isEmpty
            || !findings.controls.isEmpty
        if findings.outline.parts == nil, mayChange {
            let whole = MarkdownWalk(tree, of: text, rules: rules, purpose: .comparing)
            findings.outline.blocks = whole.blocks(firstLine: firstLine)
        }
        add(walk, to: &findings)
        findings.unread += authorPlaces
        return findings
    }

    /// The images in places that only other renderers read.
    private var authorPlaces: [UnreadImage] {
        var end = 0
        let places = AuthorPlaces(bytes: bytes, body: body).all().filter { place in
            defer { end = max(end, place.range.upperBound) }
            return place.range.lowerBound >= end
        }
        let inText = ShortcodeFilter.confirmed(places.map(\.range), in: bytes, body: body)
        return places.filter { inText.contains($0.range) }.map {
            UnreadImage(.markdown, $0.url, in: bytes)
        }
    }

    private func add(_ walk: MarkdownWalk, to findings: inout Findings) {
        let hidden = walk.hidden
        let templates = walk.slots.filter { slot in
            slot.isRemoteTemplate && slot.control.map { walk.controls[$0].isOff } != true
        }
        let lines =
            hidden.found.map(\.line) + hidden.unread.map(\.line) + templates.map(\.line)
        let starts =
            lines.isEmpty
            ? [:] : lineStarts(in: bytes, lines: Set(lines.map { $0 + firstLine - 1 }))
        func offset(_ line: Int) -> Int { starts[line + firstLine - 1] ?? 0 }
        findings.problems += hidden.found.map {
            DocumentProblem(offset: offset($0.line), url: $0.url, reason: $0.reason)
        }
        findings.unread += hidden.unread.map {
            UnreadImage($0.image.place, offset: offset($0.line), url: $0.image.url)
        }
        findings.unread += templates.map {
            UnreadImage(
                .source, offset: offset($0.line), url: String(decoding: $0.value, as: UTF8.self))
        }
    }

    private func findings(of walk: MarkdownWalk) -> Findings {
        if ParserLimits.areExceeded { return Findings() }
        let pieces = walk.pieces()
        let outline = walk.outline(firstLine: firstLine, pieces: pieces)
        guard pieces.contains(where: { !$0.isEmpty }) else {
            var findings = Findings()
            findings.outline = outline
            return findings
        }
        let locator = MarkdownLocator(bytes: bytes, body: body, rules: rules, slots: walk.slots)
        let places = locator.places()
        var result = MarkdownFindings(
            bytes: bytes, walk: walk, pieces: pieces, outline: outline, places: places)
        let labels = result.sharedLabels
        if !labels.isEmpty {
            result.uses = MarkdownUses(bytes: bytes, body: body, rules: rules, slots: walk.slots)
                .uses(of: labels)
        }
        var findings = result.findings()
        findings.outline.parts = places.flatMap(parts)
        return findings
    }

    /// The values, if a change of them changes nothing else.
    private func parts(_ places: MarkdownLocator.Places) -> Outline.Parts? {
        guard isOriginal, places.isPlain, metadata.outline.slots.isEmpty,
            rules.options.lazyAttributes.isEmpty, let plain = PlainValue(in: bytes, body: body)
        else { return nil }
        var texts: [TextPart] = []
        texts.reserveCapacity(places.candidates.count)
        for (slot, candidate) in places.candidateOfSlot.enumerated() {
            guard let candidate else { continue }
            let place = places.candidates[candidate]
            guard plain.contains(place, in: bytes) else { return nil }
            texts.append(
                TextPart(
                    range: place.range, place: .markdown(plain),
                    content: .url(needsExtension: true), firstSlot: slot))
        }
        // The URL of an image around another one is first in the tree and last in the text.
        return .texts(texts.inOrder { $0.range.lowerBound < $1.range.lowerBound })
    }
}
