internal import CCurl
import Locks
internal import SystemPackage

/// Makes transfers with libcurl on one thread, which owns its multi handle.
final class CurlEngine: TransferRunner {
    private let shared: CurlShared
    private let thread: BlockingThread

    /// - Parameters:
    ///   - configuration: The limits, timeouts and policy.
    ///   - cookies: The path of the cookie jar.
    ///   - authorities: The file of certificate authorities; nil for libcurl's default.
    /// - Throws: ``FetchError/Code/storage`` if libcurl cannot be initialized.
    init(
        _ configuration: DownloaderConfiguration, cookies: String, authorities: String?
    ) throws(FetchError) {
        guard CurlEasy.isStarted, let multi = curl_multi_init() else {
            let folder = FilePath(cookies).removingLastComponent().string
            throw FetchError(.storage, folder, "libcurl could not be started")
        }
        let shared = CurlShared(multi: multi)
        self.shared = shared
        thread = try BlockingThread {
            let session = CurlSession(
                configuration, cookies: cookies, authorities: authorities)
            CurlLoop(shared: shared, session: session).run()
            session.close()
        }
    }

    deinit { shared.send(.stop) }

    func start(_ transfer: Transfer) -> Bool { shared.send(.start(transfer)) }

    func cancel(_ id: UInt64) { shared.send(.cancel(id)) }

    func forgetCookies() { shared.send(.forgetCookies) }

    func close() async {
        shared.send(.stop)
        await thread.end()
    }
}

/// The state that the engine's thread shares with the tasks that use it.
final class CurlShared: Sendable {
    enum Command {
        case start(Transfer)
        case cancel(UInt64)
        case forgetCookies
        case stop
    }

    private struct Inbox {
        var commands: [Command] = []
        /// Whether the thread has been woken since it last read commands.
        var isWoken = false
        var isStopped = false
        /// The multi handle; nil after the thread has ended.
        var multi: MultiHandle?
    }

    // @unchecked Sendable: curl_multi_wakeup may be called from any thread. All other functions are
    // called only on the thread of the loop.
    struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    let multi: MultiHandle
    private let inbox: Locked<Inbox>

    init(multi: UnsafeMutableRawPointer) {
        self.multi = MultiHandle(pointer: multi)
        inbox = Locked(Inbox(multi: MultiHandle(pointer: multi)))
    }

    /// Adds a command for the thread and wakes it.
    ///
    /// - Returns: Whether the thread will read it.
    @discardableResult
    func send(_ command: Command) -> Bool {
        inbox.withLock { inbox in
            if inbox.isStopped { return false }
            inbox.commands.append(command)
            if case .stop = command { inbox.isStopped = true }
            // An earlier command has woken the thread already.
            if !inbox.isWoken, let multi = inbox.multi {
                inbox.isWoken = true
                curl_multi_wakeup(multi.pointer)
            }
            return true
        }
    }

    func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            inbox.isWoken = false
            return inbox.commands
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
