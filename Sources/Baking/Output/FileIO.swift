internal import CSync
import FetchCache
import Glibc
import Synchronization

/// The largest file that is read into memory: more than any document, and than the largest that is
/// parsed.
private let largestFile = 512 << 20

/// The bytes of the file at `path`, and its status from just before they were read.
func readFile(_ path: String) throws(FileFault) -> (bytes: [UInt8], status: FileStatus) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw FileFault("read", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFault("read", path) }
    guard status.st_size <= largestFile else { throw FileFault("read", path, code: EFBIG) }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
        while count < buffer.count {
            let got = read(
                descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            if got > 0 {
                count += got
            } else if got == 0 {
                break
            } else if errno != EINTR {
                code = errno
                break
            }
        }
    }
    guard code == 0 else { throw FileFault("read", path, code: code) }
    return (bytes, FileStatus(status))
}

/// A file that is not visible at its path until it is complete.
///
/// It is written under a temporary name in the same folder and then renamed.
struct AtomicFile: ~Copyable {
    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var isCommitted = false

    /// Begins a file that will get the path `path`.
    init(_ path: String, mode: mode_t) throws(FileFault) {
        let file = try openTemporary(beside: path, mode: mode)
        self.path = path
        temporaryPath = file.path
        descriptor = file.descriptor
    }

    deinit {
        close(descriptor)
        if !isCommitted { unlink(temporaryPath) }
    }

    func write(_ bytes: [UInt8]) throws(FileFault) {
        try writeAll(bytes[...], to: descriptor, path: path)
    }

    /// Writes the bytes of the file at `source` and hashes the written bytes.
    func writeHashing(contentsOf source: String) throws(FileFault) -> BlobDigest {
        try hashFile(source) { bytes throws(FileFault) in
            try writeAll(bytes, to: descriptor, path: path)
        }.digest
    }

    /// Writes the bytes of the file at `source`.
    ///
    /// Nothing is copied if the file system can share the bytes between two files, as Btrfs and XFS
    /// can.
    func write(contentsOf source: String) throws(FileFault) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw FileFault("read", source) }
        defer { close(input) }
        if ioctl(descriptor, ficlone, input) == 0 { return }
        while true {
            let copied = sendfile(descriptor, input, nil, 1 << 30)
            if copied == 0 { return }
            if copied > 0 || errno == EINTR { continue }
            // Some file systems in user space cannot copy inside the kernel.
            guard errno == EINVAL || errno == ENOSYS else { throw FileFault("write", path) }
            return try write(try readFile(source).bytes)
        }
    }

    /// Sets the file's modification time to that of `status`.
    func setModified(_ status: FileStatus) {
        let time = timespec(tv_sec: status.modified.seconds, tv_nsec: status.modified.nanoseconds)
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times.initialize(repeating: time)
            // If the time cannot be set, the only effect is that the next run copies the file
            // again.
            _ = futimens(descriptor, times.baseAddress)
        }
    }

    /// The file system of the file.
    var device: UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : 0
    }

    /// Waits until all data written to the file system is on disk.
    func syncFileSystem() throws(FileFault) {
        guard csync_file_system(descriptor) == 0 else { throw FileFault("write", path) }
    }

    /// Moves the file to its path and replaces any file there.
    consuming func commit() throws(FileFault) {
        guard rename(temporaryPath, path) == 0 else { throw FileFault("write", path) }
        isCommitted = true
    }
}

/// `FICLONE` of `<linux/fs.h>`, a macro that Swift does not import.
private let ficlone: UInt = 0x4004_9409

private let temporaryPrefix = ".imgbake-"
private let temporaryToken = UInt32.random(in: .min ... .max)
private let temporarySerial = Atomic<Int>(0)

/// Makes a temporary file in the folder of `path` and locks it while it is open.
///
/// The lock distinguishes it from a file that a killed process left behind. Process numbers cannot,
/// because they repeat, in containers at every start.
private func openTemporary(
    beside path: String, mode: mode_t
) throws(FileFault) -> (path: String, descriptor: Int32) {
    while true {
        let temporary = temporaryNeighbour(of: path)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault("write", path) }
        var status = stat()
        // If a file system has no locks, no file is ever considered abandoned.
        flock(descriptor, LOCK_EX)
        if fchmod(descriptor, mode) == 0, fstat(descriptor, &status) == 0 {
            if status.st_nlink > 0 { return (temporary, descriptor) }
            // Another process found the file before it was locked, and removed it as abandoned.
            close(descriptor)
            continue
        }
        let fault = FileFault("write", path)
        close(descriptor)
        unlink(temporary)
        throw fault
    }
}

/// A path in the folder of `path` to which no other process writes.
func temporaryNeighbour(of path: String) -> String {
    let serial = temporarySerial.add(1, ordering: .relaxed).newValue
    let name = "\(temporaryPrefix)\(String(temporaryToken, radix: 16))-\(serial)"
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return path[...slash] + name
}

/// Whether a name is that of a temporary file.
func isTemporaryName(_ name: String) -> Bool {
    guard name.hasPrefix(temporaryPrefix) else { return false }
    let parts = name.dropFirst(temporaryPrefix.count).split(
        separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && UInt32(parts[0], radix: 16) != nil && Int(parts[1]) != nil
}

/// Removes a temporary file that no process is writing.
func removeIfAbandoned(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
        // A temporary link is renamed immediately after it is made, so one that is found is
        // abandoned.
        if errno == ELOOP { unlink(path) }
        return
    }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
}
