internal import Files

/// A value that only one thread at a time can use.
///
/// This is like the standard library's `Mutex`, but uses a POSIX mutex. The thread sanitizer
/// understands only the latter; it would report every use of `Mutex` as a race.
// @unchecked Sendable: the value is Sendable and accessed only while the mutex is held. The address
// of the mutex never changes.
package final class Locked<Value: Sendable & ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: consuming Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while the lock is held; it must not block.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
