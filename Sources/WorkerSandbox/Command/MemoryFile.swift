internal import CLinux
internal import Files
import Glibc
import Locks

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

/// Prevents other processes of the same user from reading the memory and the environment of this
/// process while the value exists: `PR_SET_DUMPABLE` is 0.
///
/// The setting belongs to the whole process, so the instances are counted: the first one sets it,
/// and the end of the last one restores the old value. Until then the process writes no core dump,
/// and a debugger of the same user cannot attach to it.
package struct MemoryProtection: ~Copyable {
    private struct State {
        var count = 0
        var before: Int32 = 1
    }

    private static let state = Locked(State())

    /// Whether the process is protected now, by an instance or by the system.
    package static var isInForce: Bool { clinux_prctl(PR_GET_DUMPABLE, 0) != 1 }

    package init() {
        Self.state.withLock { state in
            if state.count == 0 {
                state.before = clinux_prctl(PR_GET_DUMPABLE, 0)
                _ = clinux_prctl(PR_SET_DUMPABLE, 0)
            }
            state.count += 1
        }
    }

    deinit {
        Self.state.withLock { state in
            state.count -= 1
            // Only the system may set 2: a process that it has protected keeps its protection.
            if state.count == 0 && state.before == 1 { _ = clinux_prctl(PR_SET_DUMPABLE, 1) }
        }
    }
}
