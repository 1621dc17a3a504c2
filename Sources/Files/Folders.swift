internal import SystemPackage

/// A path in two parts: the folder and the name in it.
///
/// A slash followed by a combining mark is one `Character`, so it is searched for in the bytes.
///
/// - Returns: The folder is `.` for a name alone, and `/` for one in the root.
package func folderAndName(of path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(Substring(path.utf8[path.utf8.index(after: slash)...]))
    return (slash == path.startIndex ? "/" : String(Substring(path.utf8[..<slash])), name)
}

/// Makes a folder and its parents; an existing folder is not an error.
///
/// - Throws: ``FileError``; with the cause `danglingLink` or `notAFolder` if something else has the
///   path of the folder or of a parent.
package func makeFolders(_ path: String, mode: mode_t = 0o777) throws(FileError) {
    if try makeFolder(path, mode) { return }
    let parent = folderAndName(of: path).folder
    if parent != path { try makeFolders(parent, mode: mode) }
    guard try makeFolder(path, mode) else {
        throw FileError("make the folder", path, code: .noSuchFileOrDirectory)
    }
}

/// - Returns: Whether the folder exists now; if not, its parent is missing.
private func makeFolder(_ path: String, _ mode: mode_t) throws(FileError) -> Bool {
    if mkdir(path, mode) == 0 { return true }
    switch errno {
    case ENOENT, ENOTDIR: return false
    case EEXIST:
        switch FileStatus(path, followingLinks: true)?.kind {
        case .folder: return true
        case nil: throw FileError("make the folder", path, .danglingLink)
        default: throw FileError("make the folder", path, .notAFolder)
        }
    default: throw FileError("make the folder", path)
    }
}

package func isFolder(_ path: String) -> Bool {
    FileStatus(path, followingLinks: true)?.kind == .folder
}

/// An entry of a folder.
package struct FolderEntry: Sendable {
    /// The name, repaired if it is not UTF-8.
    package var name: String
    /// The bytes of a name that is not UTF-8; nil for other names.
    package var invalidName: [UInt8]?
    /// Nil if the file system does not report it with the name.
    package var kind: FileStatus.Kind?

    fileprivate init(_ entry: UnsafeMutablePointer<dirent>) {
        (name, invalidName) = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            let bytes = bytes.prefix { $0 != 0 }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                return (String(decoding: bytes, as: UTF8.self), Array(bytes))
            }
            return (name, nil)
        }
        kind =
            switch Int(entry.pointee.d_type) {
            case Int(DT_REG): .file
            case Int(DT_DIR): .folder
            case Int(DT_LNK): .link
            case Int(DT_UNKNOWN): nil
            default: .other
            }
    }
}

/// Calls `body` for each entry of a folder except `.` and `..`, in no particular order.
package func forEachEntry(
    ofFolder path: String, _ body: (FolderEntry) -> Void
) throws(FileError) {
    guard let stream = opendir(path) else { throw FileError("read the folder", path) }
    defer { closedir(stream) }
    while true {
        errno = 0
        guard let raw = readdir(stream) else { break }
        let entry = FolderEntry(raw)
        if entry.name != ".", entry.name != ".." { body(entry) }
    }
    guard errno == 0 else { throw FileError("read the folder", path) }
}

/// The names in a folder without `.` and `..`; none if it cannot be read.
package func namesInFolder(_ path: String) -> [String] {
    var names: [String] = []
    try? forEachEntry(ofFolder: path) { names.append($0.name) }
    return names
}

/// Removes a folder and everything in it; a link is removed and not followed.
package func removeFolder(_ path: String) {
    let handle = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard handle >= 0 else { return }
    defer { close(handle) }
    for name in namesInFolder(path) where unlinkat(handle, name, 0) != 0 {
        removeFolder("\(path)/\(name)")
    }
    rmdir(path)
}

/// Whether an absolute path without links is `folder` or lies in it.
package func isPath(_ path: String, within folder: String) -> Bool {
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: prefix.utf8)
}

/// The absolute path of `path` without links, or nil if nothing is there.
package func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
