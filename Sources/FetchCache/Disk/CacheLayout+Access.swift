internal import Files
import Glibc

/// The access of others to a cache, and things that have the names of its files.
extension CacheLayout {
    /// Removes the access of other users to the folder and to the files in it.
    ///
    /// Only the files are private if the folder has other things too: it may be a home folder.
    func makeRootPrivate() {
        guard let status = FileStatus(root, followingLinks: true), status.mode & 0o077 != 0
        else { return }
        let names = namesInFolder(root)
        for name in names where Self.isOwn(name) { makePrivate("\(root)/\(name)") }
        if names.allSatisfy(Self.isOwn) { makePrivate(resolvedPath(root) ?? root) }
    }

    /// Whether a name in the folder is one of the cache's.
    private static func isOwn(_ name: String) -> Bool {
        let names = ["CACHEDIR.TAG", "blobs", "partial", "locks", "cookies", "namespaces", "tmp"]
        return names.contains(name) || name.hasPrefix("index") || name.contains(".aside")
    }

    /// Sets aside what is not a file or a folder where one is needed.
    ///
    /// A link to a folder may stay: the user may keep the blobs elsewhere. A link to a file may
    /// not: the file it leads to would be changed.
    ///
    /// - Returns: The new paths.
    func clearWays() throws(FileError) -> [String] {
        var moved: [String] = []
        for path in [blobs, temporary, partial]
        where FileStatus(path) != nil && !isFolder(path) {
            moved.append(try setAside(path))
        }
        for path in [locks, indexLock, cookies, tag] {
            guard let kind = FileStatus(path)?.kind, kind != .file else { continue }
            moved.append(try setAside(path))
        }
        return moved
    }

    /// Sets aside what is in the way of a blob.
    func clearWay(to blob: String) throws(FileError) {
        let folder = String(blob[..<(blob.lastIndex(of: "/") ?? blob.startIndex)])
        if FileStatus(folder) != nil, !isFolder(folder) { try setAside(folder) }
        if FileStatus(blob)?.kind == .folder { try setAside(blob) }
    }
}
