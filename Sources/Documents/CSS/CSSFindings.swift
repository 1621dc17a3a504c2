/// Finds the references of a style sheet.
func cssFindings(_ bytes: UnsafeBytes) -> Findings {
    let references = CSSScanner.references(in: bytes)
    var findings = Findings()
    findings.outline.slots = references.map {
        Outline.Slot(value: $0.url, pieces: [Outline.Piece(range: 0..<$0.url.count)])
    }
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
