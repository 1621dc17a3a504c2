extension HTMLWalk {
    /// What the tree names, its parsed text beginning at `offset` in the document.
    func extraction(offset: Int) -> Extraction {
        var found: [Located] = []
        var refusals: [Refusal] = []
        var seen: Set<Int> = []
        for (index, slot) in slots.enumerated() {
            guard slot.refusal != nil || slot.places.contains(where: { $0 == nil }) else {
                found += located(slot, index, offset: offset)
                continue
            }
            // A copy of an element stands where the element does.
            guard seen.insert(slot.offset).inserted else { continue }
            found += located(slot, index, offset: offset)
            for number in slot.pieces.indices where !slot.hasPlace(number) {
                refusals.append(slot.refusal(of: number, offset: offset))
            }
        }
        let count = bytes.count + offset
        return Extraction(
            kind: .html, byteCount: count, found: found, refusals: refusals, outline: outline,
            baseHref: baseHref)
    }

    private func located(_ slot: HTMLSlot, _ index: Int, offset: Int) -> [Located] {
        zip(slot.pieces, slot.places).enumerated().compactMap { number, pair in
            guard let place = pair.1 else { return nil }
            let piece = pair.0
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

extension HTMLSlot {
    fileprivate func hasPlace(_ piece: Int) -> Bool {
        places.indices.contains(piece) && places[piece] != nil
    }

    fileprivate func refusal(of piece: Int, offset: Int) -> Refusal {
        let reason = refusal ?? .urlNotUTF8
        return Refusal(
            offset: offset + self.offset, url: reason == .urlNotUTF8 ? nil : pieces[piece].url,
            reason: reason)
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
