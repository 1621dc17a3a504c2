package import FetchCache
package import Files
import Glibc
import Locks
import Records

/// A file whose bytes do not match its digest.
package struct DamagedBlob: Error {
    package var digest: BlobDigest
    package var path: String
}

/// The folder that a bake writes to.
///
/// It ensures that nothing is written outside of it.
///
/// A site may contain symbolic links, for example a link `imgbake` that points to a home folder. So
/// each folder is resolved before the first file is written to it, and refused if it lies
/// elsewhere.
package final class OutputFolder: Sendable {
    private static let mostLinkAttempts = 10

    /// The absolute path of the folder, without links.
    package let root: String
    /// A second folder, without links, in which files may be written too; nil for none.
    let other: String?
    /// Folders that were checked, by the bytes of their names.
    ///
    /// The two Unicode forms of `é` name two different folders.
    private let known = Locked<Set<[UInt8]>>([])

    /// Takes the folder at `root`, an absolute path; it and its parents are created if they are
    /// missing.
    ///
    /// Files may also be written in `other`, a folder outside of it: the one that the user named,
    /// or the project that contains the folder. It is created as well.
    package init(_ root: String, and other: String? = nil) throws(FileError) {
        func open(_ folder: String) throws(FileError) -> String {
            try makeFolders(folder, mode: 0o755)
            guard let resolved = resolvedPath(folder) else { throw FileError("open", folder) }
            return resolved
        }
        self.root = try open(root)
        self.other = if let other { try open(other) } else { nil }
    }

    /// The absolute path of a file that is given relative to the folder, or absolute in the other
    /// one.
    package func path(_ relative: String) -> String {
        relative.hasPrefix("/") ? relative : root + "/" + relative
    }

    /// Writes a document, unless it has the same bytes already.
    ///
    /// Programs that watch or upload the folder then see only the files that changed.
    package func write(_ bytes: [UInt8], to relative: String, mode: mode_t) throws(FileError) {
        if let file = try stage(bytes, to: relative, mode: mode) { try file.commit() }
    }

    /// Writes the new version of a document to a temporary file in the same folder.
    ///
    /// - Returns: nil if the document has the same bytes already.
    package func stage(
        _ bytes: [UInt8], to relative: String, mode: mode_t
    ) throws(FileError) -> AtomicFile? {
        try makeFolder(of: relative)
        if let status = FileStatus(path(relative)), status.kind == .file,
            status.byteCount == bytes.count, try readFile(path(relative)).bytes == bytes
        {
            return nil
        }
        let file = try AtomicFile(path(relative), mode: mode)
        try file.write(bytes)
        return file
    }

    /// Copies the file at `source`, with its mode and times.
    ///
    /// Does nothing if the destination has the same size, time and mode already, and the source was
    /// not changed since. If it was, perhaps by a program that has set the old time again, the bytes
    /// are compared.
    ///
    /// - Returns: Whether anything was written.
    @discardableResult
    package func copy(_ source: String, to relative: String) throws(FileError) -> Bool {
        guard let status = FileStatus(source) else { throw FileError("read", source) }
        if isCopy(relative, of: source, status) { return false }
        try makeFolder(of: relative)
        let file = try AtomicFile(path(relative), mode: status.mode)
        try file.write(contentsOf: source)
        // If the file has changed meanwhile, the next bake must copy it again.
        if FileStatus(source) == status { file.setModified(status) }
        try file.commit()
        return true
    }

    /// Whether the file at `relative` is a copy of that at `source`, which has a status.
    ///
    /// If the source may have changed after the copy was made, which the time of the last change of
    /// its status tells and no program can set, the bytes are compared: many programs set the old
    /// time of modification for other bytes.
    private func isCopy(_ relative: String, of source: String, _ status: FileStatus) -> Bool {
        let copy = path(relative)
        guard let there = FileStatus(copy), there.kind == .file, there.isSameVersion(as: status),
            there.mode == status.mode
        else { return false }
        if FileMark(status).isSettled(at: FileMark(there).changed) { return true }
        guard (try? haveSameBytes(source, copy)) == true else { return false }
        // The next bake then sees that the copy is newer, and need not compare the bytes.
        if FileStatus(source) == status { touchFile(copy, modified: status) }
        return true
    }

    /// Copies the blob at `source` to its destination.
    ///
    /// - Throws: ``FileError``; ``DamagedBlob`` if its bytes do not match the digest. Nothing is
    ///   written then.
    func place(_ source: String, digest: BlobDigest, at relative: String) throws {
        try makeFolder(of: relative)
        let file = try AtomicFile(path(relative), mode: 0o644)
        var pieces = try HashedPieces(source)
        while let bytes = try pieces.next() { try file.write(bytes) }
        guard pieces.digest == digest else { throw DamagedBlob(digest: digest, path: source) }
        try file.commit()
    }

    /// The names of the entries of a folder; empty if it is missing or cannot be read.
    package func files(in relative: String) -> [String] { namesInFolder(path(relative)) }

    /// Makes a link with the text `target`, unless it is there already.
    package func makeLink(to target: String, at relative: String) throws(FileError) {
        try makeFolder(of: relative)
        if (try? readLink(path(relative))) == target { return }
        let temporary = temporaryNeighbour(of: path(relative))
        var isMade = false
        for _ in 0..<Self.mostLinkAttempts where !isMade {
            guard symlink(target, temporary) == 0 else {
                throw FileError("make the link", path(relative))
            }
            isMade = rename(temporary, path(relative)) == 0
            // Another bake into the folder may have removed the temporary link as abandoned.
            if !isMade, errno != ENOENT { break }
        }
        if isMade { return }
        let error = FileError("make the link", path(relative))
        unlink(temporary)
        throw error
    }

    /// Makes the folder of a file, after a check that files may be written there.
    package func makeFolder(of relative: String) throws(FileError) {
        let slash = relative.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(relative[..<$0]) } ?? ""
        let key = Array(folder.utf8)
        guard !known.withLock({ $0.contains(key) }) else { return }
        let path = folder.isEmpty ? root : path(folder)
        guard isAllowed(existingAncestor(path)) else { throw outside(path) }
        try makeFolders(path, mode: 0o755)
        guard let resolved = resolvedPath(path), isAllowed(resolved) else { throw outside(path) }
        removeAbandonedFiles(in: path)
        known.withLock { _ = $0.insert(key) }
    }

    /// Whether files may be written at a path, which has no links.
    private func isAllowed(_ path: String) -> Bool {
        isPath(path, within: root) || other.map { isPath(path, within: $0) } == true
    }

    private func existingAncestor(_ path: String) -> String {
        if let resolved = resolvedPath(path) { return resolved }
        let folder = folderAndName(of: path).folder
        return folder == path ? "/" : existingAncestor(folder)
    }

    /// The error for a folder that a link places outside; it names the link.
    private func outside(_ path: String) -> FileError {
        let folders =
            path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }
            .map { String(Substring(path.utf8[..<$0])) } + [path]
        let link = folders.first { folder in
            isAllowed(folder) && FileStatus(folder)?.kind == .link
                && resolvedPath(folder).map(isAllowed) != true
        }
        return FileError("write to", link ?? path, .linkOutside(root: root))
    }
}
