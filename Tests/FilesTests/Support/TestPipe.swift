import Glibc
import SystemPackage
import TestSupport

/// A pipe with a path and with room for one page.
///
/// This process has both ends open, so that opening the pipe does not wait.
struct TestPipe: ~Copyable {
    let path: String
    private let folder: TemporaryDirectory
    private let ends: FileDescriptor
    /// The number of bytes that the pipe holds.
    let capacity: Int

    init() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("pipe")
        guard mkfifo(path, 0o600) == 0 else { throw Errno(rawValue: errno) }
        let ends = try FileDescriptor.open(
            path, .readWrite, options: [.nonBlocking, .closeOnExec])
        capacity = Int(fcntl(ends.rawValue, setPipeSize, 4096))
        (self.folder, self.path, self.ends) = (folder, path, ends)
    }

    deinit { try? ends.close() }

    /// Waits until the pipe is full.
    func fill() throws {
        try eventually {
            var count: Int32 = 0
            guard ioctl(ends.rawValue, UInt(FIONREAD), &count) == 0 else { throw Overdue() }
            return Int(count) == capacity ? () : nil
        }
    }

    func write(_ bytes: [UInt8]) throws { try ends.writeAll(bytes) }

    /// Closes this process's ends, so that a reader reaches the end.
    consuming func finish() {}

    /// Reads `count` bytes.
    func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            bytes += try eventually {
                do {
                    return try [UInt8](unsafeUninitializedCapacity: count - bytes.count) {
                        $1 = try ends.read(into: UnsafeMutableRawBufferPointer($0))
                    }
                } catch Errno.resourceTemporarilyUnavailable {
                    return nil
                }
            }
        }
        return bytes
    }
}

/// `F_SETPIPE_SZ` of `<fcntl.h>`, which Glibc declares only for GNU C.
private let setPipeSize: Int32 = 1031
