import Glibc

/// A value that one thread at a time may use.
///
/// The same as the standard library's `Mutex`, but on a mutex of POSIX: the thread sanitizer sees
/// that one and would report every use of the other as a race.
// @unchecked Sendable: the value is touched only while the mutex is held, and is Sendable itself;
// the mutex lies at an address of its own, which never changes.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone; it must not wait for anything.
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
