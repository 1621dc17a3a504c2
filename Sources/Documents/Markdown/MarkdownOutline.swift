extension MarkdownWalk {
    /// The URLs in each slot, with their ranges in the slot's value.
    func pieces() -> [[HTMLPiece]] {
        slots.map { $0.pieces() }
    }

    /// The outline, with lines counted from the beginning of the document, whose Markdown begins on
    /// `firstLine`.
    func outline(firstLine: Int, pieces: [[HTMLPiece]]) -> Outline {
        var outline = Outline(blocks: blocks(firstLine: firstLine), slots: [])
        outline.slots = zip(slots, pieces).map { slot, pieces in
            Outline.Slot(
                value: slot.value, pieces: pieces.map(\.piece), line: slot.line + firstLine - 1)
        }
        return outline
    }

    /// The hashes of the tree, with lines counted from the beginning of the document.
    func blocks(firstLine: Int) -> [Outline.Block] {
        blocks.map { Outline.Block(hash: $0.hash, line: $0.line + firstLine - 1) }
    }
}

extension MarkdownSlot {
    /// The URLs in the slot.
    fileprivate func pieces() -> [HTMLPiece] {
        switch content {
        case .image, .link:
            if value.isEmpty || containsTemplate(value) { return [] }
            return [
                value.withUnsafeBufferPointer {
                    HTMLPiece(
                        range: 0..<value.count, in: $0,
                        kind: content == .link ? .markdownLink : .markdownImage,
                        notation: Notation(.destination(angled: false)))
                }
            ]
        case .html(let content, let quote):
            return value.withUnsafeBufferPointer { source in
                if isText { return content.pieces(in: source, quote: quote) }
                let decoded = DecodedText(source)
                return decoded.bytes.withUnsafeBufferPointer {
                    content.pieces(in: $0, quote: quote).map { piece in
                        var piece = piece
                        piece.piece.url = piece.piece.url(in: decoded.bytes)
                        piece.piece.range = decoded.sourceRange(piece.piece.range)
                        return piece
                    }
                }
            }
        }
    }
}
