import Glibc
import Locks

/// The POSIX calls that the cache needs.
///
/// Each throws an error that names the path.
enum FileSystem {
    /// Creates a folder and its parents; an existing folder is not an error.
    static func makeFolder(_ path: String) throws(FetchError) {
        if mkdir(path, 0o777) == 0 { return }
        switch errno {
        case EEXIST:
            guard isFolder(path) else { throw FetchError(.storage, path, "is not a folder") }
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
                throw failure(path, "make the folder")
            }
            try makeFolder(String(path[..<slash]))
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
                throw failure(path, "make the folder")
            }
        default: throw failure(path, "make the folder")
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a regular file, or a link to one, exists at a path.
    static func isFile(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Runs a closure while this process holds an exclusive lock on a file.
    static func withLock<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        defer { if handle >= 0 { close(handle) } }
        if handle >= 0 { flock(handle, LOCK_EX) }
        return try body()
    }

    /// The size of a regular file, without following links; nil if there is none.
    static func size(of path: String) -> Int? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// Writes a small file in one call, unless it exists already.
    static func write(_ text: String, toNew path: String) throws(FetchError) {
        let handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if handle < 0, errno == EEXIST { return }
        guard handle >= 0 else { throw failure(path, "write") }
        defer { close(handle) }
        let bytes = Array(text.utf8)
        guard Glibc.write(handle, bytes, bytes.count) == bytes.count else {
            throw failure(path, "write")
        }
    }

    /// The bytes of a file: all of them, or at least the first `count`.
    static func bytes(of path: String, count: Int = .max) throws(FetchError) -> [UInt8] {
        let handle = open(path, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { throw failure(path, "read") }
        defer { close(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < count {
            let read = Glibc.read(handle, &buffer, buffer.count)
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw failure(path, "read") }
            if read == 0 { break }
            bytes += buffer.prefix(read)
        }
        return bytes
    }

    /// The time at which a file was last written or marked as used; nil if there is no file.
    static func modificationTime(of path: String) -> Timestamp? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return Timestamp(
            milliseconds: Int64(info.st_mtim.tv_sec) * 1000
                + Int64(info.st_mtim.tv_nsec) / 1_000_000)
    }

    /// Makes a file writable for its owner.
    static func makeWritable(_ path: String) throws(FetchError) {
        guard chmod(path, 0o644) == 0 else { throw failure(path, "write") }
    }

    /// Marks a file as used now.
    static func touch(_ path: String) { utimensat(AT_FDCWD, path, nil, 0) }

    static func rename(_ old: String, to new: String) throws(FetchError) {
        guard Glibc.rename(old, new) == 0 else { throw failure(new, "rename a file to") }
    }

    /// The names in a folder without `.` and `..`; empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a folder and the files in it; a link to a folder is not followed.
    static func removeFolder(_ path: String) {
        let handle = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard handle >= 0 else { return }
        defer { close(handle) }
        for name in names(in: path) { unlinkat(handle, name, 0) }
        rmdir(path)
    }

    /// Removes a file; a missing file is not an error.
    static func remove(_ path: String) { unlink(path) }

    /// Creates an error from `errno`.
    static func failure(_ path: String, _ operation: String) -> FetchError {
        let code = errno
        let isFull = code == ENOSPC || code == EDQUOT
        let reason = isFull ? "no space left" : String(cString: strerror(code))
        return FetchError(
            .storage, path, "cannot \(operation): \(reason)", subcode: isFull ? .noSpace : nil)
    }
}
