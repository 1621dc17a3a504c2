import Glibc

/// The state that the server and its connections share.
///
/// It uses a POSIX mutex, because the thread sanitizer does not support the standard library's.
// @unchecked Sendable: the state is accessed only while the mutex is held.
final class SharedOriginState: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var state = OriginState()

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout OriginState) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }
}
