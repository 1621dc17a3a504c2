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

    /// - Parameters:
    ///   - bytes: The document.
    ///   - options: Additional attributes, keys and shortcodes that name images.
    ///   - isMDX: Whether the bytes are the output of ``MDXText``.
    ///   - hashed: The Markdown with shortcodes masked, which has the same images; nil if no
    ///     shortcodes are masked.
    init(_ bytes: UnsafeBytes, options: ExtractionOptions, isMDX: Bool, hashed: UnsafeBytes? = nil)
    {
        self.hashed = hashed
        self.bytes = bytes
        rules = HTMLRules(options: options, isJSX: isMDX)
        let frontMatter = FrontMatter(in: bytes)
        body = frontMatter?.end ?? 0
        metadata = frontMatter?.findings(keys: options.frontMatterKeys) ?? Findings()
        firstLine = 1 + lineEnds(in: bytes[..<body])
    }

    private var text: UnsafeBytes { hashed ?? UnsafeBytes(rebasing: bytes[body...]) }

    func outline() -> Outline {
        guard let walk = MarkdownWalk(parsing: text, rules: rules) else { return metadata.outline }
        var whole = metadata
        var markdown = Findings()
        markdown.outline = walk.outline(firstLine: firstLine, pieces: walk.pieces())
        whole.embed(markdown) { $0 }
        return whole.outline
    }

    func findings() -> Findings {
        var whole = metadata
        whole.embed(markdownFindings()) { $0 }
        return whole
    }

    private func markdownFindings() -> Findings {
        if let excess = MarkdownCost.excess(in: bytes, body: body) {
            return Findings(refusing: .tooComplex(excess))
        }
        guard let walk = MarkdownWalk(parsing: text, rules: rules) else {
            return Findings(refusing: .tooLarge)
        }
        var findings = findings(of: walk)
        add(walk, to: &findings)
        return findings
    }

    private func add(_ walk: MarkdownWalk, to findings: inout Findings) {
        let hidden = walk.hidden
        let templates = walk.slots.filter { slot in
            slot.isRemoteTemplate && slot.control.map { walk.controls[$0].isOff } != true
        }
        let lines =
            hidden.found.map(\.line) + (hidden.scripts + hidden.embedded).map(\.line)
            + templates.map(\.line)
        let starts =
            lines.isEmpty
            ? [:] : lineStarts(in: bytes, lines: Set(lines.map { $0 + firstLine - 1 }))
        func offset(_ line: Int) -> Int { starts[line + firstLine - 1] ?? 0 }
        findings.problems += hidden.found.map {
            DocumentProblem(offset: offset($0.line), url: $0.url, reason: $0.reason)
        }
        let scripts = hidden.scripts.map { (offset($0.line), $0.url) }
        let embedded = hidden.embedded.map { (offset($0.line), $0.url) }
        let computed = templates.map {
            (offset($0.line), String(decoding: $0.value, as: UTF8.self))
        }
        findings.unread += [
            UnreadURLs(.scripts, scripts), UnreadURLs(.embedded, embedded),
            UnreadURLs(.sources, computed),
        ].compactMap(\.self)
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
        var result = MarkdownFindings(
            bytes: bytes, walk: walk, pieces: pieces, outline: outline, places: locator.places())
        if result.hasSharedDefinitions {
            result.uses = MarkdownUses(bytes: bytes, body: body, rules: rules, slots: walk.slots)
                .uses(of: result.sharedLabels)
        }
        return result.findings()
    }
}
