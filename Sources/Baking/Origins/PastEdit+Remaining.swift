/// Finds a change with further files in a document that was edited since.
///
/// If somebody gives an image another URL, its `srcset` and the sources of its `<picture>` would
/// still show the old one. So each piece of such a change is found by its own text. A piece that was
/// edited belongs to the author from then on.
extension PastEdit {
    /// The names of all files that the change has brought into the document.
    var files: Set<String> { Set(images.map(\.file)).union(smaller ?? []) }

    /// The pieces of the change that are still in a document, with their places there.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - file: One of ``files``.
    ///   - name: The place of a URL of this file.
    /// - Returns: A change that undoes these pieces; nil if the change is not at this place, or if
    ///   the document would name a file of it without them.
    func remaining(in bytes: [UInt8], naming file: String, at name: Range<Int>) -> PastEdit? {
        let texts = pieces.compactMap { $0.new.map { Array($0.utf8) } }
        guard !isHidden, texts.count == pieces.count,
            let (anchor, start) = anchor(file, at: name, in: bytes, texts)
        else { return nil }
        let element = ImageElement(in: bytes, around: start..<start + texts[anchor].count)
        var places = [Int?](repeating: nil, count: texts.count)
        places[anchor] = start
        var end = start + texts[anchor].count
        for index in (anchor + 1)..<texts.count where !texts[index].isEmpty {
            let text = bytes[end..<max(end, element.range.upperBound)]
            guard let place = text.firstRange(of: texts[index]) else { continue }
            places[index] = place.lowerBound
            end = place.upperBound
        }
        var limit = start
        for index in (0..<anchor).reversed() where !texts[index].isEmpty {
            let text = bytes[min(limit, element.range.lowerBound)..<limit]
            let place = text.ranges(of: texts[index]).last?.lowerBound
            places[index] = place
            limit = place ?? limit
        }
        return found(at: places, texts, in: bytes, element)
    }

    /// The index and the place of the piece that has a URL.
    private func anchor(
        _ file: String, at url: Range<Int>, in bytes: [UInt8], _ texts: [[UInt8]]
    ) -> (index: Int, start: Int)? {
        guard let name = bytes[url].firstRange(of: file.utf8)?.lowerBound else { return nil }
        for (index, text) in texts.enumerated() {
            for range in text.ranges(of: Array(file.utf8)) {
                let start = name - range.lowerBound
                if start >= 0, bytes[start...].starts(with: text) { return (index, start) }
            }
        }
        return nil
    }

    /// The change with the pieces that have a place.
    private func found(
        at places: [Int?], _ texts: [[UInt8]], in bytes: [UInt8], _ element: ImageElement
    ) -> PastEdit? {
        var result = self
        result.pieces = []
        result.images = []
        for (index, place) in places.enumerated() {
            guard let place else {
                // Half of an added element cannot be undone.
                if texts[index].contains(UInt8(ascii: "<")) { return nil }
                continue
            }
            var piece = pieces[index]
            result.images += images.compactMap { image in
                guard var offset = image.offset, piece.offset..<piece.end ~= offset else {
                    return nil
                }
                offset += place - piece.offset
                return Image(file: image.file, offset: offset, url: image.url)
            }
            piece.offset = place
            result.pieces.append(piece)
        }
        var rest = Array(bytes[element.range])
        for piece in result.pieces.reversed() {
            let start = piece.offset - element.range.lowerBound
            guard start >= 0, start + piece.length <= rest.count else { return nil }
            rest.removeSubrange(start..<start + piece.length)
        }
        if files.contains(where: { rest.firstRange(of: $0.utf8) != nil }) { return nil }
        result.digest = Self.digest(of: bytes[result.range])
        // No bake has made an edited change.
        if result.pieces.count != pieces.count || result.digest != digest { result.settings = "" }
        return result
    }
}

/// The tags around a piece of text: those of one image, its sources and its `<picture>`.
private struct ImageElement {
    /// From the first of these tags to the end of the last.
    private(set) var range: Range<Int>
    private let bytes: [UInt8]

    init(in bytes: [UInt8], around piece: Range<Int>) {
        self.bytes = bytes
        range = piece
        let isInTag = !bytes[piece].contains(UInt8(ascii: "<"))
        if isInTag {
            let start = bytes[..<piece.lowerBound].lastIndex(of: UInt8(ascii: "<"))
            range = (start ?? piece.lowerBound)..<piece.upperBound
        }
        var end = isInTag ? tagEnd(range.lowerBound) : piece.upperBound
        var images = isInTag && isTag("<img", at: range.lowerBound) ? 1 : 0
        while let next = bytes[end...].firstIndex(of: UInt8(ascii: "<")) {
            if isTag("</picture", at: next) {
                end = tagEnd(next)
                break
            }
            if isTag("<img", at: next) { images += 1 } else if !isTag("<source", at: next) { break }
            if images > 1 { break }
            end = tagEnd(next)
        }
        range = range.lowerBound..<max(end, piece.upperBound)
    }

    private func isTag(_ name: String, at place: Int) -> Bool {
        bytes[place...].prefix(name.utf8.count).elementsEqual(name.utf8) { byte, other in
            byte | 0x20 == other | 0x20
        }
    }

    /// The end of the tag that begins at a place; a `>` in quotes does not end it.
    private func tagEnd(_ start: Int) -> Int {
        var quote: UInt8?
        for place in start..<bytes.count {
            let byte = bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return place + 1
            }
        }
        return bytes.count
    }
}
