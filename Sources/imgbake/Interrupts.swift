import Dispatch
import Glibc
import Locks
import Synchronization

/// Ends a command cleanly on SIGINT, SIGTERM or SIGHUP.
enum Interrupts {
    private static let received = Atomic<Int32>(0)
    /// A process group that a second signal ends too; 0 for none.
    private static let group = Locked<pid_t>(0)

    /// The exit code of a command that a signal ended: 128 plus the signal's number.
    static var exitCode: Int32 {
        let signal = received.load(ordering: .relaxed)
        return 128 + (signal == 0 ? SIGINT : signal)
    }

    /// The exit codes of commands that a signal ended, for help texts.
    static let exitCodes = "129, 130 or 143 interrupted by SIGHUP, SIGINT or SIGTERM"

    /// Starts a process group that a second signal ends too, also one that comes meanwhile.
    ///
    /// - Parameter start: Starts it and returns its number; 0 if it could not be started.
    /// - Returns: The number.
    static func startingGroup(_ start: () -> pid_t) -> pid_t {
        group.withLock { group in
            group = start()
            return group
        }
    }

    /// Forgets the process group, before its number can belong to another one.
    static func endGroup() { group.withLock { $0 = 0 } }

    /// Runs `work`, which the first signal cancels; the second signal ends the process at once.
    ///
    /// - Parameters:
    ///   - finish: Called at the first signal; `work` is cancelled when it returns. Running work
    ///     may complete in it, but it must not take long.
    ///   - work: The work.
    /// - Returns: The result of `work`.
    /// - Throws: The errors of `work`; `CancellationError` if there was a signal, even if `work`
    ///   has completed.
    static func cancelling<Success: Sendable>(
        finishing finish: @escaping @Sendable () async -> Void = {},
        _ work: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let running = Locked<Task<Success, any Error>?>(nil)
        let sources = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = received.exchange(number, ordering: .relaxed) == 0
                guard isFirst else {
                    Console.error.write("\nimgbake: ended by the second signal\n")
                    group.withLock { group -> Never in
                        if group > 0 { kill(-group, SIGKILL) }
                        _exit(128 + number)
                    }
                }
                Task {
                    await finish()
                    running.withLock(\.self)?.cancel()
                }
            }
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        // Until a source is registered, its signal is ignored, and would be lost.
        for source in sources {
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.activate()
            }
        }
        let task = Task(operation: work)
        running.withLock { $0 = task }
        if received.load(ordering: .relaxed) != 0 { task.cancel() }
        let result = try await task.value
        guard received.load(ordering: .relaxed) == 0 else { throw CancellationError() }
        return result
    }

    /// Whether the parent process has set a signal to be ignored, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // unsafeBitCast: SIG_IGN is the number 1, not a function; it is only compared, never
        // called.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
