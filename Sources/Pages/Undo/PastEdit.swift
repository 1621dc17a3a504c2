import Documents
import Secrets
import Sites

/// A change that bakes in place have made to a document, with what is needed to undo it.
///
/// Its places are relative to ``offset``, so that the change can be found at another place. Each is
/// tested when it is made: if undoing it does not give the bytes before, because changes of two bakes
/// meet at one place, they become one change.
package struct PastEdit: Codable, Hashable, Sendable {
    /// An image that the change made local.
    package struct Image: Codable, Hashable, Sendable {
        /// The name of its file.
        var file: String
        /// Where its URL is now; nil if the URL was removed.
        var offset: Int?
        /// The URL that was there, decoded, as ``recordedURL(_:)`` gives it.
        package var url: String
    }

    /// A part of the document and the text that was there.
    struct Piece: Codable, Hashable, Sendable {
        var offset: Int
        var length: Int
        /// Nil if the text must not be stored.
        var old: String?

        var range: Range<Int> { offset..<offset + length }
    }

    /// Where the change begins in the document.
    var offset: Int
    package var images: [Image]
    /// In ascending order.
    var pieces: [Piece]
    /// The settings that the images were made with; see ``SiteOrigins``.
    var settings: String
    /// The names of the other files that the change added or needs; nil if there are none.
    var smaller: [String]?
    /// The text of the document from ``offset``: the whole tags that the change concerns, or else
    /// that from the first to the last piece.
    ///
    /// Nil if it is too long or has a secret. The change is then only known where the whole document
    /// is as it was.
    var text: String?

    /// Whether the old text had a secret, so that it was not stored.
    package var isHidden: Bool { pieces.contains { $0.old == nil } }

    /// Whether the change only linked the page to the style sheet of classes that others have added.
    package var isLink: Bool { images.isEmpty && smaller != nil }

    /// Whether the change gave an image several files.
    package var addsFiles: Bool { !images.isEmpty && smaller != nil }

    /// The names of all files that the change has brought into the document.
    var files: Set<String> { Set(images.map(\.file)).union(smaller ?? []) }

    /// The URLs that a file was made of.
    func urls(of file: String) -> Set<String> {
        Set(images.filter { $0.file == file }.map(\.url))
    }

    /// The hashes in the names of ``files``.
    var hashes: Set<ImageHash> { Set(files.compactMap(imageHash)) }

    /// The part of the document from the first to the last piece.
    package var range: Range<Int> {
        let end = pieces.last?.range.upperBound ?? 0
        return (offset + (pieces.first?.offset ?? 0))..<(offset + end)
    }

    /// Where each piece is in the document.
    var ranges: [Range<Int>] {
        pieces.map { (offset + $0.offset)..<(offset + $0.range.upperBound) }
    }

    /// The splices that undo the change; empty if it cannot be undone.
    var splices: [Splice] {
        if isHidden { return [] }
        return zip(ranges, pieces).map { Splice(range: $0, text: $1.old ?? "") }
    }

    /// The images, and where their URLs are in the document.
    package var places: [(offset: Int, url: String)] {
        images.map { ($0.offset.map { $0 + offset } ?? range.lowerBound, $0.url) }
    }

    /// The change as if its text began the document.
    var atStart: PastEdit {
        var edit = self
        edit.offset = 0
        return edit
    }

    /// What the change tells, whatever is around it.
    var fact: [String] {
        let bytes = text.map { Array($0.utf8) }
        let texts = pieces.flatMap { piece in
            [bytes.map { String(decoding: $0[piece.range], as: UTF8.self) } ?? "", piece.old ?? ""]
        }
        return images.flatMap { [$0.file, $0.url] } + texts + (smaller ?? [])
    }
}

extension [PastEdit] {
    /// The splices that undo the changes, in ascending order.
    var splices: [Splice] {
        // The order of those that are at one place is kept.
        flatMap(\.splices).enumerated().sorted {
            ($0.element.offset, $0.element.length, $0.offset)
                < ($1.element.offset, $1.element.length, $1.offset)
        }.map(\.element)
    }

    /// The document before these changes; nil if they belong to another document.
    package func undone(in bytes: [UInt8]) -> [UInt8]? {
        let splices = splices
        return splices.isEmpty ? bytes : apply(splices, to: bytes)
    }

    /// The changes to record after a document was baked.
    ///
    /// - Parameters:
    ///   - edits: The edits of the bake.
    ///   - text: The document before them.
    ///   - kept: Earlier changes, which are still in `text`.
    ///   - result: The document after the edits.
    ///   - settings: The settings of the bake.
    init(
        _ edits: [Edit], of text: [UInt8], after kept: [PastEdit], result: [UInt8],
        settings: String
    ) {
        let map = SpliceMap(edits.splices)
        let fresh = edits.map { PastEdit($0, of: text, map, result: result, settings: settings) }
        let moved = kept.compactMap { $0.moved(by: map, to: result) }
        self = (fresh + moved).sorted { $0.range.lowerBound < $1.range.lowerBound }
        // Pieces of different changes can meet at one place, where their order decides what they
        // undo. If this order is wrong for some, they become one change.
        if moved.count < kept.count || undone(in: result) != kept.undone(in: text) {
            let whole = PastEdit(all: fresh, kept, text, result, settings: settings)
            self = whole.map { [$0] } ?? []
        }
        self = self.map(\.recorded)
    }
}

extension PastEdit {
    /// - Parameters:
    ///   - pieces: The pieces, with their places in the document.
    ///   - images: The images, with their places in the document.
    ///   - smaller: See ``smaller``.
    ///   - settings: See ``settings``.
    ///   - document: The document after the change.
    init(
        _ pieces: [Piece], _ images: [Image], smaller: [String]?, settings: String,
        in document: [UInt8]
    ) {
        let first = pieces.first?.offset ?? 0
        let last = Swift.max(first, pieces.last?.range.upperBound ?? 0)
        let start = tag(around: first, in: document)?.lowerBound ?? first
        let end = tag(around: last, in: document)?.upperBound ?? last
        offset = start
        self.pieces = pieces.map {
            Piece(offset: $0.offset - start, length: $0.length, old: $0.old)
        }
        self.images = images.map {
            Image(file: $0.file, offset: $0.offset.map { $0 - start }, url: $0.url)
        }
        self.smaller = smaller?.isEmpty == true ? nil : smaller
        self.settings = settings
        if end - start <= Self.longestText {
            text = String(validating: document[start..<end], as: UTF8.self)
        }
    }

    /// The number of bytes of the longest ``text``.
    private static let longestText = 16 << 10

    fileprivate init(
        _ edit: Edit, of text: [UInt8], _ map: SpliceMap, result: [UInt8], settings: String
    ) {
        let pieces = edit.splices.map { splice in
            Piece(
                offset: map.start(of: splice), length: splice.text.utf8.count,
                old: String(validating: text[splice.range], as: UTF8.self))
        }
        let images = edit.images.map { image in
            Image(
                file: bakedFileName(in: image.replacement) ?? image.replacement,
                offset: image.offset.map { pieces[image.splice].offset + $0 }, url: image.url)
        }
        self.init(
            pieces, images, smaller: edit.smaller.compactMap(bakedFileName), settings: settings,
            in: result)
    }

    /// One change that stands for all.
    fileprivate init?(
        all fresh: [PastEdit], _ kept: [PastEdit], _ text: [UInt8], _ result: [UInt8],
        settings: String
    ) {
        // Bytes that are the same at the beginning and the end were not changed by any.
        guard let old = kept.undone(in: text) else { return nil }
        let start = zip(old, result).prefix { $0 == $1 }.count
        let limit = Swift.min(old.count, result.count) - start
        let end = zip(old.reversed(), result.reversed()).prefix(limit).prefix { $0 == $1 }.count
        let isHidden = kept.contains(where: \.isHidden)
        let piece = Piece(
            offset: start, length: result.count - start - end,
            old: isHidden ? nil : String(validating: old[start..<(old.count - end)], as: UTF8.self))
        let images = (kept + fresh).flatMap(\.images).map { Image(file: $0.file, url: $0.url) }
        self.init(
            [piece], images, smaller: (kept + fresh).flatMap { $0.smaller ?? [] },
            settings: settings, in: result)
    }

    /// The change after other splices.
    ///
    /// - Parameters:
    ///   - map: The other splices.
    ///   - result: The document after them.
    /// - Returns: nil if they concern the same bytes.
    func moved(by map: SpliceMap, to result: [UInt8]) -> PastEdit? {
        var pieces = pieces
        for (index, range) in ranges.enumerated() {
            guard let offset = map.moved(range) else { return nil }
            pieces[index].offset = offset
        }
        var images = images
        for index in images.indices {
            images[index].offset = images[index].offset.flatMap {
                map.moved(($0 + offset)..<($0 + offset))
            }
        }
        return PastEdit(pieces, images, smaller: smaller, settings: settings, in: result)
    }

    /// The change without what must not be recorded: the texts, if a URL is such, since they have the
    /// URL too, or the text around it.
    fileprivate var recorded: PastEdit {
        var result = self
        for index in images.indices { result.images[index].url = recordedURL(images[index].url) }
        if result.images != images || isHidden {
            for index in pieces.indices { result.pieces[index].old = nil }
            result.text = nil
        }
        if let text = result.text, textWithoutSecrets(text) != text { result.text = nil }
        return result
    }

    /// Whether a bake can have written this; a list may come from anywhere.
    var isPossible: Bool {
        let numbers = 0...Int(Int32.max)
        let length = text?.utf8.count ?? Int(Int32.max)
        var end = 0
        for piece in pieces {
            guard piece.offset >= end, numbers.contains(piece.length),
                piece.offset <= length - piece.length
            else { return false }
            end = piece.range.upperBound
        }
        return !pieces.isEmpty && numbers.contains(offset)
            && files.allSatisfy { imageHash(of: $0) != nil }
            && images.allSatisfy { $0.offset.map(numbers.contains) ?? true }
    }
}

/// The tag that has a place in it, with its `<` and `>`; nil if there is none nearby.
func tag(around place: Int, in bytes: [UInt8]) -> Range<Int>? {
    // An attribute may contain some `<`.
    var start = place
    for _ in 0..<8 {
        let before = bytes[max(0, place - longestTag)..<start]
        guard let found = before.lastIndex(of: UInt8(ascii: "<")) else { return nil }
        start = found
        if let end = tagEnd(start, in: bytes), end > place { return start..<end }
    }
    return nil
}

/// The end of the tag that begins at a place, which is no `>` in quotes; nil if no tag does.
func tagEnd(_ start: Int, in bytes: [UInt8]) -> Int? {
    let text = bytes[start...].prefix(longestTag)
    guard let next = text.dropFirst().first,
        (0x61...0x7A).contains(next | 0x20) || next == UInt8(ascii: "/")
    else { return nil }
    var quote: UInt8?
    for (place, byte) in zip(text.indices, text) {
        if let open = quote {
            if byte == open { quote = nil }
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            quote = byte
        } else if byte == UInt8(ascii: ">") {
            return place + 1
        }
    }
    return nil
}

/// The number of bytes of the longest tag that is looked at.
private let longestTag = 8 << 10

/// The URL of a reference as a list has it; a relative one can have secrets too.
///
/// Image folders are committed and published, so passwords, keys of services and the signatures of
/// a URL that expires are not stored. Other parameters that look like secrets are: most are none,
/// and without them the image would be lost for good. A change whose URL had a secret has no old
/// text at all, because notations such as `&amp;` could show in part what the decoded URL hides.
func recordedURL(_ url: String) -> String {
    let reference = ReferenceText(url)
    // Browsers drop tabs and line breaks, which could divide the name of a secret.
    let text = reference.text + reference.fragment
    let base = reference.kind == .relative || reference.kind == .rooted ? "https://h/" : ""
    let shown = withoutSecrets(base + text, for: .author)
    guard shown != base + text else { return url }
    return String(shown.dropFirst(base.count))
}

/// Where the bytes of a document are after splices.
struct SpliceMap {
    private let splices: [Splice]
    /// For each splice, the growth by all splices before it.
    private var growth: [Int] = [0]

    /// - Parameter splices: In ascending order and without overlap.
    init(_ splices: [Splice]) {
        self.splices = splices
        for splice in splices {
            growth.append(growth[growth.count - 1] + splice.text.utf8.count - splice.length)
        }
    }

    /// The new place of the text of one of the splices.
    func start(of splice: Splice) -> Int {
        var index = splices.prefixCount { $0.offset < splice.offset }
        while index < splices.count, splices[index] != splice { index += 1 }
        return splice.offset + growth[min(index, splices.count)]
    }

    /// The new place of a range; nil if a splice concerns its bytes.
    func moved(_ range: Range<Int>) -> Int? {
        let index = splices.prefixCount { $0.range.upperBound <= range.lowerBound }
        if index < splices.count {
            let next = splices[index].offset
            if range.isEmpty ? next < range.lowerBound : next < range.upperBound { return nil }
        }
        return range.lowerBound + growth[index]
    }

    /// The offset before the splices of an offset after them; the start of a splice for an offset
    /// in its text.
    func source(of offset: Int) -> Int {
        let count = splices.indices.prefixCount { splices[$0].offset + growth[$0] <= offset }
        guard count > 0 else { return offset }
        let splice = splices[count - 1]
        let start = splice.offset + growth[count - 1]
        return offset < start + splice.text.utf8.count ? splice.offset : offset - growth[count]
    }
}

extension RandomAccessCollection where Index == Int {
    /// The number of elements at the beginning that meet a condition, which no other one meets.
    func prefixCount(where isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low - startIndex
    }
}
