import Documents
import URLs

/// Finds earlier changes in a document that was edited or moved since.
///
/// A change is found if the text from its first to its last piece is the same as after the bake. If
/// it is not, and only a URL was changed, the URL of its image is put back, provided that the image
/// came from one URL only.
struct PastSearch {
    /// A reference whose URL cannot be put back.
    struct Left: Hashable {
        var offset: Int
        var file: String
        /// The URL, if it is known, without its secrets.
        var url: String?
        var isHidden = false
        /// The URLs that it may have had, without their secrets, if it is not certain which.
        var candidates: [String] = []
        /// Whether a list names the image.
        var isListed = true
    }

    /// The changes that were found, in ascending order.
    private(set) var edits: [PastEdit] = []
    private(set) var left: [Left] = []
    /// The recorded changes that were found, as ``PastEdit/atStart``.
    private(set) var used: Set<PastEdit> = []
    private let bytes: [UInt8]
    private let extraction: Extraction
    /// The recorded change of a reference by its order, as ``PastEdit/atStart``, by the offset of the
    /// reference.
    private let expected: [Int: PastEdit]

    /// - Parameters:
    ///   - bytes: The document.
    ///   - extraction: The references of the document.
    ///   - own: The changes that were recorded for the document.
    ///   - others: Returns the changes that are recorded for an image in any document.
    init(
        _ bytes: [UInt8], _ extraction: Extraction, own: [PastEdit],
        others: (ImageHash) -> [PastEdit]
    ) {
        self.bytes = bytes
        self.extraction = extraction
        expected = Self.expected(own, extraction.references)
        let known = Self.byFile(own)
        var foreign: [ImageHash: [String: [PastEdit]]] = [:]
        var replacements: [Replacement] = []
        var settings: [Range<Int>: (PastEdit, PastEdit.Image)] = [:]
        for reference in extraction.references {
            guard let file = bakedFileName(in: reference.url), let hash = imageHash(of: file)
            else { continue }
            let place = reference.range.lowerBound
            if edits.last.map({ $0.range.contains(place) }) == true { continue }
            var candidates = known[file] ?? []
            if candidates.isEmpty {
                let edits = foreign[hash] ?? Self.byFile(others(hash))
                foreign[hash] = edits
                candidates = edits[file] ?? []
            }
            if candidates.isEmpty { continue }
            if let edit = best(of: candidates, file, at: reference.range) {
                edits.append(edit)
                continue
            }
            if !candidates.contains(where: { $0.images.contains { $0.file == file } }) {
                left.append(
                    Left(
                        offset: place, file: file, url: candidates[0].images.first?.url,
                        isHidden: candidates[0].isHidden))
                continue
            }
            candidates.removeAll { edit in !edit.images.contains { $0.file == file } }
            let images = Set(
                candidates.flatMap { edit in
                    edit.images.filter { $0.file == file }.map {
                        Origin(url: $0.url, isHidden: edit.isHidden)
                    }
                })
            let origin = images.count == 1 ? images.first : nil
            guard let origin, !origin.isHidden, let edit = candidates.first,
                candidates.allSatisfy({ $0.pieces.count == 1 && $0.images.count == 1 }),
                [.absolute, .schemeRelative].contains(ReferenceText(origin.url).kind)
            else {
                left.append(
                    Left(
                        offset: place, file: file, url: origin?.url,
                        isHidden: origin?.isHidden == true,
                        candidates: origin == nil ? images.map(\.url).sorted() : []))
                continue
            }
            used.formUnion(candidates)
            replacements.append(Replacement(reference: reference, url: origin.url))
            settings[reference.range] = (
                edit, PastEdit.Image(file: file, offset: place, url: origin.url)
            )
        }
        add(replacements, settings)
        addLink(own, others)
    }

    /// The changes that brought each file.
    ///
    /// Those that differ in their places only are one, or a page with many equal images would take
    /// quadratic time.
    private static func byFile(_ edits: [PastEdit]) -> [String: [PastEdit]] {
        var known: Set<PastEdit> = []
        var result: [String: [PastEdit]] = [:]
        for edit in edits.map(\.atStart) where known.insert(edit).inserted {
            for file in edit.files { result[file, default: []].append(edit) }
        }
        return result
    }

    private struct Origin: Hashable {
        var url: String
        var isHidden: Bool
    }

    /// The change that has named a file at a place, as far as it is still there; nil if there is none,
    /// or it is not certain which.
    private mutating func best(
        of candidates: [PastEdit], _ file: String, at url: Range<Int>
    ) -> PastEdit? {
        let end = edits.last?.range.upperBound ?? 0
        var found: [(past: PastEdit, edit: PastEdit, isWhole: Bool)] = []
        for past in candidates where !past.isHidden {
            if let edit = past.whole(in: bytes, naming: file, at: url) {
                found.append((past, edit, true))
            } else if let edit = past.remaining(in: bytes, naming: file, at: url) {
                found.append((past, edit, false))
            }
        }
        found.removeAll { $0.edit.range.lowerBound < end }
        // The text of one change can be a part of that of another.
        let most = found.map(\.edit.visiblePieceCount).max()
        found.removeAll { $0.edit.visiblePieceCount != most }
        if found.contains(where: \.isWhole) { found.removeAll { !$0.isWhole } }
        if Set(found.map(\.edit.splices)).count > 1, let past = expected[url.lowerBound] {
            found.removeAll { $0.past != past }
        }
        guard Set(found.map(\.edit.splices)).count == 1,
            let best = found.min(by: { $0.edit.settings < $1.edit.settings })
        else { return nil }
        used.formUnion(found.map(\.past))
        return best.edit
    }

    /// The recorded changes of references, if a document still names each file as often as then.
    private static func expected(
        _ recorded: [PastEdit], _ references: References
    ) -> [Int: PastEdit] {
        var edits: [String: [(offset: Int, edit: PastEdit)]] = [:]
        for edit in recorded {
            for image in edit.images {
                guard let offset = image.offset else { continue }
                edits[image.file, default: []].append((offset, edit))
            }
        }
        var places: [String: [Int]] = [:]
        for reference in references {
            guard let file = bakedFileName(in: reference.url) else { continue }
            places[file, default: []].append(reference.range.lowerBound)
        }
        var expected: [Int: PastEdit] = [:]
        for (file, offsets) in places {
            guard let edits = edits[file], edits.count == offsets.count else { continue }
            for (offset, edit) in zip(offsets.sorted(), edits.sorted { $0.offset < $1.offset }) {
                expected[offset] = edit.edit.atStart
            }
        }
        return expected
    }

    /// Adds the change that linked the page to the style sheet of added classes, if the link is as it
    /// was: no reference leads to it.
    private mutating func addLink(_ own: [PastEdit], _ others: (ImageHash) -> [PastEdit]) {
        guard let name = bytes.firstRange(of: AddedSheet.fileName.utf8),
            let hash = imageHash(of: AddedSheet.fileName)
        else { return }
        let links = own.filter(\.isLink)
        for edit in links.isEmpty ? others(hash).filter(\.isLink) : links {
            guard let piece = edit.pieces.first, let text = piece.new.map({ Array($0.utf8) }),
                let before = text.firstRange(of: AddedSheet.fileName.utf8)?.lowerBound
            else { continue }
            let start = name.lowerBound - before
            guard start >= 0, bytes[start...].starts(with: text) else { continue }
            edits.append(edit.moved(by: start - piece.offset))
            return edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        }
    }

    /// Adds changes that put a URL back and leave everything else.
    private mutating func add(
        _ replacements: [Replacement], _ known: [Range<Int>: (PastEdit, PastEdit.Image)]
    ) {
        if replacements.isEmpty { return }
        let rewritten: Rewrite?
        do throws(RewriteError) {
            rewritten = try rewrite(bytes, extraction: extraction, replacements: replacements)
        } catch {
            rewritten = nil
        }
        for replacement in replacements {
            let range = replacement.reference.range
            guard let (edit, image) = known[range] else { continue }
            guard let splice = rewritten?.splices.first(where: { $0.range == range }) else {
                left.append(Left(offset: range.lowerBound, file: image.file, url: image.url))
                continue
            }
            edits.append(
                PastEdit(
                    digest: PastEdit.digest(of: bytes[range]), images: [image],
                    pieces: [
                        PastEdit.Piece(
                            offset: range.lowerBound, length: range.count, old: splice.text)
                    ], settings: edit.settings))
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        left.sort { $0.offset < $1.offset }
    }
}

extension SiteOrigins.Past {
    /// - Parameters:
    ///   - edits: The changes that were found.
    ///   - left: The references that cannot be undone.
    ///   - recorded: The recorded changes that were not found.
    ///   - others: The changes of other documents.
    ///   - bytes: The document. Where it names an image of a change that was not found, outside of
    ///     what was found, it cannot be undone either.
    init(
        _ edits: [PastEdit], left: [PastSearch.Left] = [], lost recorded: [PastEdit],
        others: [PastEdit] = [], in bytes: [UInt8]
    ) {
        self.init(edits: edits, left: left, lost: recorded)
        let named = recorded + others
        if named.isEmpty { return }
        let hashes = imageHashes(in: bytes)
        let pieces = edits.flatMap(\.pieces)
        for edit in named {
            let places = edit.files.sorted().flatMap { file in
                imageHash(of: file).map(hashes.contains) != true
                    ? [] : bytes.ranges(of: Array(file.utf8)).map { (file, $0) }
            }.filter { _, range in
                !pieces.contains { $0.offset <= range.lowerBound && range.upperBound <= $0.end }
            }
            for (file, range) in places {
                // A reference is there too, and its URL begins before the name of the file.
                let isTold = self.left.contains { left in
                    left.file == file && left.offset <= range.lowerBound
                        && bytes[left.offset..<range.lowerBound].allSatisfy {
                            $0 > 0x20 && !"\"'<>()".utf8.contains($0)
                        }
                }
                if isTold { continue }
                let urls = Set(edit.images.filter { $0.file == file }.map(\.url))
                self.left.append(
                    PastSearch.Left(
                        offset: range.lowerBound, file: file, url: urls.first,
                        isHidden: edit.isHidden, candidates: edit.isHidden ? [] : urls.sorted()))
            }
        }
    }
}

extension [PastEdit] {
    /// The changes that are not among others, each once and without its place, in a fixed order.
    func unlike(_ others: [PastEdit]) -> [PastEdit] {
        var known = Set(others.map(\.fact))
        return map(\.atStart).filter { known.insert($0.fact).inserted }.sorted {
            ($0.digest, $0.settings) < ($1.digest, $1.settings)
        }
    }
}
