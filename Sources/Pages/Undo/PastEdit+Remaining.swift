import Sites

/// Finds a change in a document that was edited since.
///
/// If somebody gives an image another URL, its `srcset` and the sources of its `<picture>` would
/// still show the old one. So each piece of such a change is found by its own text. A piece that was
/// edited belongs to the author from then on.
extension PastEdit {
    /// The names of all files that the change has brought into the document.
    var files: Set<String> { Set(images.map(\.file)).union(smaller ?? []) }

    /// The change as one whose texts are not known, but only its images.
    var withoutTexts: PastEdit {
        var result = self
        result.digest = ""
        for index in pieces.indices { result.pieces[index].new = nil }
        return result
    }

    /// The change as a bake would have made it in a document with another relative path to the image
    /// folder.
    func moved(from old: String, to new: String) -> PastEdit {
        var result = self
        for (index, text) in texts.enumerated() {
            let moved = files.reduce(pieces[index].new ?? "") {
                $0.replacing(old + $1, with: new + $1)
            }
            let growth = moved.utf8.count - text.count
            if growth == 0 { continue }
            let place = pieces[index].offset
            (result.digest, result.pieces[index].new) = ("", moved)
            result.pieces[index].length += growth
            for other in pieces.indices where pieces[other].offset > place {
                result.pieces[other].offset += growth
            }
            for image in images.indices where (images[image].offset ?? 0) > place {
                result.images[image].offset? += growth
            }
        }
        return result
    }

    /// The change with its places in a document, if all its text is the same there.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - file: One of ``files``.
    ///   - url: The place of a URL of this file.
    /// - Returns: The change; nil if it is not at this place.
    func whole(in bytes: [UInt8], naming file: String, at url: Range<Int>) -> PastEdit? {
        var distances = images.filter { $0.file == file }.compactMap(\.offset).map {
            url.lowerBound - $0
        }
        if let (index, start) = anchor(file, at: url, in: bytes) {
            distances.append(start - pieces[index].offset)
        }
        return distances.lazy.map(moved).first { edit in
            edit.range.lowerBound >= 0 && edit.range.upperBound <= bytes.count
                && Self.digest(of: bytes[edit.range]) == digest
        }
    }

    /// The pieces of the change that are still in a document, with their places there.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - file: One of ``files``.
    ///   - url: The place of a URL of this file.
    /// - Returns: A change that undoes these pieces, without settings, since no bake has made it;
    ///   nil if the change is not at this place, or if it is not certain what belongs to it.
    func remaining(in bytes: [UInt8], naming file: String, at url: Range<Int>) -> PastEdit? {
        guard let (anchor, start) = anchor(file, at: url, in: bytes) else { return nil }
        let element = ImageElement(in: bytes, around: start..<start + texts[anchor].count)
        guard let places = places(in: bytes, element, from: anchor, at: start) else { return nil }
        return found(at: places, in: bytes, element)
    }

    /// The texts of the pieces; empty if they are not known.
    private var texts: [[UInt8]] {
        let texts = pieces.compactMap { $0.new.map { Array($0.utf8) } }
        return texts.count == pieces.count ? texts : []
    }

    /// The index and the place of the piece that has a URL as a whole.
    private func anchor(
        _ file: String, at url: Range<Int>, in bytes: [UInt8]
    ) -> (index: Int, start: Int)? {
        guard let name = bytes[url].firstRange(of: file.utf8)?.lowerBound else { return nil }
        for (index, text) in texts.enumerated() {
            for range in text.ranges(of: Array(file.utf8)) {
                let start = name - range.lowerBound
                // Somebody may have written another folder before the name.
                if start >= 0, start <= url.lowerBound, url.upperBound <= start + text.count,
                    bytes[start...].starts(with: text)
                {
                    return (index, start)
                }
            }
        }
        return nil
    }

    /// The place of each piece, and nil for one that is not there; nil as a whole if the place of a
    /// piece is not certain.
    private func places(
        in bytes: [UInt8], _ element: ImageElement, from anchor: Int, at start: Int
    ) -> [Int?]? {
        let texts = texts
        var places = [Int?](repeating: nil, count: texts.count)
        places[anchor] = start
        let others = [Array((anchor + 1)..<texts.count), (0..<anchor).reversed()]
        for indices in others {
            var (known, near) = (anchor, start)
            for index in indices where !texts[index].isEmpty {
                let place = place(of: index, beside: known, at: near, texts, in: bytes, element)
                if place == nil, isPlain(texts[index]) { return nil }
                places[index] = place
                if let place { (known, near) = (index, place) }
            }
        }
        return places
    }

    /// The place of a piece before or after one whose place is known; nil if it is not there.
    private func place(
        of index: Int, beside known: Int, at near: Int, _ texts: [[UInt8]], in bytes: [UInt8],
        _ element: ImageElement
    ) -> Int? {
        let text = texts[index]
        let isAfter = index > known
        let start = isAfter ? near + texts[known].count : min(near, element.range.lowerBound)
        let end = isAfter ? max(start, element.range.upperBound) : near
        if isPlain(text) {
            let place = near + pieces[index].offset - pieces[known].offset
            let isThere =
                place >= start && place + text.count <= end
                && bytes[place...].starts(with: text)
            return isThere ? place : nil
        }
        let found = bytes[start..<end].ranges(of: text)
        return isAfter ? found.first?.lowerBound : found.last?.lowerBound
    }

    /// Whether a text, such as the new value of an attribute, can stand at many places by chance.
    private func isPlain(_ text: [UInt8]) -> Bool {
        let first = text.first
        return first != UInt8(ascii: " ") && first != UInt8(ascii: "<")
            && !files.contains { text.firstRange(of: $0.utf8) != nil }
    }

    /// The number of bytes that are recorded on each side of a text that was removed.
    private static let nearby = 8

    /// Records what is around the texts that were removed, in the document after the change.
    mutating func notePlacesOfRemovals(in result: [UInt8]) {
        for index in pieces.indices where pieces[index].new == "" {
            let place = pieces[index].offset
            let sides = [
                result[..<place].suffix(Self.nearby), result[place...].prefix(Self.nearby),
            ]
            let texts = sides.compactMap { String(validating: $0, as: UTF8.self) }
            if texts.count == 2 { pieces[index].around = texts }
        }
    }

    /// The place of a text that was removed: where both sides are as they were, or else one of them;
    /// nil if there is no such place, or more than one.
    private func placeOfRemoval(
        _ index: Int, _ places: [Int?], in bytes: [UInt8], _ element: ImageElement
    ) -> Int? {
        guard let around = pieces[index].around else { return nil }
        let known = zip(places, texts).map { place, text in place.map { $0..<($0 + text.count) } }
        let start = known[..<index].compactMap(\.self).last?.upperBound ?? element.range.lowerBound
        let end = known[index...].compactMap(\.self).first?.lowerBound ?? element.range.upperBound
        if start > end { return nil }
        func matches(_ place: Int) -> [Bool] {
            [
                bytes[..<place].suffix(around[0].utf8.count).elementsEqual(around[0].utf8),
                bytes[place...].starts(with: around[1].utf8),
            ]
        }
        for (before, after) in [(true, true), (false, true), (true, false)] {
            let found = (start...end).filter { place in
                let sides = matches(place)
                return (sides[0] || !before) && (sides[1] || !after)
            }
            if let only = found.first { return found.count == 1 ? only : nil }
        }
        return nil
    }

    /// The change with the pieces that have a place.
    private func found(
        at places: [Int?], in bytes: [UInt8], _ element: ImageElement
    ) -> PastEdit? {
        let texts = texts
        // Attributes that were removed come back where others were added.
        let boundary = texts.indices.first {
            places[$0] != nil && texts[$0].first == UInt8(ascii: " ")
        }
        var result = self
        result.pieces = []
        result.images = []
        result.settings = ""
        for (index, text) in texts.enumerated() {
            var piece = pieces[index]
            let isRemoval = text.isEmpty && piece.old?.first?.isWhitespace == true
            guard
                let place = places[index]
                    ?? (piece.around != nil
                        ? placeOfRemoval(index, places, in: bytes, element)
                        : isRemoval ? boundary.flatMap { places[$0] } : nil)
            else {
                // Half of an added element cannot be undone.
                if text.isEmpty || text.contains(UInt8(ascii: "<")) { return nil }
                continue
            }
            result.images += images.compactMap { image in
                guard let offset = image.offset, piece.offset..<piece.end ~= offset else {
                    return nil
                }
                return Image(
                    file: image.file, offset: offset + place - piece.offset, url: image.url)
            }
            piece.offset = place
            result.pieces.append(piece)
        }
        result.pieces.sort { ($0.offset, $0.length) < ($1.offset, $1.length) }
        var rest = Array(bytes[element.range])
        for piece in result.pieces.reversed() {
            let start = piece.offset - element.range.lowerBound
            guard start >= 0, start + piece.length <= rest.count else { return nil }
            rest.removeSubrange(start..<start + piece.length)
        }
        if files.contains(where: { rest.firstRange(of: $0.utf8) != nil }) { return nil }
        result.digest = Self.digest(of: bytes[result.range])
        return result
    }
}

/// The tags around a piece of text: those of one image, its sources and its `<picture>`.
private struct ImageElement {
    /// From the first of these tags to the end of the last; the piece itself if it is in no tag.
    private(set) var range: Range<Int>
    private let bytes: [UInt8]

    /// How many `<` before a piece are looked at: an attribute may contain some.
    private static let mostStarts = 8

    init(in bytes: [UInt8], around piece: Range<Int>) {
        self.bytes = bytes
        range = piece
        var end = piece.upperBound
        var images = 0
        if !bytes[piece].contains(UInt8(ascii: "<")) {
            guard let tag = tag(around: piece) else { return }
            end = tag.upperBound
            range = tag
            images = isTag("<img", at: tag.lowerBound) ? 1 : 0
        }
        while let next = bytes[end...].firstIndex(of: UInt8(ascii: "<")) {
            if isTag("</picture", at: next) {
                end = tagEnd(next)
                break
            }
            if isTag("<img", at: next) { images += 1 } else if !isTag("<source", at: next) { break }
            if images > 1 { break }
            end = tagEnd(next)
        }
        range = range.lowerBound..<end
    }

    private func tag(around piece: Range<Int>) -> Range<Int>? {
        var start = piece.lowerBound
        for _ in 0..<Self.mostStarts {
            guard let before = bytes[..<start].lastIndex(of: UInt8(ascii: "<")) else { return nil }
            start = before
            let end = tagEnd(start)
            if end >= piece.upperBound { return start..<end }
        }
        return nil
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
