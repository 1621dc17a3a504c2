import FetchCache
import Files
package import Sites

/// The lines of the lists of a site, by what is looked up in them.
struct OriginLines: Sendable {
    /// A line, and the folder of its list.
    struct Entry: Sendable {
        var folder: String
        var line: OriginList.Line
    }

    /// What decides how a document writes the path of an image.
    private struct Notation: Hashable {
        /// The extension of its file name.
        var kind: String
        var folder: String
        /// The relative path from the document to the image folder.
        var path: String

        init(_ document: String, _ folder: String) {
            self.folder = folder
            kind = document.lastIndex(of: ".").map { document[$0...].lowercased() } ?? ""
            path = String(relativePath(from: document, to: folder + "/x").dropLast())
        }
    }

    /// By folder.
    private(set) var lists: [String: [OriginList.Line]] = [:]
    /// The lines of the lists that name an image.
    private(set) var images: [ImageHash: [Entry]] = [:]
    /// The changes of those that were asked for, as ``PastEdit/atStart``.
    private var changes: [ImageHash: [Notation: Set<PastEdit>]] = [:]
    /// The names of the files in the image folders.
    private(set) var files: Set<String> = []
    /// The hashes in these names, and those of the images that lists name.
    private(set) var made: Set<ImageHash> = []
    /// The paths of the lists that have lines that cannot be read, with their numbers.
    private(set) var damaged: [(path: String, number: Int)] = []
    /// The lines about a document, the last one first, by its absolute path.
    private var documents: [String: [Entry]] = [:]
    /// The lines about documents with the same bytes, by their digest.
    private var versions: [String: [OriginList.Line]] = [:]

    /// Reads the lists of image folders.
    ///
    /// - Throws: ``FileError`` if a list cannot be read.
    init(inFolders folders: [String]) throws(FileError) {
        for folder in folders {
            files.formUnion(namesInFolder(folder))
            let list = OriginList(folder: folder)
            guard list.status != nil else { continue }
            let contents = try list.contents()
            damaged += contents.damaged.map { (list.path, $0.number) }
            lists[folder] = contents.lines
            for line in contents.lines {
                add(line, about: line.path(in: folder), in: folder)
                versions[line.sha256, default: []].append(line)
                for hash in imageHashes(in: line.bytes) {
                    images[hash, default: []].append(Entry(folder: folder, line: line))
                }
            }
        }
        made = Set(images.keys).union(files.compactMap { imageHash(of: $0) })
    }

    /// The folders of the last lines about documents, by the documents' absolute paths.
    var folders: [String: String] { documents.compactMapValues(\.first?.folder) }

    /// The lines about a document, the last one first.
    func entries(about path: String) -> [Entry] { documents[path] ?? [] }

    /// The lines about any documents with these bytes.
    func lines(ofDigest digest: String) -> [OriginList.Line] { versions[digest] ?? [] }

    /// The changes that are recorded for an image.
    ///
    /// - Parameters:
    ///   - hash: The hash of the image.
    ///   - path: The absolute path of a document. In one of another kind, a text is written in another
    ///     way, so only the URLs count: the digest is empty. In one at another place, relative paths
    ///     are as they would be here.
    /// - Returns: The changes, as ``PastEdit/atStart``.
    mutating func changes(of hash: ImageHash, for path: String) -> [PastEdit] {
        if changes[hash] == nil {
            changes[hash] = (images[hash] ?? []).reduce(into: [:]) { changes, entry in
                guard let past = entry.line.past else { return }
                let all = (past.edits + (past.lost ?? [])).filter {
                    $0.files.contains { imageHash(of: $0) == hash }
                }
                let notation = Notation(entry.line.path(in: entry.folder), entry.folder)
                changes[notation, default: []].formUnion(all.map(\.atStart))
            }
        }
        return (changes[hash] ?? [:]).flatMap { notation, edits in
            let own = Notation(path, notation.folder)
            return edits.map { edit in
                if notation.kind != own.kind { return edit.withoutTexts }
                return notation == own ? edit : edit.moved(from: notation.path, to: own.path)
            }
        }
    }

    /// Adds the last line about a document.
    ///
    /// It is found by its document alone: no other one has changes of this run.
    mutating func add(_ line: OriginList.Line, about path: String, in folder: String) {
        documents[path, default: []].insert(Entry(folder: folder, line: line), at: 0)
    }

    /// The lines of a list with one for each document: that of its present bytes, or else the last.
    ///
    /// A document that is gone, or was restored, may come back or have been moved. So its line is
    /// kept, unless others tell as much.
    ///
    /// - Parameters:
    ///   - lines: All lines of the list.
    ///   - folder: Its folder.
    ///   - recorded: The documents with new lines, with the folder of their list.
    ///   - restored: The documents without changes of bakes.
    ///   - named: The images that exist or that a file names; nil if that is not known. A change of
    ///     other images that no document has any more is dropped.
    /// - Returns: The lines to keep.
    static func current(
        _ lines: [OriginList.Line], in folder: String, _ recorded: [String: String],
        without restored: Set<String>, naming named: Set<ImageHash>?
    ) -> [OriginList.Line] {
        var result: [OriginList.Line] = []
        var gone: [OriginList.Line] = []
        for group in Dictionary(grouping: lines, by: \.document).values {
            let path = group[0].path(in: folder)
            if recorded[path].map({ $0 != folder }) == true { continue }
            var line = group[group.count - 1]
            if restored.contains(path) {
                gone += [line.withoutEdits].compactMap(\.self)
            } else if FileStatus(path) == nil {
                gone.append(line)
            } else {
                if Set(group).count > 1, let bytes = try? readFile(path).bytes {
                    let digest = BlobDigest(hashing: bytes).hex
                    line = group.last { $0.sha256 == digest } ?? line
                }
                result.append(line)
            }
        }
        if let named {
            result = result.compactMap { $0.naming(named) }
            gone.removeAll { imageHashes(in: $0.bytes).isDisjoint(with: named) }
        }
        let hashes = gone.reduce(into: Set<ImageHash>()) { $0.formUnion(imageHashes(in: $1.bytes)) }
        var known = Set(
            result.filter { !imageHashes(in: $0.bytes).isDisjoint(with: hashes) }
                .flatMap(\.facts))
        for line in gone.sorted(by: { $0.document < $1.document }) {
            let facts = line.facts
            if known.isSuperset(of: facts) { continue }
            known.formUnion(facts)
            result.append(line)
        }
        return result
    }
}

extension OriginList.Line {
    /// The hashes of the images that the document has.
    package var images: Set<ImageHash> {
        Set(past.map { $0.edits.flatMap(\.files).compactMap(imageHash) } ?? [])
    }

    /// The changes that the line tells, wherever they are in the document.
    fileprivate var facts: Set<PastEdit> {
        Set(past.map { ($0.edits + ($0.lost ?? [])).map(\.fact) } ?? [])
    }

    /// The line of a document that has none of its changes any more; nil if there are none.
    fileprivate var withoutEdits: OriginList.Line? {
        guard var past else { return self }
        past.lost = ((past.lost ?? []) + past.edits).unlike([])
        past.edits = []
        return past.lost?.isEmpty == true ? nil : OriginList.Line(past)
    }

    /// The line without the changes that the document has no more and that are of none of these
    /// images; nil if nothing is left.
    fileprivate func naming(_ images: Set<ImageHash>) -> OriginList.Line? {
        guard !imageHashes(in: bytes).isSubset(of: images), var past, let lost = past.lost else {
            return self
        }
        let kept = lost.filter { !images.isDisjoint(with: $0.files.compactMap(imageHash)) }
        past.lost = kept.isEmpty ? nil : kept
        return past.edits.isEmpty && kept.isEmpty ? nil : OriginList.Line(past)
    }
}
