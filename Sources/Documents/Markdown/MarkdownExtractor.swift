/// Finds the references of a Markdown document.
struct MarkdownExtractor {
    private let bytes: Bytes
    private let isMDX: Bool
    private let rules: HTMLRules
    private let metadata: Findings
    /// Where the Markdown begins.
    private let body: Int
    private let firstLine: Int

    /// - Parameter isMDX: Whether comments are written as in JSX.
    init(_ bytes: Bytes, options: ExtractionOptions, isMDX: Bool) {
        self.bytes = bytes
        self.isMDX = isMDX
        rules = HTMLRules(options)
        let frontMatter = FrontMatter(in: bytes)
        body = frontMatter?.end ?? 0
        metadata = frontMatter?.findings(keys: options.frontMatterKeys) ?? Findings()
        firstLine = 1 + lineEnds(in: bytes[..<body])
    }

    private var text: Bytes { Bytes(rebasing: bytes[body...]) }

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
        whole.embed(isMDX ? withoutComments(markdownFindings()) : markdownFindings()) { $0 }
        return whole
    }

    private func markdownFindings() -> Findings {
        if let excess = MarkdownCost.excess(in: bytes, body: body) {
            return Findings(refusing: .tooTangled(excess))
        }
        guard let walk = MarkdownWalk(parsing: text, rules: rules) else {
            return Findings(refusing: .tooLarge)
        }
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

    /// The findings without those in a comment of JSX, or where such comments switch imgbake off.
    private func withoutComments(_ findings: Findings) -> Findings {
        let (comments, switches) = jsxComments(in: bytes)
        let off = switches.offRanges(upTo: bytes.count)
        var findings = findings
        findings.located.removeAll {
            comments.contains($0.reference.range.lowerBound)
                || off.contains($0.reference.range.lowerBound)
        }
        findings.refusals.removeAll { comments.contains($0.offset) || off.contains($0.offset) }
        return findings
    }
}

/// The comments `{/* … */}` of a text.
private func jsxComments(in bytes: Bytes) -> (OffRanges, Switches) {
    var ranges: [Range<Int>] = []
    var switches = Switches()
    var brace = bytes.firstIndex(of: .openBrace, from: 0)
    while let start = brace {
        brace = bytes.firstIndex(of: .openBrace, from: start + 1)
        guard bytes.matches("/*", at: start + 1) else { continue }
        var star = bytes.firstIndex(of: .asterisk, from: start + 3)
        while let found = star, !bytes.matches("/}", at: found + 1) {
            star = bytes.firstIndex(of: .asterisk, from: found + 1)
        }
        guard let end = star else { break }
        switches.add(Bytes(rebasing: bytes[start + 3..<end]), at: start)
        ranges.append(start..<end + 3)
        brace = bytes.firstIndex(of: .openBrace, from: end + 3)
    }
    return (OffRanges(ranges: ranges), switches)
}

/// How many lines end in `bytes`.
private func lineEnds(in bytes: Slice<Bytes>) -> Int {
    let end = positions(of: [bytes.count], in: Array(bytes))
    return (end.first?.line ?? 1) - 1
}
