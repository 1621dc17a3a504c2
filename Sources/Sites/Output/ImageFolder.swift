import Documents
package import FetchCache
package import Files
import Locks
import Records
import StyleSizing

/// A folder for baked images.
///
/// A file in it marks it as imgbake's own.
///
/// A marked folder holds no documents and no images of the site. Later bakes do not scan it, even
/// if they write their images to another folder.
///
/// Its usual name does not begin with an underscore, because Jekyll and GitHub Pages do not publish
/// such folders.
package final class ImageFolder: Sendable {
    /// The name of the marker file; hidden, so that generators do not publish it.
    package static let markName = OwnFiles.folderMark

    private static let mark = """
        imgbake keeps images in this folder, each named by its content.
        They can be made again at any time. imgbake looks for no documents here.

        """

    /// Relative to the root of the output.
    private let path: String
    private let output: OutputFolder
    private let published: PublishedFiles
    private let isMarked = Locked(false)

    package init(_ path: String, in output: OutputFolder, _ published: PublishedFiles) {
        self.path = path
        self.output = output
        self.published = published
    }

    /// Whether an image of this name and size exists and its bytes match the hash in its name.
    ///
    /// The next bake hashes it again, unless `isNoted` is true.
    package func has(_ name: String, byteCount: Int, isNoted: Bool = true) async -> Bool {
        let file = output.path(path + "/" + name)
        guard let status = FileStatus(file), status.kind == .file, status.byteCount == byteCount
        else { return false }
        if await published.isKnown(name, status) { return true }
        guard await BlockingPool.shared.run({ isBakedImage(file) }) else { return false }
        if isNoted { published.note(name, status) }
        return true
    }

    /// Copies the blob at `source` into the folder, after ``markOnce()``; `isNoted` as in
    /// ``has(_:byteCount:isNoted:)``.
    ///
    /// - Throws: ``FileError``, ``DamagedBlob``.
    package func place(_ source: String, digest: BlobDigest, as name: String, isNoted: Bool = true)
        throws
    {
        try output.place(source, digest: digest, at: path + "/" + name)
        let file = output.path(path + "/" + name)
        if isNoted, let status = FileStatus(file) { published.note(name, status) }
    }

    /// Writes a file that is not in the cache, after ``markOnce()``.
    ///
    /// - Throws: ``FileError``.
    package func write(_ bytes: [UInt8], as name: String) throws(FileError) {
        try output.write(bytes, to: path + "/" + name, mode: 0o644)
        let file = output.path(path + "/" + name)
        if let status = FileStatus(file) { published.note(name, status) }
    }

    /// Records which images are complete.
    package func save() async { await published.save() }

    /// Marks the folder, unless it holds files that are not imgbake's.
    ///
    /// Only a marked folder has a list of its images, and an image is listed before it is written.
    /// When it returns, another caller has not left it half done.
    package func markOnce() throws(FileError) {
        try isMarked.withLock { isMarked throws(FileError) in
            if isMarked { return }
            if !Self.isMarked(output.path(path)),
                output.files(in: path).allSatisfy(Self.isNameOfImage)
            {
                try output.write(
                    Array(Self.mark.utf8), to: path + "/" + Self.markName, mode: 0o644)
            }
            isMarked = true
        }
    }

    /// Whether the folder at an absolute path is marked.
    package static func isMarked(_ folder: String) -> Bool {
        FileStatus(folder + "/" + markName)?.kind == .file
    }

    /// Whether a name is that of a baked image, or of a temporary file.
    private static func isNameOfImage(_ name: String) -> Bool {
        isTemporaryName(name) || imageHash(of: name) != nil
    }
}

/// The names of files that imgbake writes for itself, besides images and documents.
package enum OwnFiles {
    /// Marks a folder of images; empty.
    package static let folderMark = ".imgbake"
    /// Lists the images in their folder.
    package static let imageList = ".imgbake-images"
    /// Lists what the documents that were baked in place had before.
    package static let origins = ".imgbake-origins"
    /// Lists what a bake has written to an output folder.
    package static let output = ".imgbake-output"
}

/// The file of the style sheet in the image folder.
extension AddedSheet {
    package static let bytes = Array(text.utf8)
    package static let digest = BlobDigest(hashing: bytes)
    /// Named as images are, so that whatever handles these handles it too.
    package static let fileName = "imgbake-\(digest.hex.prefix(16)).css"
}

extension [Edit] {
    /// Whether the document needs the style sheet after these edits.
    package var useSheet: Bool {
        contains { edit in edit.smaller.contains { $0.hasSuffix(AddedSheet.fileName) } }
    }
}

/// The files of an image folder that are known to match the hashes in their names.
///
/// A bake records the status of each file that it writes or hashes. If the status has changed
/// since, the file is hashed again. The status is a ``FileMark``, and recorded only if it is settled.
package final class PublishedFiles: Sendable {
    /// A status says the same to each build.
    private static let build = ""
    private let memory: Memory<FileMark>
    /// What the keys of the folder's files begin with: its absolute path.
    private let folder: String
    /// The statuses that are not recorded yet, by the names of the files.
    private let pending = Locked<[String: FileMark]>([:])

    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - cache: The cache.
    package init(in folder: String, cache: FetchManager) {
        memory = Memory(of: "published", in: cache)
        self.folder = folder
    }

    /// Whether the file has the recorded status.
    package func isKnown(_ name: String, _ status: FileStatus) async -> Bool {
        let mark = FileMark(status)
        if pending.withLock({ $0[name] }) == mark { return true }
        return (try? await memory.value(key(name), of: Self.build)) == mark
    }

    private func key(_ name: String) -> String { folder + "/" + name }

    /// Notes that the file matches the hash in its name; ``save()`` records it.
    package func note(_ name: String, _ status: FileStatus) {
        pending.withLock { $0[name] = FileMark(status) }
    }

    /// Records the noted files, and forgets those whose statuses are not settled.
    ///
    /// A failure is not an error; the next bake hashes those files again.
    func save() async {
        let noted = pending.withLock { pending in
            defer { pending = [:] }
            return pending
        }
        let now = FileMark.now
        let settled = noted.filter { $0.value.isSettled(at: now) }.map { (key($0), $1) }
        try? await memory.set(
            Dictionary(settled, uniquingKeysWith: { $1 }), of: Self.build)
    }
}
