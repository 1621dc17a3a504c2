internal import CCurl
internal import Files
import Locks
internal import SystemPackage

/// Makes transfers with libcurl on one thread, which owns its multi handle.
///
/// The first transfer starts the thread, so a run that fetches nothing does not load libcurl.
final class CurlEngine: TransferRunner {
    private struct Running {
        let shared: CurlShared
        let thread: BlockingThread
    }

    private struct State {
        /// Nil before the first transfer.
        var running: Running?
        var isClosed = false
    }

    private let configuration: DownloaderConfiguration
    private let cookies: String
    private let authorities: String?
    private let state = Locked(State())

    /// - Parameters:
    ///   - configuration: The limits, timeouts and policy.
    ///   - cookies: The path of the cookie jar.
    ///   - authorities: The file of certificate authorities; nil for libcurl's default.
    init(_ configuration: DownloaderConfiguration, cookies: String, authorities: String?) {
        self.configuration = configuration
        self.cookies = cookies
        self.authorities = authorities
    }

    deinit { state.withLock(\.running)?.shared.send(.stop) }

    func start(_ transfer: Transfer) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            if state.running == nil {
                do throws(FetchError) {
                    state.running = try begin()
                } catch {
                    // The caller holds a lock that the end of a transfer takes.
                    Task { transfer.end(.failure(error)) }
                    return true
                }
            }
            return state.running?.shared.send(.start(transfer)) == true
        }
    }

    func cancel(_ id: UInt64) { state.withLock(\.running)?.shared.send(.cancel(id)) }

    func forgetCookies() {
        state.withLock { state in
            // The thread reads the cookies when it starts.
            if state.running == nil { removeFile(cookies) }
            state.running?.shared.send(.forgetCookies)
        }
    }

    func close() async {
        let running = state.withLock { state in
            state.isClosed = true
            return state.running
        }
        running?.shared.send(.stop)
        await running?.thread.end()
    }

    /// Starts the thread.
    ///
    /// - Returns: The thread, and the state that it shares.
    /// - Throws: ``FetchError/Code/storage`` if libcurl or the thread cannot be started.
    private func begin() throws(FetchError) -> Running {
        guard CurlEasy.isStarted, let multi = ccurl_multi_init() else {
            let folder = FilePath(cookies).removingLastComponent().string
            throw FetchError(.storage, folder, "libcurl could not be started")
        }
        let shared = CurlShared(multi: multi)
        let thread = try BlockingThread { [configuration, cookies, authorities] in
            let session = CurlSession(
                configuration, cookies: cookies, authorities: authorities)
            CurlLoop(shared: shared, session: session).run()
            session.close()
        }
        return Running(shared: shared, thread: thread)
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
                ccurl_multi_wakeup(multi.pointer)
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
            _ = ccurl_multi_cleanup(multi.pointer)
        }
    }
}
