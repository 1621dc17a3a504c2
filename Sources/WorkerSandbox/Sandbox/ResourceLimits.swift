internal import CLinux
import Glibc

/// The limits of the kernel on what the process takes; soft and hard limits are equal.
package enum ResourceLimits {
    /// Sets all of them.
    ///
    /// Memory is counted as what can be written and is the process's own, not as address space, in
    /// which the libraries and the reserves of the allocator take hundreds of megabytes that are
    /// never used.
    ///
    /// - Parameter memoryBytes: How much may be taken beyond what is in use now.
    /// - Returns: The value of `errno` where a limit could not be set, or nil.
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
        // The kernel counts the threads of all processes of the user, so a number of our own would
        // refuse a decoder its threads on a busy desktop. The filter of system calls refuses new
        // processes.
        for resource in [clinux_limit_processes, clinux_limit_stack]
        where clinux_limit_to_soft(resource) != 0 { return errno }
        return nil
    }

    /// Makes the allocator keep one heap for all threads, and keep it between jobs.
    ///
    /// One job at a time leaves nothing to contend for. With a heap a thread, and large blocks
    /// given back to the kernel at once, a worker takes half as much memory again and spends
    /// three per cent of its time on fetching it anew.
    package static func keepOneHeap() {
        clinux_tune_allocator(1, 16 << 20, 64 << 20)
    }

    /// More than the files that are kept open for reading, a source and an output.
    private static let openFiles: UInt = 128
    /// More than any variant of an image within the limits.
    private static let fileBytes: UInt = 1 << 30
}
