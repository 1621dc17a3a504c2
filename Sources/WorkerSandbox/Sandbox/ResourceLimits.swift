internal import CLinux
import Glibc

/// The kernel's resource limits of the process; soft and hard limits are equal.
package enum ResourceLimits {
    /// Sets all limits.
    ///
    /// The limit on memory counts private writable memory, not address space. In address space, the
    /// libraries and the reserves of the allocator take hundreds of megabytes that are never used.
    ///
    /// - Parameter memoryBytes: The memory that may be used in addition to the current use.
    /// - Returns: The value of `errno` if a limit could not be set, or nil.
    static func set(memoryBytes: Int) -> Int32? {
        guard let inUse = ProcessState.dataBytes else { return ENOENT }
        let (memory, isTooMuch) = UInt(inUse).addingReportingOverflow(UInt(max(0, memoryBytes)))
        let fixed: [(resource: Int32, value: UInt)] = [
            (clinux_limit_core, 0),
            (clinux_limit_data, isTooMuch ? .max : memory),
            (clinux_limit_file_size, fileBytes),
            (clinux_limit_files, openFiles),
            (clinux_limit_locked_memory, 0),
            (clinux_limit_message_queues, 0),
            (clinux_limit_real_time, 0),
        ]
        for limit in fixed where clinux_limit(limit.resource, limit.value) != 0 { return errno }
        // The kernel counts the threads of all processes of the user. A number chosen here would
        // deny a decoder its threads on a busy desktop. The system call filter prevents new
        // processes.
        for resource in [clinux_limit_processes, clinux_limit_stack]
        where clinux_limit_to_soft(resource) != 0 { return errno }
        return nil
    }

    /// Allows this process as many open files as the hard limit does.
    ///
    /// Each image that must not be stored is an open file until the end of a bake.
    package static func raiseOpenFiles() { _ = clinux_limit_to_hard(clinux_limit_files) }

    /// Makes the allocator use one heap for all threads and keep it between jobs.
    ///
    /// With one job at a time, threads do not compete for the heap. With one heap per thread, and
    /// large blocks returned to the kernel at once, a worker uses 1.5 times the memory and spends 3
    /// % of its time on requesting it again.
    package static func keepOneHeap() {
        clinux_tune_allocator(1, 16 << 20, 64 << 20)
    }

    /// More than the files kept open for reading, plus a source and all outputs.
    private static let openFiles: UInt = 144
    /// More than any variant of an image within the limits needs.
    private static let fileBytes: UInt = 1 << 30
}
