internal import CCurl
import Locks
internal import Secrets
internal import SystemPackage

/// Makes HTTP requests for any task on one thread, which owns libcurl's multi handle.
final class CurlEngine: Sendable {
    private let shared: CurlShared
    private let thread: BlockingThread
    private let now: @Sendable () -> Int64
    private let newWriter: @Sendable (Bool) throws(FetchError) -> BlobWriter

    /// - Parameters:
    ///   - configuration: The limits, timeouts and policy.
    ///   - authorities: The file of certificate authorities; nil for libcurl's default.
    ///   - newWriter: Begins a temporary file, which has no name if the argument is true; called on
    ///     the engine's thread.
    /// - Throws: ``FetchError/Code/storage`` if libcurl cannot be initialized.
    init(
        _ configuration: FetchConfiguration,
        authorities: String?,
        newWriter: @escaping @Sendable (Bool) throws(FetchError) -> BlobWriter
    ) throws(FetchError) {
        guard CurlEasy.isStarted, let multi = curl_multi_init() else {
            throw FetchError(
                .storage, configuration.cacheDirectory.string, "libcurl could not be started")
        }
        let shared = CurlShared(multi: multi)
        self.shared = shared
        self.newWriter = newWriter
        now = configuration.now
        thread = try BlockingThread {
            let session = CurlSession(configuration, authorities: authorities)
            CurlLoop(shared: shared, session: session, newWriter: newWriter).run()
            session.close()
        }
    }

    deinit { shared.send(.stop) }

    /// A snapshot of the current transfers.
    var activity: FetchActivity { shared.activity.withLock { $0 } }

    /// Counts a retry.
    func countRetry() { shared.activity.withLock { $0.retryCount += 1 } }

    /// Makes one request when the queue allows it.
    ///
    /// - Throws: ``FetchError``; `CancellationError` if the task is cancelled, in which case no
    ///   file is left.
    func response(to request: TransferRequest) async throws -> TransferResponse {
        let id = shared.newID()
        let hasLeft = Flag()
        request.report.flight.onRaise { [shared] priority in shared.send(.raise(id, priority)) }
        defer { request.report.flight.onRaise(nil) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                shared.send(.start(id, request, hasLeft, continuation))
            }
        } onCancel: {
            // The cancellation can precede the request, which then finds the flag set.
            hasLeft.set()
            shared.send(.cancel(id))
        }
    }

    /// Makes one request with another transport, without the queue: limits and order are up to that
    /// transport.
    func response(
        to request: TransferRequest, by transport: any Transport
    ) async throws -> TransferResponse {
        let reader = ResponseReader(for: request, now: now, newWriter: newWriter)
        let receiver = TransportReceiver(reader)
        request.report.emit(.started(url: withoutSecrets(request.url)))
        shared.activity.withLock { $0.requestCount += 1 }
        let start = monotonicMilliseconds()
        defer { request.time.add(monotonicMilliseconds() - start) }
        do {
            try await transport.perform(request.transport, receiver: receiver)
        } catch {
            if !receiver.isCutShort {
                request.partial.put(receiver.suspend())
                throw error
            }
        }
        let response = try receiver.finish()
        shared.activity.withLock { $0.receivedBytes += response.body?.byteCount ?? 0 }
        return response
    }

    /// Sets the maximum number of concurrent transfers; 0 starts none.
    func setLimit(_ count: Int) { shared.send(.limit(count)) }

    func forgetCookies() { shared.send(.forgetCookies) }

    /// Ends all transfers and the thread.
    ///
    /// Later requests are cancelled.
    func close() async {
        shared.send(.stop)
        await thread.end()
    }
}

/// The state that the engine's thread shares with the tasks that use it.
final class CurlShared: Sendable {
    enum Command {
        case start(UInt64, TransferRequest, Flag, CheckedContinuation<TransferResponse, any Error>)
        case cancel(UInt64)
        case raise(UInt64, FetchRequest.Priority)
        /// The maximum number of concurrent transfers; 0 starts none.
        case limit(Int)
        case forgetCookies
        case stop
    }

    private struct Inbox {
        var commands: [Command] = []
        /// Whether the thread has been woken since it last read commands.
        var isWoken = false
        var isStopped = false
        /// The hosts for which no further transfer can start.
        ///
        /// A request for one of them need not wake the thread, which checks again when a transfer
        /// ends or a moment later.
        var saturation = TransferQueue.Saturation()
        var lastID: UInt64 = 0
        /// The multi handle; nil after the thread has ended.
        var multi: MultiHandle?
    }

    // @unchecked Sendable: curl_multi_wakeup may be called from any thread. All other functions are
    // called only on the thread of the loop.
    struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    let multi: MultiHandle
    let activity = Locked(FetchActivity())
    private let inbox: Locked<Inbox>

    init(multi: UnsafeMutableRawPointer) {
        self.multi = MultiHandle(pointer: multi)
        inbox = Locked(Inbox(multi: MultiHandle(pointer: multi)))
    }

    func newID() -> UInt64 {
        inbox.withLock { inbox in
            inbox.lastID += 1
            return inbox.lastID
        }
    }

    /// Adds a command for the thread and wakes it.
    func send(_ command: Command) {
        let isRefused = inbox.withLock { inbox in
            if inbox.isStopped { return true }
            inbox.commands.append(command)
            if case .stop = command { inbox.isStopped = true }
            var mustWake = true
            if case .start(_, let request, _, _) = command {
                mustWake = !inbox.saturation.covers(request.authority)
            }
            // An earlier command has woken the thread already.
            if mustWake, !inbox.isWoken, let multi = inbox.multi {
                inbox.isWoken = true
                curl_multi_wakeup(multi.pointer)
            }
            return false
        }
        if isRefused, case .start(_, _, _, let continuation) = command {
            continuation.resume(throwing: CancellationError())
        }
    }

    func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            inbox.isWoken = false
            return inbox.commands
        }
    }

    /// Publishes the saturation before the thread goes to sleep.
    ///
    /// - Returns: Whether there are pending commands, for which the thread may not have been woken.
    func set(_ saturation: TransferQueue.Saturation) -> Bool {
        inbox.withLock { inbox in
            inbox.saturation = saturation
            return !inbox.commands.isEmpty
        }
    }

    /// Frees the multi handle after its last use.
    func free() {
        inbox.withLock { inbox in
            inbox.multi = nil
            _ = curl_multi_cleanup(multi.pointer)
        }
    }
}
