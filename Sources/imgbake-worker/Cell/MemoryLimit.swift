internal import CLinux
import Glibc

/// How much memory the process may take.
enum MemoryLimit {
    /// Allows `bytes` beyond what is in use now.
    ///
    /// Counted is what can be written and is the process's own, not the address space, in which the
    /// libraries and the reserves of the allocator take hundreds of megabytes that are never used.
    static func set(headroom bytes: Int) {
        let total = UInt(max(0, inUse)) &+ UInt(max(0, bytes))
        // The hard limit stays, so that the next job can set another.
        _ = clinux_limit(clinux_limit_data, total, .max)
    }

    /// Makes the allocator keep one heap for all threads, and keep it between jobs.
    ///
    /// One job at a time leaves nothing to contend for. With a heap a thread, and large blocks
    /// given back to the kernel at once, a worker takes half as much memory again and spends
    /// three per cent of its time on fetching it anew.
    static func keepOneHeap() {
        clinux_tune_allocator(1, 16 << 20, 64 << 20)
    }

    /// The sixth number in `/proc/self/statm`: pages of data and stack.
    private static var inUse: Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = max(0, read(descriptor, &buffer, buffer.count))
        let numbers = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
        guard numbers.count > 5, let pages = Int(numbers[5]) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
