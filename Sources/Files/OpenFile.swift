internal import SystemPackage

/// An open file, which is closed together with this value.
///
/// Programs that this process starts do not inherit it.
package struct OpenFile: ~Copyable, Sendable {
    /// The path for errors.
    private let path: String
    private let handle: FileDescriptor
    private var isOpen = true

    /// Opens a file to read it.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file.
    ///   - ofAnyKind: Whether the path may also be a symbolic link, a pipe or a device. If not,
    ///     opening a pipe that has replaced the file does not block.
    /// - Throws: ``FileError``.
    package init(reading path: String, ofAnyKind: Bool = false) throws(FileError) {
        let followsLinks = ofAnyKind || HeldFile.isPath(path)
        try self.init(
            path, .readOnly, followsLinks ? .closeOnExec : [.closeOnExec, .noFollow, .nonBlocking],
            operation: "read")
    }

    /// Creates a file at a path where nothing exists.
    ///
    /// - Parameters:
    ///   - path: The path; that of a ``HeldFile`` exists already.
    ///   - mode: The permissions, less those that the process's mask takes away.
    ///   - name: The path for errors; `path` by default.
    /// - Throws: ``FileError``.
    package init(
        creating path: String, mode: mode_t = 0o666, reportedAs name: String? = nil
    ) throws(FileError) {
        let isHeld = HeldFile.isPath(path)
        try self.init(
            path, .writeOnly, isHeld ? .closeOnExec : [.create, .exclusiveCreate, .closeOnExec],
            isHeld ? nil : mode, reportedAs: name)
    }

    /// Opens a file to write at its end; it may be a pipe or a device.
    package init(appendingTo path: String) throws(FileError) {
        try self.init(path, .writeOnly, [.append, .closeOnExec])
    }

    /// Opens a regular file to write at its end and to lock it, and creates it if it does not exist;
    /// no link is followed.
    package init(extending path: String, mode: mode_t) throws(FileError) {
        try self.init(
            path, .readWrite, [.append, .create, .closeOnExec, .noFollow, .nonBlocking], mode)
    }

    /// Waits until all data written to the file system of the file is on disk.
    package func syncFileSystem() throws(FileError) {
        guard flushFileSystem(of: descriptor) else { throw FileError("write", path) }
    }

    /// Opens a file to lock it or to map it into memory, and creates it if it does not exist.
    package init(sharing path: String, mode: mode_t = 0o600) throws(FileError) {
        try self.init(path, .readWrite, [.create, .closeOnExec], mode)
    }

    /// Takes over an open file, which errors call `name`.
    init(_ handle: FileDescriptor, _ name: String) {
        path = name
        self.handle = handle
    }

    /// Opens a second descriptor of an open file, which errors call `name`.
    init(copyOf descriptor: FileDescriptor, reportedAs name: String) throws(FileError) {
        path = name
        handle = try FileError.of("read", name) { try descriptor.duplicate() }
    }

    private init(
        _ path: String, _ access: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
        _ mode: mode_t? = nil, reportedAs name: String? = nil, operation: String = "write"
    ) throws(FileError) {
        self.path = name ?? path
        handle = try FileError.of(operation, name ?? path) {
            try FileDescriptor.open(
                path, access, options: options,
                permissions: mode.map { FilePermissions(rawValue: $0) })
        }
    }

    deinit { if isOpen { try? handle.close() } }

    package var descriptor: Int32 { handle.rawValue }

    func error(_ operation: String, _ code: Errno) -> FileError {
        FileError(operation, path, code: code)
    }

    package func status() throws(FileError) -> FileStatus {
        guard let status = FileStatus(descriptor: handle.rawValue) else {
            throw FileError("read", path)
        }
        return status
    }

    /// Reads up to as many bytes as `buffer` holds; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try FileError.of("read", path) { try handle.read(into: buffer) }
    }

    /// Reads `count` bytes; fewer at the end.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - offset: Where they begin; nil for the next ones.
    /// - Returns: The bytes.
    /// - Throws: ``FileError``.
    package func read(atMost count: Int, from offset: Int? = nil) throws(FileError) -> [UInt8] {
        try FileError.of("read", path) {
            try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let buffer = UnsafeMutableRawBufferPointer(buffer)
                while filled < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    let got =
                        if let offset {
                            try handle.read(
                                fromAbsoluteOffset: Int64(offset) &+ Int64(filled), into: rest)
                        } else {
                            try handle.read(into: rest)
                        }
                    if got == 0 { break }
                    filled += got
                }
            }
        }
    }

    /// Writes all bytes.
    package func write(_ bytes: some Sequence<UInt8>) throws(FileError) {
        _ = try FileError.of("write", path) { try handle.writeAll(bytes) }
    }

    /// Sets the permissions.
    package func setMode(_ mode: mode_t) throws(FileError) {
        guard fchmod(handle.rawValue, mode) == 0 else { throw FileError("write", path) }
    }

    /// Locks the file for this process until it is closed.
    ///
    /// - Parameter waiting: Whether to wait until no other process holds the lock.
    /// - Returns: Whether the lock was taken; not every file system has locks.
    @discardableResult
    package func lock(waiting: Bool) -> Bool {
        while flock(handle.rawValue, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Closes the file, which must not be used any more.
    ///
    /// - Throws: ``FileError`` if bytes that were written before are lost, for example because a
    ///   network file system is full.
    package mutating func close() throws(FileError) {
        isOpen = false
        try FileError.of("write", path) { try handle.close() }
    }
}

/// Runs a closure while this process holds an exclusive lock on a file, which is created if needed.
///
/// If the file cannot be locked, the closure runs nevertheless.
package func withFileLock<Value>(_ path: String, _ body: () throws -> Value) rethrows -> Value {
    let file = try? OpenFile(sharing: path)
    file?.lock(waiting: true)
    return try body()
}
