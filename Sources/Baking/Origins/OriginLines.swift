import FetchCache
import Files

/// The lines of the lists of a site, by what is looked up in them.
struct OriginLines: Sendable {
    /// A line, and the folder of its list.
    struct Entry: Sendable {
        var folder: String
        var line: OriginList.Line
    }

    /// By folder.
    private(set) var lists: [String: [OriginList.Line]] = [:]
    /// The lines of the lists that name an image.
    private(set) var images: [ImageHash: [OriginList.Line]] = [:]
    /// The names of the files in the image folders.
    private(set) var files: Set<String> = []
    /// The paths of the lists that have lines that cannot be read, with their numbers.
    private(set) var damaged: [(path: String, number: Int)] = []
    /// The lines about a document, the last one first, by its absolute path.
    private var documents: [String: [Entry]] = [:]
    /// The lines about documents that do not exist, by the digest of the document.
    private var lost: [String: [OriginList.Line]] = [:]

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
                for hash in imageHashes(in: line.bytes) { images[hash, default: []].append(line) }
            }
        }
        for (path, entries) in documents where FileStatus(path) == nil {
            for line in entries.map(\.line) { lost[line.sha256, default: []].append(line) }
        }
    }

    /// The folders of the last lines about documents, by the documents' absolute paths.
    var folders: [String: String] { documents.compactMapValues(\.first?.folder) }

    /// The lines about a document, the last one first.
    func entries(about path: String) -> [Entry] { documents[path] ?? [] }

    /// The lines about documents with these bytes that do not exist any more.
    func lostLines(ofDigest digest: String) -> [OriginList.Line] { lost[digest] ?? [] }

    /// Adds the last line about a document.
    ///
    /// It is found by its document alone: no other one has changes of this run.
    mutating func add(_ line: OriginList.Line, about path: String, in folder: String) {
        documents[path, default: []].insert(Entry(folder: folder, line: line), at: 0)
    }

    /// The lines of a list with one for each document: that of its present bytes, or else the last.
    ///
    /// - Parameters:
    ///   - lines: All lines of the list.
    ///   - folder: Its folder.
    ///   - recorded: The documents with new lines, with the folder of their list.
    ///   - restored: The documents without changes of bakes.
    /// - Returns: The lines to keep.
    static func current(
        _ lines: [OriginList.Line], in folder: String, _ recorded: [String: String],
        without restored: Set<String>
    ) -> [OriginList.Line] {
        var groups: [String: [OriginList.Line]] = [:]
        for line in lines { groups[line.document, default: []].append(line) }
        var missing: [OriginList.Line] = []
        var hashes: Set<ImageHash> = []
        var result: [OriginList.Line] = []
        for group in groups.values {
            let path = group[0].path(in: folder)
            if restored.contains(path) || recorded[path].map({ $0 != folder }) == true { continue }
            guard FileStatus(path) != nil else {
                missing += group.suffix(1)
                continue
            }
            var line = group[group.count - 1]
            if Set(group).count > 1, let bytes = try? readFile(path).bytes {
                let digest = BlobDigest(hashing: bytes).hex
                line = group.last { $0.sha256 == digest } ?? line
            }
            hashes.formUnion(imageHashes(in: line.bytes))
            result.append(line)
        }
        // A document that is gone may come back at another place, as long as its images are there.
        let files = Set(namesInFolder(folder).compactMap { imageHash(of: $0) })
        return result
            + missing.filter { line in
                imageHashes(in: line.bytes).contains { files.contains($0) && !hashes.contains($0) }
            }
    }
}
