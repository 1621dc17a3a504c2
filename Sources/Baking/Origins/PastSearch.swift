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
    private let bytes: [UInt8]
    private let extraction: Extraction

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
        let own = Dictionary(
            grouping: own.flatMap { edit in edit.files.map { ($0, edit) } }, by: \.0)
        var replacements: [Replacement] = []
        var settings: [Range<Int>: (PastEdit, PastEdit.Image)] = [:]
        for reference in extraction.references {
            guard let file = bakedFileName(in: reference.url), let hash = imageHash(of: file)
            else { continue }
            let place = reference.range.lowerBound
            if edits.last.map({ $0.range.contains(place) }) == true { continue }
            var candidates = own[file]?.map(\.1) ?? []
            if candidates.isEmpty {
                candidates = others(hash).filter { $0.files.contains(file) }
            }
            if candidates.isEmpty { continue }
            if let edit = exact(candidates, file, at: place) {
                edits.append(edit)
                continue
            }
            if let edit = remaining(candidates, file, at: reference.range) {
                edits.append(edit)
                continue
            }
            candidates.removeAll { edit in !edit.images.contains { $0.file == file } }
            if candidates.isEmpty { continue }
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
            replacements.append(Replacement(reference: reference, url: origin.url))
            settings[reference.range] = (
                edit, PastEdit.Image(file: file, offset: place, url: origin.url)
            )
        }
        add(replacements, settings)
    }

    private struct Origin: Hashable {
        var url: String
        var isHidden: Bool
    }

    /// The change whose text is at a place; nil if there is none, or it is not certain which.
    private func exact(_ candidates: [PastEdit], _ file: String, at place: Int) -> PastEdit? {
        var found: Set<PastEdit> = []
        for edit in candidates where !edit.isHidden {
            for image in edit.images where image.file == file {
                guard let offset = image.offset else { continue }
                let moved = edit.moved(by: place - offset)
                guard moved.range.lowerBound >= (edits.last?.range.upperBound ?? 0),
                    moved.range.upperBound <= bytes.count,
                    PastEdit.digest(of: bytes[moved.range]) == moved.digest
                else { continue }
                found.insert(moved)
            }
        }
        let texts = Set(found.map(\.pieces))
        return texts.count == 1 ? found.min { $0.settings < $1.settings } : nil
    }

    /// What is left of the change that named a file at a place; nil if there is none, or it is not
    /// certain which.
    private func remaining(
        _ candidates: [PastEdit], _ file: String, at place: Range<Int>
    ) -> PastEdit? {
        let found = Set(candidates.compactMap { $0.remaining(in: bytes, naming: file, at: place) })
        let most = found.map(\.pieces.count).max()
        let best = found.filter { $0.pieces.count == most }
        guard let edit = best.min(by: { $0.settings < $1.settings }),
            edit.range.lowerBound >= (edits.last?.range.upperBound ?? 0)
        else { return nil }
        return Set(best.map(\.pieces)).count == 1 ? edit : nil
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
