import Glibc

/// The memory that is left to this process, which its sandbox limits.
enum Memory {
    /// Whether `count` bytes can be allocated now.
    ///
    /// Swift ends the process where an array cannot be allocated, so what needs much memory asks
    /// first.
    static func isAvailable(_ count: Int) -> Bool {
        guard let memory = malloc(count) else { return false }
        free(memory)
        return true
    }
}
