import Documents
package import FetchCache
import Files
import Locks
package import Sites
import StyleSizing

/// The ``FolderRecord`` of an image folder that says of which image each file was made.
///
/// ```text
/// # imgbake made these files of the images with these SHA-256.
/// a-0123456789abcdef.webp 5f2e…
/// logo-fedcba9876543210.png 0a1b… local
/// old-89abcdef01234567.webp 77c0… unnamed=1767225600
/// imgbake-456789abcdef0123.css 4567… local
/// index.json site-index
/// ```
///
/// It says nothing that a bake needs: a line that is missing or damaged is written again when its
/// image is made or found complete. `imgbake check --lock` and ``SitePruning`` read it.
package struct ImageFileList: Equatable {
    /// The source of a file.
    package struct Source: Equatable, Sendable {
        package var digest: BlobDigest
        /// When ``SitePruning`` first found no file that names it, in seconds since 1970; nil if one
        /// does, or if none has looked.
        package var unnamedSince: Int64?
        /// Whether it is a file of the site itself.
        package var isLocal: Bool
    }

    /// The name of the file; hidden, so that it is no page of the site.
    package static let name = OwnFiles.imageList
    private static let heading = "# imgbake made these files of the images with these SHA-256.\n"

    /// The sources, by the names of the files.
    package var files: [String: Source] = [:]
    /// Whether the folder has a ``SiteIndex``, by that name.
    package var hasIndex = false
    private static let indexLine = "\(SiteIndex.name) site-index"

    init() {}

    /// Reads the lists in a folder; lines that cannot be used are left out.
    package init(inFolder folder: String) {
        for part in Self.record(inFolder: folder).parts {
            if let bytes = try? readFile(folder + "/" + part).bytes { add(bytes) }
        }
    }

    /// The files of an image; a placeholder, which is drawn, is made of nothing else.
    init(of image: BakedImage, isDrawn: Bool = false) {
        var isLocal = isDrawn
        if case .local = ImageLocation(key: image.url) { isLocal = true }
        let source = Source(digest: image.sourceDigest, isLocal: isLocal)
        for file in image.files { files[file.fileName] = source }
    }

    /// The style sheet of added classes, which is made of nothing else.
    static var sheet: ImageFileList {
        var list = ImageFileList()
        list.files[AddedSheet.fileName] = Source(digest: AddedSheet.digest, isLocal: true)
        return list
    }

    /// The lists of a folder; see ``FolderRecord``.
    package static func record(inFolder folder: String, of shard: Shard? = nil) -> FolderRecord {
        FolderRecord(folder: folder, name: name, shard: shard)
    }

    /// Whether a folder of baked images has no list that a bake has completed.
    package static func isMissing(inFolder folder: String) -> Bool {
        ImageFolder.isMarked(folder)
            && !record(inFolder: folder).parts.contains { isComplete(folder + "/" + $0) }
    }

    /// Whether a bake has written a list as a whole; if not, it has only added lines.
    private static func isComplete(_ path: String) -> Bool {
        guard let file = try? OpenFile(reading: path),
            let beginning = try? file.read(atMost: heading.utf8.count)
        else { return false }
        return beginning.elementsEqual(heading.utf8)
    }

    /// Adds the lines of a file.
    fileprivate mutating func add(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.elementsEqual(Self.indexLine.utf8) { hasIndex = true }
            let words = line.split(separator: UInt8(ascii: " ")).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard words.count >= 2, imageHash(of: words[0]) != nil,
                let digest = BlobDigest(lowercaseHex: words[1]),
                let source = Source(digest, notes: words.dropFirst(2))
            else { continue }
            files[words[0]] = source
        }
    }

    /// The lines about files, in the order of their names.
    fileprivate var lines: [UInt8] {
        files.keys.sorted().reduce(into: []) { lines, name in
            guard let source = files[name] else { return }
            lines += "\(name) \(source.digest)\(source.notes)\n".utf8
        }
    }

    /// The text of the file.
    package var encoded: [UInt8] {
        var text = Array(Self.heading.utf8)
        text += lines
        if hasIndex { text += "\(Self.indexLine)\n".utf8 }
        return text
    }
}

extension ImageFileList.Source {
    /// Whether a file with this name is a placeholder or a style sheet, which is made of nothing
    /// else.
    package func isDrawn(as name: String) -> Bool {
        isLocal && digest.imageHash == imageHash(of: name)
    }

    private static let time = "unnamed="

    /// Nil if a note is unknown.
    fileprivate init?(_ digest: BlobDigest, notes: ArraySlice<String>) {
        self.init(digest: digest, isLocal: false)
        for note in notes {
            if note == "local" {
                isLocal = true
            } else if note.hasPrefix(Self.time), let time = Int64(note.dropFirst(Self.time.count)),
                time >= 0
            {
                unnamedSince = time
            } else {
                return nil
            }
        }
    }

    fileprivate var notes: String {
        (isLocal ? " local" : "") + (unnamedSince.map { " \(Self.time)\($0)" } ?? "")
    }
}

/// Collects the sources of published images, for the lists of their folders.
final class ImageFileLog: Sendable {
    /// By folder, relative to the output.
    private let noted = Locked<[String: ImageFileList]>([:])
    private let failed = Locked<Set<String>>([])
    private let output: OutputFolder
    private let shard: Shard?

    init(_ output: OutputFolder, of shard: Shard?) {
        self.output = output
        self.shard = shard
    }

    private func record(in folder: String) -> FolderRecord {
        ImageFileList.record(inFolder: output.path(folder), of: shard)
    }

    /// Notes files that are complete.
    func note(_ files: ImageFileList, in folder: String) {
        noted.withLock { $0[folder, default: .init()].files.merge(files.files) { $1 } }
    }

    /// Notes that the image of a URL, or of a path of the site, could not be made.
    func noteFailure(of key: String) {
        failed.withLock { _ = $0.insert(imageFileStem(ofURL: key)) }
    }

    /// The beginnings of the names of images that could not be made; earlier files of them are kept.
    var failedStems: Set<String> { failed.withLock(\.self) }

    /// Adds files that are about to be written to the list on disk.
    ///
    /// A failure is not an error; see ``save()``.
    func append(_ files: ImageFileList, in folder: String) {
        // The list is put in order even if nothing else of the folder is noted.
        noted.withLock { _ = $0[folder, default: .init()] }
        guard (try? output.makeFolder(of: folder + "/" + ImageFileList.name)) != nil,
            ImageFolder.isMarked(output.path(folder))
        else { return }
        try? record(in: folder).append(files.lines)
    }

    /// The hashes of the noted images.
    var hashes: Set<ImageHash> {
        Set(noted.withLock(\.self).values.flatMap(\.files.keys).compactMap(imageHash(of:)))
    }

    /// Adds what was noted to the lists, and removes files from them that are gone.
    ///
    /// A failure is not an error: the next bake that finds the images complete writes the list.
    func save() {
        let noted = noted.withLock(\.self)
        for (folder, new) in noted {
            let record = record(in: folder)
            guard ImageFolder.isMarked(record.folder) else { continue }
            let names = Set(namesInFolder(record.folder))
            let isSaved: Void? = try? record.update { old in
                var list = ImageFileList()
                if shard == nil {
                    list = ImageFileList(inFolder: record.folder)
                } else {
                    list.add(old)
                }
                list.files.merge(new.files) { $1 }
                list.files = list.files.filter { names.contains($0.key) }
                return old.isEmpty && list == ImageFileList() ? [] : list.encoded
            }
            if isSaved != nil, shard == nil { record.removeShards() }
        }
    }
}
