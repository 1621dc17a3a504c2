internal import CSync
import FetchCache
import Glibc
import Synchronization

/// What is read into memory at most: more than any document, and than the largest that is parsed.
private let largestFile = 512 << 20

/// The bytes of the file at `path`, with its status from just before they were read.
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

/// A file that does not exist for others until it is complete: it is written under a temporary name
/// beside its place and renamed.
struct AtomicFile: ~Copyable {
    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var isCommitted = false

    /// Begins a file that will be at `path`.
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

    /// Writes the bytes of the file at `source` and hashes what it writes.
    func writeHashing(contentsOf source: String) throws(FileFault) -> BlobDigest {
        try hashFile(source) { bytes throws(FileFault) in
            try writeAll(bytes, to: descriptor, path: path)
        }.digest
    }

    /// Writes the bytes of the file at `source`; where the file system can share them between two
    /// files, as Btrfs and XFS do, none is copied.
    func write(contentsOf source: String) throws(FileFault) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw FileFault("read", source) }
        defer { close(input) }
        if ioctl(descriptor, ficlone, input) == 0 { return }
        while true {
            let copied = sendfile(descriptor, input, nil, 1 << 30)
            if copied == 0 { return }
            if copied > 0 || errno == EINTR { continue }
            // Some file systems in user space have no way through the kernel.
            guard errno == EINVAL || errno == ENOSYS else { throw FileFault("write", path) }
            return try write(try readFile(source).bytes)
        }
    }

    /// Gives the file the time of last change of `status`.
    func setModified(_ status: FileStatus) {
        let time = timespec(tv_sec: status.modified.seconds, tv_nsec: status.modified.nanoseconds)
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times.initialize(repeating: time)
            // A time that cannot be set costs the next run a copy and nothing else.
            _ = futimens(descriptor, times.baseAddress)
        }
    }

    /// The file system that the file is in.
    var device: UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : 0
    }

    /// Waits until all that was written to the file system is on its disk.
    func syncFileSystem() throws(FileFault) {
        guard csync_file_system(descriptor) == 0 else { throw FileFault("write", path) }
    }

    /// Puts the file in its place, over what was there.
    consuming func commit() throws(FileFault) {
        guard rename(temporaryPath, path) == 0 else { throw FileFault("write", path) }
        isCommitted = true
    }
}

/// `FICLONE` of `<linux/fs.h>`, a macro that Swift does not see.
private let ficlone: UInt = 0x4004_9409

private let temporaryPrefix = ".imgbake-"
private let temporaryToken = UInt32.random(in: .min ... .max)
private let temporarySerial = Atomic<Int>(0)

/// Makes a temporary file in the folder of `path`, and locks it while it is open.
///
/// The lock tells it from one that a process left behind when it was killed: process numbers come
/// again, in containers at every start.
private func openTemporary(
    beside path: String, mode: mode_t
) throws(FileFault) -> (path: String, descriptor: Int32) {
    while true {
        let temporary = temporaryNeighbour(of: path)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault("write", path) }
        var status = stat()
        // Where a file system has no locks, nothing is ever taken for abandoned.
        flock(descriptor, LOCK_EX)
        if fchmod(descriptor, mode) == 0, fstat(descriptor, &status) == 0 {
            if status.st_nlink > 0 { return (temporary, descriptor) }
            // Another process found it before it was locked, and took it for abandoned.
            close(descriptor)
            continue
        }
        let fault = FileFault("write", path)
        close(descriptor)
        unlink(temporary)
        throw fault
    }
}

/// A path in the folder of `path` at which no other process writes.
func temporaryNeighbour(of path: String) -> String {
    let serial = temporarySerial.add(1, ordering: .relaxed).newValue
    let name = "\(temporaryPrefix)\(String(temporaryToken, radix: 16))-\(serial)"
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return path[...slash] + name
}

/// Whether a file of this name is one that was being written.
func isTemporaryName(_ name: String) -> Bool {
    guard name.hasPrefix(temporaryPrefix) else { return false }
    let parts = name.dropFirst(temporaryPrefix.count).split(
        separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && UInt32(parts[0], radix: 16) != nil && Int(parts[1]) != nil
}

/// Removes a temporary file that nobody is writing.
func removeIfAbandoned(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
        // A link is made and renamed in one go; one that is here was left.
        if errno == ELOOP { unlink(path) }
        return
    }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
}
