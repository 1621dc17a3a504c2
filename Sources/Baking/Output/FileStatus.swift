import Glibc

/// The result of `lstat` or `stat` for a path.
struct FileStatus: Equatable {
    enum Kind { case file, folder, link, other }

    var kind: Kind
    var byteCount: Int
    var mode: mode_t
    var inode: UInt64
    var device: UInt64
    /// When the content changed: seconds and nanoseconds since 1970.
    var modified: (seconds: Int, nanoseconds: Int)
    /// When the content or the status changed; no program can set it.
    var changed: (seconds: Int, nanoseconds: Int)

    /// The status of `path`, or nil if nothing is there or it cannot be read.
    init?(_ path: String, followingLinks: Bool = false) {
        var status = stat()
        let result = followingLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        byteCount = Int(status.st_size)
        mode = status.st_mode & 0o7777
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        modified = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        changed = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }

    static func == (a: FileStatus, b: FileStatus) -> Bool {
        a.isSameVersion(as: b) && a.kind == b.kind && a.inode == b.inode && a.device == b.device
    }

    /// Identifies a file or folder, regardless of the path that leads to it.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    var identity: Identity { Identity(device: device, inode: inode) }

    /// Whether this process may write to the file, by its mode even if the user is root.
    func mayBeWritten(at path: String) -> Bool {
        mode & 0o222 != 0 && access(path, W_OK) == 0
    }

    /// Whether size and modification time are the same.
    func isSameVersion(as other: FileStatus) -> Bool {
        byteCount == other.byteCount && modified == other.modified
    }
}

/// Whether an absolute path without links is `folder` or lies in it.
func isPath(_ path: String, within folder: String) -> Bool {
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: prefix.utf8)
}

/// The absolute path of `path` without links, or nil if nothing is there.
package func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
