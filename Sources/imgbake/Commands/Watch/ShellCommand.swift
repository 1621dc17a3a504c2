import Files
import Foundation
import Locks
import SystemPackage

/// A running shell command, in a process group of its own.
///
/// So it can be ended with all that it has started, and a Ctrl-C in the terminal reaches imgbake
/// first.
final class ShellCommand: Sendable {
    /// The time that it has to end after SIGTERM.
    private static let grace = Duration.seconds(2)

    private let processID: pid_t
    private let end: Task<Int32, Never>
    /// Whether it is being ended, and whether it has ended.
    private let state = Locked((isEnding: false, hasEnded: false))
    /// The time that what it has left running in the background has to end after SIGTERM.
    private static let graceOfOthers = 0.2

    /// Starts a command with the streams of this process, except for standard input.
    ///
    /// - Throws: ``FileError`` if there is no shell.
    init(_ text: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process ignores the signals that it handles.
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        let given = ["/bin/sh", "-c", text]
        var words: [UnsafeMutablePointer<CChar>?] = given.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var code: Int32 = 0
        let processID = Interrupts.startingGroup {
            var started: pid_t = 0
            code = posix_spawn(&started, "/bin/sh", &actions, &attributes, &words, environ)
            return code == 0 ? started : 0
        }
        guard code == 0 else { throw FileError("run", "/bin/sh", code: Errno(rawValue: code)) }
        self.processID = processID
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread { [state] in
            var status: Int32 = 0
            // Until it is reaped, no other process gets its number.
            var info = siginfo_t()
            while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            let isEnding = state.withLock { state in
                state.hasEnded = !state.isEnding
                return state.isEnding
            }
            if isEnding {
                Thread.sleep(forTimeInterval: Self.graceOfOthers)
                kill(-processID, SIGKILL)
                state.withLock { $0.hasEnded = true }
            }
            Interrupts.endGroup()
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            continuation.yield(signal == 0 ? status >> 8 & 0xFF : 128 + signal)
            continuation.finish()
        }
        end = Task {
            var exitCode: Int32 = -1
            for await code in stream { exitCode = code }
            return exitCode
        }
    }

    /// The exit code, as in a shell, when it has ended.
    var exitCode: Int32 {
        get async { await end.value }
    }

    /// Ends it and what it has started, except what has outlived it or left its process group.
    func end() async {
        state.withLock { $0.isEnding = !$0.hasEnded }
        signal(SIGTERM)
        let deadline = ContinuousClock.now + Self.grace
        while !state.withLock(\.hasEnded), .now < deadline { await Self.pause() }
        signal(SIGKILL)
        while !state.withLock(\.hasEnded) { await Self.pause() }
    }

    /// Waits a little, also in a task that was cancelled.
    private static func pause() async {
        await Task.detached { try? await Task.sleep(for: .milliseconds(20)) }.value
    }

    private func signal(_ number: Int32) {
        state.withLock { state in
            if !state.hasEnded { kill(-processID, number) }
        }
    }
}
