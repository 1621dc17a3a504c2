extension MarkdownWalk {
    /// The URLs in each slot, with their ranges in the slot's value.
    func pieces() -> [[HTMLPiece]] {
        slots.map { $0.pieces() }
    }

    /// The outline, with lines counted from the beginning of the document, whose Markdown begins on
    /// `firstLine`.
    func outline(firstLine: Int, pieces: [[HTMLPiece]]) -> Outline {
        var outline = Outline(blocks: blocks, slots: [])
        for index in outline.blocks.indices { outline.blocks[index].line += firstLine - 1 }
        outline.slots = zip(slots, pieces).map { slot, pieces in
            Outline.Slot(
                value: slot.value, pieces: pieces.map(\.piece), line: slot.line + firstLine - 1)
        }
        return outline
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
