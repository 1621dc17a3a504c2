internal import Glibc

/// A list of freed memory chunks for reuse, by their addresses.
///
/// It uses a POSIX mutex because the thread sanitizer does not recognise the one of the standard
/// library.
// @unchecked Sendable: `chunks` is accessed only while the mutex is locked, and the mutex has a
// fixed address.
final class SpareChunks: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let limit: Int
    private var chunks: [UInt] = []

    /// - Parameter limit: The largest number of chunks that are kept.
    init(limit: Int) {
        self.limit = limit
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func take() -> UnsafeMutableRawPointer? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return chunks.popLast().flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// - Returns: Whether the chunk is kept.
    func keep(_ chunk: UnsafeMutableRawPointer) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard chunks.count < limit else { return false }
        chunks.append(UInt(bitPattern: chunk))
        return true
    }
}
