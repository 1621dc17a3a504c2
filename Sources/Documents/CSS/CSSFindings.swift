/// Finds the references of a style sheet.
func cssFindings(_ bytes: UnsafeBytes) -> Findings {
    let references = CSSScanner.references(in: bytes)
    var findings = Findings()
    findings.outline = cssOutline(of: bytes, references)
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
                    pieces: [Outline.PieceIndex(slot: slot, piece: 0)])))
    }
    return findings
}

/// The outline of a style sheet: a slot for each URL, and a block for the text before it.
func cssOutline(of bytes: UnsafeBytes) -> Outline {
    cssOutline(of: bytes, CSSScanner.references(in: bytes))
}

private func cssOutline(of bytes: UnsafeBytes, _ references: [CSSImageURL]) -> Outline {
    var hasher = OutlineHasher()
    var slots: [Outline.Slot] = []
    var copied = 0
    var lines = LineCounter(bytes)
    for reference in references {
        let line = lines.line(at: reference.range.lowerBound)
        hasher.combine(bytes[copied..<reference.range.lowerBound])
        hasher.beginBlock(line: line)
        let url = String(decoding: reference.url, as: UTF8.self)
        let piece = Outline.Piece(range: 0..<reference.url.count, url: url)
        slots.append(Outline.Slot(value: reference.url, pieces: [piece], line: line))
        copied = reference.range.upperBound
    }
    hasher.combine(bytes[copied...])
    return Outline(blocks: hasher.finish(), slots: slots)
}
