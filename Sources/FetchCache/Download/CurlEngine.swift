internal import CCurl
internal import Dispatch
import Locks
internal import SystemPackage

/// Makes transfers with libcurl on one thread, which owns its multi handle.
///
/// The first transfer loads libcurl, so a run that fetches nothing does not load it.
final class CurlEngine: TransferRunner {
    private let shared = CurlShared()
    private let run: @Sendable () -> Void
    /// Ends with the thread; nil before the first transfer.
    private let thread = Locked<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - configuration: The limits, timeouts and policy.
    ///   - cookies: The path of the cookie jar.
    ///   - authorities: The file of certificate authorities; nil for libcurl's default.
    init(_ configuration: DownloaderConfiguration, cookies: String, authorities: String?) {
        run = { [shared] in
            guard let multi = shared.open() else {
                let folder = FilePath(cookies).removingLastComponent().string
                return shared.fail(FetchError(.storage, folder, "libcurl could not be started"))
            }
            let session = CurlSession(
                configuration, cookies: cookies, authorities: authorities)
            CurlLoop(shared: shared, multi: multi, session: session).run()
            session.close()
        }
    }

    deinit { shared.send(.stop) }

    func start(_ transfer: Transfer) -> Bool {
        guard shared.send(.start(transfer)) else { return false }
        thread.withLock { thread in
            if thread != nil { return }
            thread = Task { [run] in
                await withCheckedContinuation { end in
                    // The loop must not block Swift's thread pool.
                    DispatchQueue(label: "FetchCache.libcurl").async {
                        run()
                        end.resume()
                    }
                }
            }
        }
        return true
    }

    func cancel(_ id: UInt64) { shared.send(.cancel(id)) }

    func forgetCookies() { shared.send(.forgetCookies) }

    func close() async {
        shared.send(.stop)
        await thread.withLock(\.self)?.value
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
        var isStopped = false
        /// The multi handle; nil before the thread has begun, and after it has ended.
        var multi: MultiHandle?
    }

    // @unchecked Sendable: curl_multi_wakeup may be called from any thread. All other functions are
    // called only on the thread of the loop.
    private struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let inbox = Locked(Inbox())

    /// Adds a command for the thread and wakes it.
    ///
    /// - Returns: Whether the thread will read it, if there is one.
    @discardableResult
    func send(_ command: Command) -> Bool {
        inbox.withLock { inbox in
            if inbox.isStopped { return false }
            inbox.commands.append(command)
            if case .stop = command { inbox.isStopped = true }
            if let multi = inbox.multi { ccurl_multi_wakeup(multi.pointer) }
            return true
        }
    }

    /// Makes the multi handle, with which commands wake the thread from then on.
    ///
    /// - Returns: The handle; nil if libcurl cannot be started.
    func open() -> UnsafeMutableRawPointer? {
        guard CurlEasy.isStarted, let multi = ccurl_multi_init() else { return nil }
        inbox.withLock { $0.multi = MultiHandle(pointer: multi) }
        return multi
    }

    func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return inbox.commands
        }
    }

    /// Ends all transfers with an error, and refuses further ones.
    func fail(_ error: FetchError) {
        send(.stop)
        for case .start(let transfer) in takeCommands() { transfer.end(.failure(error)) }
    }

    /// Frees the multi handle after its last use.
    func free() {
        inbox.withLock { inbox in
            guard let multi = inbox.multi else { return }
            inbox.multi = nil
            _ = ccurl_multi_cleanup(multi.pointer)
        }
    }
}
