extension HTMLWalk {
    /// What the tree names, its parsed text beginning at `offset` in the document.
    func extraction(offset: Int) -> Extraction {
        var found: [Located] = []
        var refusals: [Refusal] = []
        var seen: Set<Int> = []
        for (index, slot) in slots.enumerated() {
            if let reason = slot.refusal {
                // A copy of an element stands where the element does.
                guard seen.insert(slot.offset).inserted else { continue }
                refusals += slot.pieces.map {
                    Refusal(
                        offset: offset + slot.offset, url: reason == .urlNotUTF8 ? nil : $0.url,
                        reason: reason)
                }
            } else {
                found += located(slot, index, offset: offset)
            }
        }
        let count = bytes.count + offset
        return Extraction(
            kind: .html, byteCount: count, found: found, refusals: refusals, outline: outline,
            baseHref: baseHref)
    }

    private func located(_ slot: HTMLSlot, _ index: Int, offset: Int) -> [Located] {
        zip(slot.pieces, slot.places).enumerated().map { number, pair in
            let (piece, place) = pair
            let range = offset + place.range.lowerBound..<offset + place.range.upperBound
            return Located(
                reference: Reference(range: range, kind: place.kind, url: piece.url),
                site: Site(
                    notation: place.notation, slotText: slot.content.slotText,
                    pieces: [Outline.PieceIndex(slot: index, piece: number)],
                    size: slot.sizeSlot.map { Site.Size(offset: offset + slot.end, slot: $0) }))
        }
    }
}

extension HTMLSlot.Content {
    fileprivate var slotText: Site.SlotText {
        switch self {
        case .style, .styleText: .css
        case .attribute, .srcset, .size: .url
        }
    }
}
