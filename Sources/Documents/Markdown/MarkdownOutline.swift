extension MarkdownWalk {
    /// The outline, its lines counted from the beginning of the document, whose Markdown begins on
    /// `firstLine`.
    func outline(firstLine: Int) -> Outline {
        var outline = Outline(blocks: blocks, slots: [])
        for index in outline.blocks.indices { outline.blocks[index].line += firstLine - 1 }
        let readings = decodedAttributes(slots.map { $0.isImage ? [] : $0.value })
        outline.slots = zip(slots, readings).map { slot, reading in
            Outline.Slot(
                value: slot.value, pieces: slot.pieces(reading: reading),
                line: slot.line + firstLine - 1)
        }
        return outline
    }
}

extension MarkdownSlot {
    /// The URLs in the slot, given what an attribute's value reads as.
    fileprivate func pieces(reading: [UInt8]?) -> [Outline.Piece] {
        switch content {
        case .image:
            if value.isEmpty { return [] }
            return [Outline.Piece(range: 0..<value.count, url: text(value[...]))]
        case .attribute(_, let attribute, _):
            guard let reading else { return [] }
            return value.withUnsafeBufferPointer { source in
                reading.withUnsafeBufferPointer { reading in
                    guard let map = AttributeText(source: source, value: reading) else { return [] }
                    return urlRanges(in: reading, isSrcset: attribute == "srcset").map {
                        Outline.Piece(
                            range: map.sourceRange($0), url: text(Array(reading[$0])[...]))
                    }
                }
            }
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// Where the URLs of an attribute's value stand: without the blanks around them.
func urlRanges(in value: Bytes, isSrcset: Bool) -> [Range<Int>] {
    if isSrcset { return Srcset.urls(in: value).filter { !$0.isEmpty } }
    var start = 0
    var end = value.count
    while start < end, value[start].isHTMLSpace { start += 1 }
    while end > start, value[end - 1].isHTMLSpace { end -= 1 }
    return start < end ? [start..<end] : []
}
