import Documents
import Sites

/// Finds the changes of earlier bakes in a document that was edited or moved since.
///
/// Each name of a baked image in the text is looked at. A tag that is as the bake wrote it is
/// undone. If the lists tell one URL for the image, the change that has brought it is also undone in
/// a tag that was edited, with the attributes that are still as then, and a change of nothing but a
/// URL at any reference. Then the document is read again, and what does not read as the URLs that
/// the lists tell is left. Nothing else is guessed: not which of two URLs an image had, nor where an
/// attribute was.
struct PastSearch {
    /// The changes that were found, in ascending order.
    private(set) var edits: [PastEdit] = []
    private let bytes: [UInt8]
    private let extraction: Extraction
    /// The pieces of ``edits``.
    private var taken: ByteRanges
    /// References whose URL is put back, and nothing else.
    private var alone: [(reference: Reference, file: String, past: PastEdit)] = []

    /// - Parameters:
    ///   - bytes: The document.
    ///   - exact: The changes that are known to be in it.
    ///   - own: The changes that it had when it was last baked.
    ///   - lost: The changes that no document has any more: one may have come back here.
    ///   - others: Returns the changes that are recorded for an image in any document.
    ///   - extract: Finds the references of a document of its kind.
    init(
        _ bytes: [UInt8], exact: [PastEdit] = [], own: [PastEdit], lost: [PastEdit] = [],
        others: (ImageHash) -> [PastEdit],
        extract: (_ document: [UInt8]) -> Extraction
    ) {
        self.bytes = bytes
        extraction = extract(bytes)
        taken = ByteRanges(in: bytes)
        exact.forEach { add($0) }
        let present = Self.counts(extraction.references.compactMap { bakedFileName(in: $0.url) })
        let recorded = Self.counts(own.flatMap(\.images).map(\.file))
        var candidates: [String: Candidates] = [:]
        for name in imageNames(in: bytes) {
            if taken.overlap(name.range) { continue }
            let file = String(decoding: bytes[name.range], as: UTF8.self)
            if candidates[file] == nil {
                let mine = own.filter { $0.files.contains(file) }
                // With more places than were recorded, one was copied from anywhere.
                let isCopied = present[file, default: 0] > recorded[file, default: 0]
                let foreign = mine.isEmpty || isCopied ? others(name.hash) : []
                let known = mine + foreign.filter { $0.files.contains(file) }
                // They count only against a URL that would be certain without them.
                let urls = Set(known.flatMap { $0.urls(of: file) })
                let others = lost.filter { !$0.urls(of: file).isSubset(of: urls) }
                candidates[file] = Candidates(known + others, of: file)
            }
            guard let known = candidates[file] else { continue }
            if let edit = known.found(at: name, in: bytes),
                !edit.ranges.contains(where: taken.overlap)
            {
                add(edit)
            } else if let past = known.url,
                let reference = extraction.references.overlapping(name.range).first
            {
                alone.append((reference, file, past))
            }
        }
        addURLs()
        removeUnread(besides: Set(exact), extract)
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static func counts(_ files: [String]) -> [String: Int] {
        Dictionary(files.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private mutating func add(_ edit: PastEdit) {
        edits.append(edit)
        edit.ranges.forEach { taken.insert($0) }
    }

    /// Adds the changes of URLs, in the notation of their places.
    private mutating func addURLs() {
        let replacements = alone.map {
            Replacement(reference: $0.reference, url: $0.past.images[0].url)
        }
        guard !alone.isEmpty,
            let rewritten = try? rewrite(bytes, extraction: extraction, replacements: replacements)
        else { return }
        let splices = Dictionary(rewritten.splices.map { ($0.range, $0) }) { first, _ in first }
        for (reference, file, past) in alone {
            guard let splice = splices[reference.range] else { continue }
            let place = splice.offset
            add(
                PastEdit(
                    [PastEdit.Piece(offset: place, length: splice.length, old: splice.text)],
                    [PastEdit.Image(file: file, offset: place, url: past.images[0].url)],
                    smaller: nil, settings: past.settings, in: bytes))
        }
    }

    /// Removes the changes after whose undo the document would not read with their URLs.
    private mutating func removeUnread(
        besides exact: Set<PastEdit>, _ extract: ([UInt8]) -> Extraction
    ) {
        let splices = edits.splices
        guard let text = apply(splices, to: bytes) else { return edits = [] }
        let map = SpliceMap(splices)
        let read = extract(text).references
        edits.removeAll { edit in
            !exact.contains(edit)
                && zip(edit.ranges, edit.splices).contains { range, splice in
                    let start = map.start(of: splice)
                    let place = start..<(start + splice.text.utf8.count)
                    return edit.images.contains { image in
                        guard let offset = image.offset, range.contains(edit.offset + offset) else {
                            return false
                        }
                        return !read.overlapping(place).contains { $0.url == image.url }
                    }
                }
        }
    }
}

/// Parts of a document.
struct ByteRanges {
    private var isIn: [Bool]

    init(in bytes: [UInt8]) { isIn = [Bool](repeating: false, count: bytes.count) }

    mutating func insert(_ range: Range<Int>) {
        for place in range.clamped(to: isIn.indices) { isIn[place] = true }
    }

    func overlap(_ range: Range<Int>) -> Bool { isIn[range].contains(true) }
}

extension References {
    /// The references that are in a part of the document.
    fileprivate func overlapping(_ part: Range<Int>) -> [Reference] {
        let first = prefixCount { $0.range.upperBound <= part.lowerBound }
        return Array(self[first...].prefix { $0.range.lowerBound < part.upperBound })
    }
}

/// The recorded changes that may have brought an image to a place.
private struct Candidates {
    /// Each once, wherever it was.
    private var edits: [PastEdit] = []
    /// Those that differ in more than the text around them.
    private var facts: [PastEdit] = []
    /// Whether one URL is known for the image, and all of it may be stored.
    private let isCertain: Bool

    init(_ recorded: [PastEdit], of file: String) {
        var known: Set<PastEdit> = []
        var facts: Set<[String]> = []
        for edit in recorded.map(\.atStart) where known.insert(edit).inserted {
            edits.append(edit)
            if facts.insert(edit.fact).inserted { self.facts.append(edit) }
        }
        let urls = Set(edits.flatMap { $0.urls(of: file) })
        isCertain = urls.count < 2 && !edits.contains(where: \.isHidden)
    }

    /// A change that has replaced a URL of another host and nothing else; nil if others may have
    /// changed more.
    var url: PastEdit? {
        let isPlain =
            isCertain
            && facts.allSatisfy { edit in
                edit.pieces.count == 1 && edit.images.count == 1 && edit.images[0].offset != nil
                    && [.absolute, .schemeRelative].contains(ReferenceText(edit.images[0].url).kind)
            }
        return isPlain ? facts.first : nil
    }

    /// The change at a place of the image; nil if none is there, or if it is not certain which.
    func found(at name: ImageNameInText, in bytes: [UInt8]) -> PastEdit? {
        let exact = edits.compactMap { $0.exact(at: name, in: bytes) }
        if !exact.isEmpty || !isCertain { return Self.only(of: exact) }
        let edited = facts.compactMap { $0.edited(at: name, in: bytes) }
        let whole = edited.filter(\.isWhole)
        let found = (whole.isEmpty ? edited : whole).map(\.edit)
        // What one change has added can be a part of what another one has.
        let most = found.map(\.visiblePieceCount).max()
        return Self.only(of: found.filter { $0.visiblePieceCount == most })
    }

    /// The first of some changes, if all of them are undone in the same way.
    private static func only(of edits: [PastEdit]) -> PastEdit? {
        Set(edits.map(\.splices)).count == 1 ? edits.first : nil
    }
}

extension PastEdit {
    /// The number of pieces that have a text in the document.
    fileprivate var visiblePieceCount: Int { pieces.count { $0.length > 0 } }

    /// The change at a place where all its text is as it was.
    fileprivate func exact(at name: ImageNameInText, in bytes: [UInt8]) -> PastEdit? {
        guard let text = text.map({ Array($0.utf8) }), text.first == UInt8(ascii: "<") else {
            return nil
        }
        for own in imageNames(in: text) where own.hash == name.hash {
            let start = name.range.lowerBound - own.range.lowerBound
            guard start >= 0, bytes[start...].starts(with: text) else { continue }
            var edit = self
            edit.offset = start
            return edit
        }
        return nil
    }

    /// The change at a place where the text was edited, or is at another path; nil if it is not
    /// there, or if it is not certain what belongs to it.
    fileprivate func edited(
        at name: ImageNameInText, in bytes: [UInt8]
    ) -> (edit: PastEdit, isWhole: Bool)? {
        guard let text = text.map({ Array($0.utf8) }) else { return nil }
        let isOfTags = text.first == UInt8(ascii: "<")
        for own in imageNames(in: text) where own.hash == name.hash {
            let window =
                isOfTags
                ? tags(as: text, own, at: name, in: bytes)
                : part(as: text, own, at: name, in: bytes)
            guard let window else { continue }
            let comparison = TextComparison(text[...], bytes[window])
            guard isOfTags || comparison.isSame,
                comparison.matches(own.range.lowerBound, name.range.lowerBound),
                let edit = found(by: comparison, text, in: bytes)
            else { continue }
            return (edit, edit.pieces.count == pieces.count)
        }
        return nil
    }

    /// The tags of the document that correspond to those of the text.
    private func tags(
        as text: [UInt8], _ own: ImageNameInText, at name: ImageNameInText, in bytes: [UInt8]
    ) -> Range<Int>? {
        guard var window = tag(around: name.range.lowerBound, in: bytes) else { return nil }
        var start: Int? = 0
        while let place = start, let end = tagEnd(place, in: text) {
            let isBefore = end <= own.range.lowerBound
            if isBefore {
                guard let before = bytes[..<window.lowerBound].lastIndex(of: UInt8(ascii: "<"))
                else { return nil }
                window = before..<window.upperBound
            } else if place > own.range.lowerBound {
                guard let next = bytes[window.upperBound...].firstIndex(of: UInt8(ascii: "<")),
                    let end = tagEnd(next, in: bytes)
                else { return nil }
                window = window.lowerBound..<end
            }
            start = text[end...].firstIndex(of: UInt8(ascii: "<"))
        }
        return window
    }

    /// The part of the document that is as long as the text, with the folder of the name in the
    /// document.
    private func part(
        as text: [UInt8], _ own: ImageNameInText, at name: ImageNameInText, in bytes: [UInt8]
    ) -> Range<Int>? {
        if tag(around: name.range.lowerBound, in: bytes) != nil { return nil }
        let start = folderStart(of: name, in: bytes) - folderStart(of: own, in: text)
        let end = name.range.upperBound + text.count - own.range.upperBound
        return start >= 0 && end <= bytes.count ? start..<end : nil
    }

    /// The change with the pieces that are still there.
    ///
    /// A URL may have been replaced, and then belongs to the author. Of anything else, it is not
    /// certain that it is not somewhere.
    private func found(
        by comparison: TextComparison, _ text: [UInt8], in bytes: [UInt8]
    ) -> PastEdit? {
        var found: [Piece] = []
        var images: [Image] = []
        for piece in pieces {
            guard let place = comparison.place(of: piece.range) else {
                let old = text[piece.range]
                if old.contains(UInt8(ascii: "<")) || imageHashes(in: old).isEmpty { return nil }
                continue
            }
            found.append(Piece(offset: place.lowerBound, length: place.count, old: piece.old))
            images += self.images.filter { $0.offset.map(piece.range.contains) == true }.map {
                Image(file: $0.file, offset: place.lowerBound, url: $0.url)
            }
        }
        let isWhole = found.count == pieces.count
        if isWhole { images += self.images.filter { $0.offset == nil } }
        if found.isEmpty { return nil }
        // What was edited must be made again.
        return PastEdit(
            found, images, smaller: smaller, settings: isWhole ? settings : "", in: bytes)
    }
}

/// Two texts, compared without the folders of the baked images that they name.
private struct TextComparison {
    private let old: TextTokens
    private let new: TextTokens
    /// The token of the new text for each of the old one; nil for those that are not there.
    private let matches: [Int?]

    /// More tokens are not compared: it may take quadratic time.
    private static let most = 2_000

    init(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) {
        self.old = TextTokens(old)
        self.new = TextTokens(new)
        let (first, second) = (self.old.texts, self.new.texts)
        guard max(first.count, second.count) <= Self.most else {
            matches = first.map { _ in nil }
            return
        }
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in second.difference(from: first) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var same = second.indices.filter { !added.contains($0) }.makeIterator()
        matches = first.indices.map { removed.contains($0) ? nil : same.next() }
    }

    /// Whether nothing was edited.
    var isSame: Bool { matches.count == new.ranges.count && !matches.contains(nil) }

    /// Whether two places are in tokens that match.
    func matches(_ oldPlace: Int, _ newPlace: Int) -> Bool {
        guard let token = old.token(at: old.index(of: oldPlace)), let match = matches[token] else {
            return false
        }
        return match == new.token(at: new.index(of: newPlace))
    }

    /// The place in the document of a part of the old text; nil if it is not there as a whole.
    func place(of part: Range<Int>) -> Range<Int>? {
        let (start, end) = (old.index(of: part.lowerBound), old.index(of: part.upperBound))
        if start == end {
            let place = moved(start, in: start - 1) ?? moved(start, in: start)
            return place.map { $0..<$0 }
        }
        guard let first = old.token(at: start), let last = old.token(at: end - 1),
            let match = matches[first],
            (first...last).allSatisfy({ matches[$0] == match + $0 - first }),
            let place = moved(start, in: start), let upper = moved(end, in: end - 1)
        else { return nil }
        return place..<upper
    }

    /// The place in the document of a place in the token that contains a byte.
    private func moved(_ index: Int, in byte: Int) -> Int? {
        guard let token = old.token(at: byte), let match = matches[token] else { return nil }
        return new.place(new.ranges[match].lowerBound + index - old.ranges[token].lowerBound)
    }
}

/// A text without the folders of the baked images that it names, as tokens: attributes, words and
/// other characters, each with the whitespace before it.
private struct TextTokens {
    private var bytes: [UInt8] = []
    /// Where each of ``bytes`` ends in the document.
    private var ends: [Int] = []
    private let start: Int
    private(set) var ranges: [Range<Int>] = []

    init(_ text: ArraySlice<UInt8>) {
        start = text.startIndex
        var place = text.startIndex
        let whole = Array(text)
        for name in imageNames(in: whole) {
            let folder = max(folderStart(of: name, in: whole) + start, place)
            let file = name.range.lowerBound + start
            let isElsewhere = text[folder..<file].firstRange(of: "//".utf8) != nil
            append(text[place..<(isElsewhere ? file : folder)])
            place = file
        }
        append(text[place...])
        var end = 0
        while end < bytes.count {
            let start = end
            end = tokenEnd(start)
            ranges.append(start..<end)
        }
    }

    private mutating func append(_ part: ArraySlice<UInt8>) {
        bytes += part
        ends += part.indices.lazy.map { $0 + 1 }
    }

    var texts: [ArraySlice<UInt8>] { ranges.map { bytes[$0] } }

    /// The number of bytes before a place of the document.
    func index(of place: Int) -> Int { ends.prefix { $0 <= place }.count }

    /// The place of a byte in the document; a folder before it belongs to it.
    func place(_ index: Int) -> Int { index == 0 ? start : ends[index - 1] }

    /// The token that contains a byte.
    func token(at index: Int) -> Int? { ranges.firstIndex { $0.contains(index) } }

    private func tokenEnd(_ start: Int) -> Int {
        var end = start
        while end < bytes.count, Self.isSpace(bytes[end]) { end += 1 }
        let word = end
        while end < bytes.count, isOfWord(bytes[end]) { end += 1 }
        if end == word { return min(end + 1, bytes.count) }
        guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "=") else { return end }
        let quote = bytes[end + 1]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return bytes[(end + 2)...].firstIndex(of: quote).map { $0 + 1 } ?? bytes.count
        }
        return bytes[end...].firstIndex { Self.isSpace($0) || $0 == UInt8(ascii: ">") }
            ?? bytes.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

/// Whether a byte may be in a word, such as the path of a file.
private func isOfWord(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"<>\"'()=,;[]{}".utf8.contains(byte)
}

/// Where the path begins that leads to the file of a name.
func folderStart(of name: ImageNameInText, in bytes: [UInt8]) -> Int {
    let folder = bytes[..<name.range.lowerBound].reversed().prefix(while: isOfWord)
    return name.range.lowerBound - folder.count
}
