package import Documents

extension SiteOrigins.Text {
    /// The text with other changes undone; without any if they belong to another text.
    package func with(_ again: [PastEdit]) -> Self {
        var text = self
        let undone = again.undone(in: file)
        text.bytes = undone ?? file
        text.again = undone == nil ? [] : again
        return text
    }

    /// Whether a reference is known to lead to no file.
    package var hasDangling: Bool { dangling?.isEmpty == false }

    /// The references that lead to no file and that no change makes again; nil if they are not known.
    var lost: [DocumentPlan.Dangling]? {
        dangling?.filter { reference in
            !again.contains { $0.range.contains(reference.offset) }
        }
    }

    /// Where the bytes of the file are in ``bytes``.
    var map: SpliceMap { SpliceMap(again.splices) }

    /// The undone changes whose images were not all made by `edits`.
    package func failed(after edits: [Edit]) -> [PastEdit] {
        if again.isEmpty { return [] }
        let map = map
        let failed = again.filter { past in
            let places = past.splices.map { splice in
                let start = map.start(of: splice)
                return start..<(start + splice.text.utf8.count)
            }
            let whole = (places.first?.lowerBound ?? 0)..<(places.last?.upperBound ?? 0)
            let made = edits.reduce(0) { count, edit in
                count
                    + edit.images.count { image in
                        // The removal of a candidate begins before it, at the end of another one.
                        let range = edit.splices[image.splice].range
                        return range.overlaps(whole) || range == whole
                    }
            }
            return made < past.images.count
        }
        // What stays may need the style sheet.
        return failed.isEmpty ? [] : again.filter { failed.contains($0) || $0.isLink }
    }
}

extension [PastEdit] {
    /// The changes that are not made again in `text`, with their places there.
    func without(changesOf text: SiteOrigins.Text) -> [PastEdit] {
        if text.again.isEmpty { return self }
        let (gone, map) = (Set(text.again), text.map)
        return filter { !gone.contains($0) }.compactMap { $0.moved(by: map, to: text.bytes) }
    }
}
