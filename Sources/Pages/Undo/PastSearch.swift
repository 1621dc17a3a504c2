package import Documents
package import Reports
import Sites
import URLs

/// Finds earlier changes in a document that was edited or moved since.
///
/// A change is found if the text from its first to its last piece is the same as after the bake. If
/// it is not, and only a URL was changed, the URL of its image is put back, provided that the image
/// came from one URL only.
package struct PastSearch {
    /// A reference whose URL cannot be put back.
    package struct Left: Hashable {
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
    ///   - own: The changes that it had when it was last baked.
    ///   - others: Returns the changes, as ``PastEdit/atStart``, that are recorded for an image in any
    ///     document.
    ///   - extract: Finds the references of a document of its kind.
    init(
        _ bytes: [UInt8], own: [PastEdit], others: (ImageHash) -> [PastEdit],
        extract: (_ document: [UInt8]) -> Extraction
    ) {
        self.bytes = bytes
        extraction = extract(bytes)
        expected = Self.expected(own, extraction.references)
        let known = Self.byFile(own)
        let recorded = Self.count(own.flatMap(\.images).map(\.file))
        let present = Self.count(extraction.references.compactMap { bakedFileName(in: $0.url) })
        var foreign: [ImageHash: [String: [PastEdit]]] = [:]
        var found: [Found] = []
        for reference in extraction.references {
            guard let file = bakedFileName(in: reference.url), let hash = imageHash(of: file)
            else { continue }
            let place = reference.range.lowerBound
            if edits.last.map({ $0.range.contains(place) }) == true { continue }
            let mine = known[file] ?? []
            if foreign[hash] == nil { foreign[hash] = Self.byFile(others(hash)) }
            let all = mine + (foreign[hash]?[file] ?? [])
            if all.isEmpty { continue }
            let urls = Set(all.flatMap { $0.images(of: file) }.map(\.url))
            // With more places than were recorded, one was copied from anywhere.
            let isOwn = !mine.isEmpty && present[file, default: 0] <= recorded[file, default: 0]
            var candidates = isOwn ? mine : all
            if isOwn || urls.count < 2,
                let edit = best(
                    of: candidates, or: urls.count < 2 ? all : [], file, at: reference.range)
            {
                edits.append(edit)
                continue
            }
            if urls.isEmpty {
                left.append(
                    Left(
                        offset: place, file: file, url: candidates[0].images.first?.url,
                        isHidden: candidates[0].isHidden))
                continue
            }
            candidates.removeAll { $0.images(of: file).isEmpty }
            let images = Set(
                candidates.flatMap { edit in
                    edit.images(of: file).map { Origin(url: $0.url, isHidden: edit.isHidden) }
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
            let texts = Set(candidates.filter { !$0.digest.isEmpty }.map { $0.pieces[0].old })
            found.append(
                Found(
                    replacement: Replacement(reference: reference, url: origin.url),
                    text: texts.count == 1 ? texts.first ?? nil : nil, settings: edit.settings,
                    image: PastEdit.Image(file: file, offset: place, url: origin.url)))
        }
        add(found, extract)
        addLink(own, others)
    }

    /// A reference whose URL is put back, and nothing else.
    private struct Found {
        var replacement: Replacement
        /// The text that was there, if all candidates tell the same.
        var text: String?
        var settings: String
        var image: PastEdit.Image
    }

    private static func count(_ files: [String]) -> [String: Int] {
        Dictionary(files.map { ($0, 1) }, uniquingKeysWith: +)
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
        of candidates: [PastEdit], or others: [PastEdit], _ file: String, at url: Range<Int>
    ) -> PastEdit? {
        let end = edits.last?.range.upperBound ?? 0
        var found: [(past: PastEdit, edit: PastEdit, isWhole: Bool)] = []
        for past in Set(candidates + others) where !past.isHidden {
            if let edit = past.whole(in: bytes, naming: file, at: url) {
                found.append((past, edit, true))
            } else if candidates.contains(past),
                let edit = past.remaining(in: bytes, naming: file, at: url)
            {
                found.append((past, edit, false))
            }
        }
        found.removeAll { $0.edit.range.lowerBound < end }
        // The text of one change can be a part of that of another.
        let most = found.map(\.edit.visiblePieceCount).max()
        found.removeAll { $0.edit.visiblePieceCount != most }
        let past = expected[url.lowerBound].flatMap { candidates.contains($0) ? $0 : nil }
        if let past, found.contains(where: { $0.past == past }) {
            found.removeAll { $0.past != past }
        } else if found.contains(where: \.isWhole) {
            found.removeAll { !$0.isWhole }
        }
        if let past {
            // An earlier version of the document may have come back, with all of its text.
            found.removeAll {
                $0.past != past && (!$0.isWhole || $0.past.pieces.count <= past.pieces.count)
            }
        } else {
            // Another change may have been here, of which something was edited.
            let counts = Set(
                candidates.filter { !$0.images(of: file).isEmpty }.map(\.pieces.count))
            found.removeAll {
                counts.count > 1 && (!$0.isWhole || $0.past.pieces.count != counts.max())
            }
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
    private mutating func add(_ found: [Found], _ extract: ([UInt8]) -> Extraction) {
        if found.isEmpty { return }
        let rewritten: Rewrite?
        do throws(RewriteError) {
            rewritten = try rewrite(
                bytes, extraction: extraction, replacements: found.map(\.replacement))
        } catch {
            rewritten = nil
        }
        let texts = readable(found, extract)
        for item in found {
            let range = item.replacement.reference.range
            let splice = rewritten?.splices.first { $0.range == range }
            guard let old = texts[range] ?? splice?.text else {
                left.append(
                    Left(offset: range.lowerBound, file: item.image.file, url: item.image.url))
                continue
            }
            edits.append(
                PastEdit(
                    digest: PastEdit.digest(of: bytes[range]), images: [item.image],
                    pieces: [
                        PastEdit.Piece(offset: range.lowerBound, length: range.count, old: old)
                    ], settings: item.settings))
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        left.sort { $0.offset < $1.offset }
    }

    /// The old texts that the document is read with as with their URLs: another place may need
    /// another notation.
    private func readable(
        _ found: [Found], _ extract: ([UInt8]) -> Extraction
    ) -> [Range<Int>: String] {
        let known = found.filter { $0.text != nil }
        let splices = known.map {
            Splice(range: $0.replacement.reference.range, text: $0.text ?? "")
        }
        guard let text = apply(splices, to: bytes) else { return [:] }
        let map = SpliceMap(splices)
        let read = Dictionary(
            extract(text).references.map { ($0.range.lowerBound, $0.url) }
        ) { first, _ in first }
        return zip(known, splices).reduce(into: [:]) { texts, item in
            let url = read[map.start(of: item.1)]
            if url == item.0.replacement.url { texts[item.1.range] = item.1.text }
        }
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

extension PastEdit {
    /// The change as one that is left as it is.
    package var left: PastSearch.Left {
        PastSearch.Left(
            offset: images.compactMap(\.offset).first ?? range.lowerBound,
            file: images.first?.file ?? "", url: images.first?.url, isHidden: isHidden)
    }
}

extension PastSearch.Left {
    fileprivate var problem: Problem {
        guard isListed else {
            return Problem(
                .uncertainOrigin, "no list tells where this image came from",
                remedy: "restore the folder that was baked, or write the original URL")
        }
        guard isHidden else {
            return Problem(
                .uncertainOrigin,
                "the document was changed, and the old URL of \(file) is not certain",
                remedy: choice)
        }
        return Problem(
            .hiddenOrigin, "the old URL is not known, since it had a secret that no list keeps")
    }

    /// The remedy that lists what the old URL may be; nil if that is not known.
    private var choice: String? {
        let urls = candidates.isEmpty ? [url].compactMap(\.self) : candidates
        let named = urls.prefix(5).joined(separator: ", ")
        let others = urls.count > 5 ? " and \(urls.count - 5) more" : ""
        return urls.isEmpty ? nil : "write the original URL: \(named)\(others)"
    }
}

extension [PastSearch.Left] {
    /// The diagnostics of references that are left as they are.
    ///
    /// - Parameters:
    ///   - severity: Their severity.
    ///   - bytes: The document.
    ///   - name: The name of the document in messages.
    /// - Returns: The diagnostics, in the order of the document.
    package func diagnostics(
        _ severity: Diagnostic.Severity, in bytes: [UInt8], of name: String
    ) -> [Diagnostic] {
        let sorted = sorted { $0.offset < $1.offset }
        return zip(sorted, positions(of: sorted.map(\.offset), in: bytes)).map { left, position in
            let place = Diagnostic.Place(name, line: position.line, column: position.column)
            return Diagnostic(left.problem, severity, at: place, url: left.url ?? left.file)
        }
    }
}

extension Diagnostic {
    /// Whether the first place is one of these.
    package func isAt(_ positions: Set<Position>) -> Bool {
        guard let line = places.first?.line, let column = places.first?.column else { return false }
        return positions.contains(Position(line: line, column: column))
    }
}
