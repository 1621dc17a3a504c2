/// Finds the references of a Markdown document.
struct MarkdownExtractor {
    private let bytes: Bytes
    /// Where the Markdown begins.
    private let body: Int
    private let firstLine: Int

    init(_ bytes: Bytes) {
        self.bytes = bytes
        body = FrontMatter.end(in: bytes)
        firstLine = 1 + lineEnds(in: bytes[..<body])
    }

    private var text: Bytes { Bytes(rebasing: bytes[body...]) }

    func outline() -> Outline {
        MarkdownWalk(parsing: text)?.outline(firstLine: firstLine) ?? Outline()
    }

    func extraction() -> Extraction {
        if let excess = MarkdownCost.excess(in: bytes, body: body) {
            return refusing(.tooTangled(excess))
        }
        guard let walk = MarkdownWalk(parsing: text) else { return refusing(.tooLarge) }
        let outline = walk.outline(firstLine: firstLine)
        guard outline.slots.contains(where: { !$0.value.isEmpty }) else {
            return Extraction(kind: .markdown, byteCount: bytes.count, outline: outline)
        }
        let locator = MarkdownLocator(bytes: bytes, body: body, slots: walk.slots)
        var findings = MarkdownFindings(
            bytes: bytes, slots: walk.slots, outline: outline, places: locator.places())
        if findings.hasSharedDefinitions {
            findings.uses = MarkdownUses(bytes: bytes, body: body, slots: walk.slots)
                .uses(of: findings.sharedLabels)
        }
        return findings.extraction()
    }

    private func refusing(_ reason: Refusal.Reason) -> Extraction {
        Extraction(
            kind: .markdown, byteCount: bytes.count,
            refusals: [Refusal(offset: 0, reason: reason)])
    }
}

/// How many lines end in `bytes`.
private func lineEnds(in bytes: Slice<Bytes>) -> Int {
    let end = positions(of: [bytes.count], in: Array(bytes))
    return (end.first?.line ?? 1) - 1
}
