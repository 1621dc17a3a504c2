/// Finds the references of a style sheet.
func cssFindings(_ bytes: UnsafeBytes) -> Findings {
    let references = CSSScanner.references(in: bytes)
    var findings = Findings()
    findings.outline.slots = slots(of: references, in: bytes)
    findings.outline.parts = .css(references.map(\.token))
    findings.unread = CSSScanner.unread(in: bytes).map { UnreadImage(.style, $0, in: bytes) }
    for (slot, reference) in references.enumerated() {
        guard let url = String(utf8: reference.url) else {
            findings.problems.append(
                DocumentProblem(
                    offset: reference.range.lowerBound,
                    url: String(decoding: reference.url, as: UTF8.self), reason: .urlNotUTF8))
            continue
        }
        var found = Reference(
            range: reference.range, kind: reference.kind, url: url, role: .background)
        found.fixed = reference.fixed
        if reference.isInCustomProperty { found.form = .absoluteIfKnown }
        findings.located.append(
            LocatedReference(
                reference: found,
                editPoint: EditPoint(
                    notation: Notation(.css(reference.quote)),
                    piece: Outline.PieceIndex(slot: slot, piece: 0))))
    }
    return findings
}

/// The outline of a style sheet: a slot for each URL, and a block for the text before it.
func cssOutline(of bytes: UnsafeBytes) -> Outline {
    let references = CSSScanner.references(in: bytes)
    var hasher = OutlineHasher()
    let slots = slots(of: references, in: bytes)
    var copied = 0
    for (reference, slot) in zip(references, slots) {
        hasher.combine(bytes[copied..<reference.range.lowerBound])
        hasher.beginBlock(line: slot.line)
        copied = reference.range.upperBound
    }
    hasher.combine(bytes[copied...])
    return Outline(blocks: hasher.finish(), slots: slots)
}

private func slots(of references: [CSSImageURL], in bytes: UnsafeBytes) -> [Outline.Slot] {
    var lines = LineCounter(bytes)
    return references.map {
        Outline.Slot(
            value: $0.url, pieces: [Outline.Piece(range: 0..<$0.url.count)],
            line: lines.line(at: $0.range.lowerBound))
    }
}
