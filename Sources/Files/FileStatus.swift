/// The result of `lstat`, `stat` or `fstat`.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Sendable { case file, folder, link, other }

    package var kind: Kind
    package var byteCount: Int
    package var mode: mode_t
    package var inode: UInt64
    package var device: UInt64
    package var linkCount: Int
    /// When the content changed: seconds and nanoseconds since 1970.
    package var modified: (seconds: Int, nanoseconds: Int)
    /// When the content or the status changed; no program can set it.
    package var changed: (seconds: Int, nanoseconds: Int)

    /// The status of `path`, or nil if nothing is there or it cannot be read.
    package init?(_ path: String, followingLinks: Bool = false) {
        var status = stat()
        let follows = followingLinks || HeldFile.isPath(path)
        let result = follows ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { return nil }
        self.init(status)
    }

    /// The status of an open file; nil with `errno` set if it cannot be read.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
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
        linkCount = Int(status.st_nlink)
        modified = (status.modification.tv_sec, status.modification.tv_nsec)
        changed = (status.statusChange.tv_sec, status.statusChange.tv_nsec)
    }

    /// Whether both are the same file with the same size and times.
    package static func == (a: FileStatus, b: FileStatus) -> Bool {
        a.isSameVersion(as: b) && a.changed == b.changed && a.kind == b.kind
            && a.identity == b.identity
    }

    /// Identifies a file or folder, regardless of the path that leads to it.
    package struct Identity: Hashable, Sendable {
        package var device: UInt64
        package var inode: UInt64
    }

    package var identity: Identity { Identity(device: device, inode: inode) }

    /// Whether this process may write to the file, by its mode even if the user is root.
    package func mayBeWritten(at path: String) -> Bool {
        mode & 0o222 != 0 && access(path, W_OK) == 0
    }

    /// Whether size and modification time are the same; programs can give both to other bytes.
    package func isSameVersion(as other: FileStatus) -> Bool {
        byteCount == other.byteCount && modified == other.modified
    }
}
