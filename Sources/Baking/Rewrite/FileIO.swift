import Glibc
import Synchronization

/// The bytes of the file at `path`, with its status from just before they were read.
func readFile(_ path: String) throws(FileFault) -> (bytes: [UInt8], status: FileStatus) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw FileFault("read", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFault("read", path) }
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
        self.path = path
        temporaryPath = temporaryNeighbour(of: path)
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault("write", path) }
        guard fchmod(descriptor, mode) == 0 else { throw FileFault("write", path) }
    }

    deinit {
        close(descriptor)
        if !isCommitted { unlink(temporaryPath) }
    }

    func write(_ bytes: [UInt8]) throws(FileFault) {
        var done = 0
        while done < bytes.count {
            let wrote = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if wrote >= 0 {
                done += wrote
            } else if errno != EINTR {
                throw FileFault("write", path)
            }
        }
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
            if copied < 0 && errno != EINTR { throw FileFault("write", path) }
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

    /// Puts the file in its place, over what was there.
    consuming func commit() throws(FileFault) {
        guard rename(temporaryPath, path) == 0 else { throw FileFault("write", path) }
        isCommitted = true
    }
}

/// `FICLONE` of `<linux/fs.h>`, a macro that Swift does not see.
private let ficlone: UInt = 0x4004_9409

private let temporaryPrefix = ".imgbake-"
private let temporarySerial = Atomic<Int>(0)

private func temporaryNeighbour(of path: String) -> String {
    let serial = temporarySerial.add(1, ordering: .relaxed).newValue
    let name = "\(temporaryPrefix)\(getpid())-\(serial)"
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return path[...slash] + name
}

/// Whether a file of this name is one that was being written.
func isTemporaryName(_ name: String) -> Bool { temporaryOwner(name) != nil }

/// The process that made a temporary file of this name.
func temporaryOwner(_ name: String) -> pid_t? {
    guard name.hasPrefix(temporaryPrefix) else { return nil }
    let parts = name.dropFirst(temporaryPrefix.count).split(
        separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, Int(parts[1]) != nil else { return nil }
    return pid_t(parts[0])
}
