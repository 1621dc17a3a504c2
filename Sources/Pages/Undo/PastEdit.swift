import Documents
import FetchCache
import Secrets
import Sites

/// A change that bakes in place have made to a document, with what is needed to undo it.
///
/// Each is tested when it is made: if undoing it does not give the bytes before, because changes of
/// two bakes meet at one place, they become one change.
package struct PastEdit: Codable, Hashable, Sendable {
    /// An image that the change made local.
    package struct Image: Codable, Hashable, Sendable {
        /// The name of its file.
        var file: String
        /// The offset of its URL in the document; nil if the URL was removed.
        package var offset: Int?
        /// The URL that was there, decoded, as ``recordedURL(_:)`` gives it.
        package var url: String
    }

    /// A part of the document and the text that was there.
    struct Piece: Codable, Hashable, Sendable {
        var offset: Int
        var length: Int
        /// Nil if the text must not be stored.
        var old: String?
        /// The text that is there now, by which the piece is found after the document was edited;
        /// nil if it is the only piece and adds no further files.
        var new: String?
        /// The text around the place, if nothing is there now; nil for others.
        var around: [String]?

        var end: Int { offset + length }
    }

    /// The first half of the SHA-256 of the text from the first to the last piece.
    ///
    /// It tells whether the text is still the same at another place.
    var digest: String
    package var images: [Image]
    /// In ascending order.
    var pieces: [Piece]
    /// The settings that the images were made with; see ``SiteOrigins``.
    var settings: String
    /// The names of the other files that the change added or needs; nil if there are none.
    var smaller: [String]?

    /// Whether the old text had a secret, so that it was not stored.
    package var isHidden: Bool { pieces.contains { $0.old == nil } }

    /// Whether the change only linked the page to the style sheet of classes that others have added.
    package var isLink: Bool { images.isEmpty && smaller != nil }

    /// The images of a file.
    func images(of file: String) -> [Image] { images.filter { $0.file == file } }

    /// The text from the first to the last piece.
    package var range: Range<Int> {
        let first = pieces.first?.offset ?? 0
        return first..<max(first, pieces.last?.end ?? 0)
    }

    /// The number of pieces that have a text in the document.
    var visiblePieceCount: Int { pieces.count { $0.length > 0 } }

    /// The splices that undo the change; empty if it cannot be undone.
    var splices: [Splice] {
        if isHidden { return [] }
        return pieces.map { Splice(range: $0.offset..<$0.end, text: $0.old ?? "") }
    }

    /// See ``digest``.
    static func digest(of text: ArraySlice<UInt8>) -> String {
        String(BlobDigest(hashing: Array(text)).hex.prefix(32))
    }

    /// The change as if its text began the document.
    var atStart: PastEdit { moved(by: -range.lowerBound) }

    /// The change without its place and its settings.
    var fact: PastEdit {
        var fact = atStart
        fact.settings = ""
        return fact
    }

    /// The change at a place that is `distance` bytes further on.
    func moved(by distance: Int) -> PastEdit {
        var moved = self
        for index in pieces.indices { moved.pieces[index].offset += distance }
        for index in images.indices { moved.images[index].offset? += distance }
        return moved
    }
}

extension [PastEdit] {
    /// The splices that undo the changes, in ascending order.
    var splices: [Splice] { merged(map(\.splices)) }

    /// The document before these changes; nil if they belong to another document.
    package func undone(in bytes: [UInt8]) -> [UInt8]? {
        let splices = splices
        return splices.isEmpty ? bytes : apply(splices, to: bytes)
    }

    /// Sorts splices and keeps the order of those that are at one place.
    private func merged(_ groups: [[Splice]]) -> [Splice] {
        groups.joined().enumerated().sorted {
            ($0.element.offset, $0.element.length, $0.offset)
                < ($1.element.offset, $1.element.length, $1.offset)
        }.map(\.element)
    }
}

extension [PastEdit] {
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
        let all = (fresh + moved).sorted { $0.range.lowerBound < $1.range.lowerBound }
        // Pieces of different changes can meet at one place, where their order decides what they
        // undo. If this order is wrong for some, they become one change.
        let isExact =
            moved.count == kept.count && all.undone(in: result) == kept.undone(in: text)
        let whole = isExact ? nil : PastEdit(all: fresh, kept, text, result, settings: settings)
        self = (isExact ? all : [whole].compactMap(\.self)).map { edit in
            var edit = edit
            edit.notePlacesOfRemovals(in: result)
            return edit.recorded
        }
    }
}

extension PastEdit {
    fileprivate init(
        _ edit: Edit, of text: [UInt8], _ map: SpliceMap, result: [UInt8], settings: String
    ) {
        self.settings = settings
        digest = ""
        let hasNew = edit.splices.count > 1 || !edit.smaller.isEmpty
        pieces = edit.splices.map { splice in
            Piece(
                offset: map.start(of: splice), length: splice.text.utf8.count,
                old: String(validating: text[splice.range], as: UTF8.self),
                new: hasNew ? splice.text : nil)
        }
        images = []
        for image in edit.images {
            let start = pieces[image.splice].offset
            images.append(
                Image(
                    file: bakedFileName(in: image.replacement) ?? image.replacement,
                    offset: image.offset.map { start + $0 }, url: image.url))
        }
        digest = Self.digest(of: result[range])
        let smaller = edit.smaller.compactMap(bakedFileName)
        self.smaller = smaller.isEmpty ? nil : smaller
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
        self.settings = settings
        let isHidden = kept.contains(where: \.isHidden)
        pieces = [
            Piece(
                offset: start, length: result.count - start - end,
                old: isHidden
                    ? nil : String(validating: old[start..<(old.count - end)], as: UTF8.self))
        ]
        images = (kept + fresh).flatMap(\.images).map {
            Image(file: $0.file, offset: nil, url: $0.url)
        }
        let smaller = (kept + fresh).flatMap { $0.smaller ?? [] }
        self.smaller = smaller.isEmpty ? nil : smaller
        digest = Self.digest(of: result[start..<(result.count - end)])
    }

    /// The change after other splices.
    ///
    /// - Parameters:
    ///   - map: The other splices.
    ///   - result: The document after them.
    /// - Returns: nil if they concern the same bytes.
    func moved(by map: SpliceMap, to result: [UInt8]) -> PastEdit? {
        var moved = self
        for (index, piece) in pieces.enumerated() {
            guard let offset = map.moved(piece.offset..<piece.end) else { return nil }
            moved.pieces[index].offset = offset
        }
        for (index, image) in images.enumerated() {
            guard let offset = image.offset else { continue }
            moved.images[index].offset = map.moved(offset..<offset)
        }
        moved.digest = Self.digest(of: result[moved.range])
        return moved
    }

    /// The change without its text, if a URL must not be recorded: the text has the URL too.
    fileprivate var recorded: PastEdit {
        var result = self
        for index in images.indices { result.images[index].url = recordedURL(images[index].url) }
        guard result.images != images || isHidden else { return self }
        result.pieces = pieces.map { Piece(offset: $0.offset, length: $0.length) }
        return result
    }
}

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
        var index = count { $0.offset < splice.offset }
        while index < splices.count, splices[index] != splice { index += 1 }
        return splice.offset + growth[min(index, splices.count)]
    }

    /// The new place of a range; nil if a splice concerns its bytes.
    func moved(_ range: Range<Int>) -> Int? {
        let index = count { $0.range.upperBound <= range.lowerBound }
        if index < splices.count {
            let next = splices[index].offset
            if range.isEmpty ? next < range.lowerBound : next < range.upperBound { return nil }
        }
        return range.lowerBound + growth[index]
    }

    /// The offset before the splices of an offset after them; the start of a splice for an offset
    /// in its text.
    func source(of offset: Int) -> Int {
        var low = 0
        var high = splices.count
        while low < high {
            let middle = (low + high) / 2
            if splices[middle].offset + growth[middle] <= offset {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low > 0 else { return offset }
        let splice = splices[low - 1]
        let start = splice.offset + growth[low - 1]
        return offset < start + splice.text.utf8.count ? splice.offset : offset - growth[low]
    }

    /// The number of splices at the beginning that meet a condition.
    private func count(where isBefore: (Splice) -> Bool) -> Int {
        var low = 0
        var high = splices.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(splices[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
