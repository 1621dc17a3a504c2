import Glibc
import Locks

/// A thread for work that must not block Swift's thread pool.
///
/// Its end can be awaited.
final class BlockingThread: Sendable {
    private struct State {
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private final class Shared: Sendable {
        let state = Locked(State())

        func end() {
            let waiters = state.withLock { state in
                state.hasEnded = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    private let shared = Shared()

    /// - Throws: ``FetchError/Code/storage`` if the system cannot start a thread.
    init(_ body: @escaping @Sendable () -> Void) throws(FetchError) {
        let shared = self.shared
        let start = Start {
            body()
            shared.end()
        }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(start).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context)
        guard code == 0 else {
            Unmanaged<Start>.fromOpaque(context).release()
            let reason = String(cString: strerror(code))
            throw FetchError(.storage, "libcurl", "no thread could be started: \(reason)")
        }
        pthread_detach(thread)
    }

    /// Returns when the body has returned.
    func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = shared.state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }
}
