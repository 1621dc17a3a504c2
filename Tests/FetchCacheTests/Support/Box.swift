import Glibc

/// A value that any thread can read and change.
///
/// It uses a POSIX mutex, because the thread sanitizer does not support the standard library's.
// @unchecked Sendable: the value is accessed only while the mutex is held.
final class Box<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var content: Value

    init(_ value: Value) {
        content = value
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    var value: Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return content
    }

    func change(_ body: (inout Value) -> Void) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        body(&content)
    }
}
