/// Finds the references of an HTML document.
func extractHTML(_ bytes: Bytes) -> Extraction {
    let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
    let text = Bytes(rebasing: bytes[start...])
    func refusing(_ reason: Refusal.Reason) -> Extraction {
        Extraction(
            kind: .html, byteCount: bytes.count, refusals: [Refusal(offset: 0, reason: reason)])
    }
    if let excess = HTMLCost.excess(in: text) { return refusing(.tooTangled(excess)) }
    guard let walk = HTMLWalk(parsing: text) else {
        return refusing(.tooTangled("no tree that gumbo could make"))
    }
    if walk.isTooDeep { return refusing(.tooTangled("elements nested too deeply")) }
    if let encoding = walk.strangeEncoding { return refusing(.encoding(encoding)) }
    return walk.extraction(offset: start)
}

/// The outline of an HTML document.
func htmlOutline(of bytes: Bytes) -> Outline {
    let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
    let text = Bytes(rebasing: bytes[start...])
    return HTMLWalk(parsing: text)?.outline ?? Outline()
}
