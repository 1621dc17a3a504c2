import FetchCache
package import Files
import FoundationEssentials
import Records
import Reports
package import Sites

/// The changes that bakes in place have made to one document.
struct PastDocument: Codable, Hashable, Sendable {
    /// The path of the document, relative to the image folder; empty for a change that a document had
    /// once.
    var document = ""
    var edits: [PastEdit]
    /// The SHA-256 of the document after the last bake, in hexadecimal.
    var sha256 = String(repeating: "0", count: 64)
}

/// The ``FolderRecord`` of an image folder that says where the images came from.
///
/// ```text
/// {"imgbake-origins":1,…}                                  a heading
/// {"document":"../a.md","edits":[…],"sha256":"…"}          a line for each document
/// {"document":"","edits":[…],"sha256":"0…"}                a change that no document has any more
/// ```
///
/// A document can have several lines until the bake ends: each says in ``PastDocument/sha256`` which
/// version it belongs to.
///
/// Paths are relative to the image folder, so two sites can share one, and a project gives the same
/// list whether it or its content folder is baked.
///
/// What is known is never dropped: a change that its document has no more gets a line of its own,
/// until `--prune` finds that its images neither exist nor are named by any file. A document that
/// names baked images and was edited, moved or copied gets a new line even if nothing changes, so
/// that the next edit is compared with the present text.
package struct OriginList {
    /// The name of the file; hidden, so that it is no page of the site.
    package static let name = OwnFiles.origins

    static let heading = Array(
        (#"{"imgbake-origins":1,"about":"Where the images of this folder came from. "#
            + #"'imgbake restore' puts their URLs back."}"#).utf8)

    /// A line about a document, which is decoded only if it is needed.
    package struct Line: Hashable, Sendable {
        /// A part of the file that it was read from.
        package let bytes: ArraySlice<UInt8>
        /// The path of the document, relative to the image folder.
        let document: String
        let sha256: String

        init(_ past: PastDocument) {
            // The values are texts and numbers, which can always be encoded.
            bytes = Array(canonicalText(of: past).utf8)[...]
            document = past.document
            sha256 = past.sha256
        }

        /// What is between the changes and the digest.
        private static let tail = Array(#","sha256":""#.utf8)

        /// Nil if the bytes are not a line about a document.
        init?(_ bytes: ArraySlice<UInt8>) {
            let (head, edits) = (Array(#"{"document":""#.utf8), Array(#"","edits":["#.utf8))
            let start = min(bytes.startIndex + head.count, bytes.endIndex)
            var end = start
            while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
                end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard end < bytes.endIndex, bytes.starts(with: head), bytes[end...].starts(with: edits),
                bytes.suffix(2).elementsEqual(#""}"#.utf8),
                bytes.dropLast(66).suffix(Self.tail.count).elementsEqual(Self.tail)
            else { return nil }
            let path = bytes[start..<end]
            let isPlain = !path.contains(UInt8(ascii: "\\"))
            let text =
                isPlain
                ? String(validating: path, as: UTF8.self)
                : try? JSONDecoder().decode(String.self, from: Data(bytes[(start - 1)...end]))
            guard let text else { return nil }
            self.bytes = bytes
            document = text
            sha256 = String(decoding: bytes.dropLast(2).suffix(64), as: UTF8.self)
        }

        /// The absolute path of the document, if the list is in a folder.
        package func path(in folder: String) -> String {
            "/" + plainPath(joined(folder, document))
        }

        /// The whole line; nil if it is damaged.
        var past: PastDocument? {
            let past = try? JSONDecoder().decode(PastDocument.self, from: Data(bytes))
            return past.flatMap { $0.edits.allSatisfy(\.isPossible) ? $0 : nil }
        }

        /// The hashes of the images that the document has.
        package var images: Set<ImageHash> {
            if document.isEmpty { return [] }
            return (past?.edits ?? []).reduce(into: []) { $0.formUnion($1.hashes) }
        }

        /// Whether a change of the document may name no image, such as the removal of a link.
        var mayHaveEditsWithoutImages: Bool {
            bytes.firstRange(of: #""images":[]"#.utf8) != nil
        }

        /// Whether the document has any change.
        var hasEdits: Bool {
            let edits = bytes.dropLast(66 + Self.tail.count)
            return !edits.suffix(10).elementsEqual(#""edits":[]"#.utf8)
        }
    }

    /// The absolute path of the image folder.
    let folder: String

    package init(folder: String) { self.folder = folder }

    private var record: FolderRecord { FolderRecord(folder: folder, name: Self.name) }
    var path: String { record.path }

    var status: FileStatus? { FileStatus(path).flatMap { $0.kind == .file ? $0 : nil } }

    /// The lines of a file.
    package struct Contents {
        /// The lines about documents, in the order of the file.
        package var lines: [Line] = []
        /// Lines that cannot be read, with their numbers, which begin with 1.
        var damaged: [(number: Int, bytes: ArraySlice<UInt8>)] = []

        init(_ bytes: [UInt8]) {
            let all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, text) in all.enumerated() where !text.isEmpty {
                if let line = Line(text) {
                    lines.append(line)
                } else if !OriginList.passedOver.contains(where: { text.starts(with: $0.utf8) }) {
                    damaged.append((index + 1, text))
                }
            }
        }
    }

    private static let headingStart = #"{"imgbake-origins":"#
    /// The beginnings of lines that are made anew, that earlier versions wrote, and that git adds at a
    /// conflict.
    private static let passedOver = [
        headingStart, #"{"unused":"#, "<<<<<<< ", "=======", ">>>>>>> ", "||||||| ",
    ]

    /// - Throws: ``FileError`` if the file exists and cannot be read.
    package func contents() throws(FileError) -> Contents {
        guard FileStatus(path) != nil else { return Contents([]) }
        return Contents(try readFile(path).bytes)
    }

    /// Checks that no newer version has written the file, by its first bytes.
    ///
    /// - Throws: ``BakeError``.
    func requireKnownVersion() throws(BakeError) {
        guard let file = try? OpenFile(reading: path),
            let start = try? file.read(atMost: Self.headingStart.utf8.count + 2),
            start.starts(with: Self.headingStart.utf8),
            case let version = start.dropFirst(Self.headingStart.utf8.count),
            !version.prefix(while: { (0x30...0x39).contains($0) }).elementsEqual("1".utf8)
        else { return }
        throw BakeError(
            "a newer version of imgbake has written \(path), which says where the images came from; "
                + "use that version")
    }

    /// Adds lines at the end.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - isSynced: Whether to wait until they are on disk.
    /// - Throws: ``FileError``.
    func append(_ lines: [Line], isSynced: Bool) throws(FileError) {
        try record.append(lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] }, isSynced: isSynced)
    }

    /// Replaces the lines, and removes the file if none is left.
    ///
    /// - Parameters:
    ///   - keepsDamaged: Whether damaged lines are kept even if there are no others.
    ///   - change: Returns the new lines, in any order, from those of the file.
    /// - Throws: ``FileError``.
    func update(keepsDamaged: Bool, _ change: ([Line]) -> [Line]) throws(FileError) {
        guard status != nil else { return }
        try record.update { old in
            let contents = Contents(old)
            var new = change(contents.lines).map(\.bytes)
            // Somebody may be able to repair a damaged line, but not what a killed bake left of one.
            if !new.isEmpty || keepsDamaged {
                new += contents.damaged.map(\.bytes).filter { $0.last == UInt8(ascii: "}") }
            }
            if new.isEmpty { return [] }
            new.sort { $0.lexicographicallyPrecedes($1) }
            return Self.heading + [UInt8(ascii: "\n")]
                + new.flatMap { $0 + [UInt8(ascii: "\n")] }
        }
    }
}

extension OriginList {
    /// The lines of a list at the end of a run.
    ///
    /// Each document that has changes of bakes keeps the line of its present bytes, or else the last
    /// one. What only other lines tell becomes a change that a document had once.
    ///
    /// - Parameters:
    ///   - lines: All lines of the list.
    ///   - folder: Its folder.
    ///   - others: The absolute paths of documents without changes that this list tells.
    ///   - named: The images that exist or that a file names; nil if that is not known. A change of
    ///     other images that no document has any more is dropped.
    /// - Returns: The lines to keep.
    static func current(
        _ lines: [Line], in folder: String, without others: Set<String>,
        naming named: Set<ImageHash>?
    ) -> [Line] {
        var result: [Line] = []
        var rest: [Line] = []
        for (document, group) in Dictionary(grouping: lines, by: \.document) {
            var kept: Line?
            let path = group[0].path(in: folder)
            if !document.isEmpty, !others.contains(path), FileStatus(path) != nil {
                kept = group[group.count - 1]
                if Set(group).count > 1, let bytes = try? readFile(path).bytes {
                    let digest = BlobDigest(hashing: bytes).hex
                    kept = group.last { $0.sha256 == digest } ?? kept
                }
            }
            if let kept, kept.hasEdits { result.append(kept) }
            rest += group.filter { $0 != kept }
        }
        let hashes = rest.reduce(into: Set<ImageHash>()) { $0.formUnion(imageHashes(in: $1.bytes)) }
        let told = result.filter { !imageHashes(in: $0.bytes).isDisjoint(with: hashes) }
        var known = Set(told.flatMap { $0.past?.edits ?? [] }.map(\.fact))
        let once = rest.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .flatMap { $0.past?.edits ?? [] }
        for edit in once where known.insert(edit.fact).inserted {
            if named.map(edit.hashes.isDisjoint) == true { continue }
            result.append(Line(PastDocument(edits: [edit.atStart])))
        }
        return result
    }
}

/// The lines of the lists of a site, by what is looked up in them.
struct OriginLines: Sendable {
    /// A line, and the folder of its list.
    struct Entry: Sendable {
        var folder: String
        var line: OriginList.Line
    }

    /// The lines of the lists that name an image.
    private var images: [ImageHash: [OriginList.Line]] = [:]
    /// The changes of those that were asked for.
    private var changes: [ImageHash: [PastEdit]] = [:]
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
            for line in contents.lines {
                if !line.document.isEmpty {
                    documents[line.path(in: folder), default: []].insert(
                        Entry(folder: folder, line: line), at: 0)
                    versions[line.sha256, default: []].append(line)
                }
                for hash in imageHashes(in: line.bytes) { images[hash, default: []].append(line) }
            }
        }
        made = Set(images.keys).union(files.compactMap { imageHash(of: $0) })
    }

    /// The lines about a document, the last one first.
    func entries(about path: String) -> [Entry] { documents[path] ?? [] }

    /// The lines about any documents with these bytes.
    func lines(ofDigest digest: String) -> [OriginList.Line] { versions[digest] ?? [] }

    /// Whether a list names one of some images.
    func name(_ hashes: Set<ImageHash>) -> Bool { !hashes.isDisjoint(with: images.keys) }

    /// The changes that no document has any more, of some images.
    func lost(of hashes: Set<ImageHash>) -> [PastEdit] {
        let lines = Set(hashes.flatMap { images[$0] ?? [] }.filter(\.document.isEmpty))
        return lines.flatMap { $0.past?.edits ?? [] }
    }

    /// The changes that are recorded for an image in any document.
    mutating func changes(of hash: ImageHash) -> [PastEdit] {
        if let known = changes[hash] { return known }
        let all = (images[hash] ?? []).flatMap { $0.past?.edits ?? [] }
        let found = all.filter { $0.hashes.contains(hash) }
        changes[hash] = found
        return found
    }
}
