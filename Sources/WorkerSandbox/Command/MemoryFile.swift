internal import CLinux
internal import Files
import Glibc

/// An unnamed file in memory that a worker writes and the command reads: see memfd_create(2).
package struct MemoryFile: ~Copyable {
    package let descriptor: Int32

    /// Makes an empty file; nil with `errno` set if the system has no memory for it.
    ///
    /// - Parameter byteCount: The fixed size of the file, filled with zeros; nil lets it grow.
    package init?(byteCount: Int? = nil) {
        descriptor = clinux_memory_file("imgbake")
        guard descriptor >= 0 else { return nil }
        guard let byteCount else { return }
        let isSealed = ftruncate(descriptor, byteCount) == 0 && seal(mayShrink: false)
        guard isSealed else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The number of bytes that have been written.
    package var byteCount: Int { FileStatus(descriptor: descriptor)?.byteCount ?? 0 }

    /// Prevents further growth of the file for all processes that have it open.
    package func stopGrowth() { _ = seal(mayShrink: true) }

    /// Discards the bytes permanently: a worker that still has the file open cannot use memory
    /// through it.
    package func drop() {
        stopGrowth()
        _ = ftruncate(descriptor, 0)
    }

    private func seal(mayShrink: Bool) -> Bool {
        clinux_seal(descriptor, mayShrink ? 0 : 1) == 0
    }
}
