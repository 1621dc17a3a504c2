import Foundation
import Glibc

/// A running Chromium and the socket to its DevTools.
///
/// With `--remote-debugging-pipe`, Chromium reads commands from descriptor 3 and writes to 4. It
/// ends when the socket is closed, so it never outlives the tests. A shell waits for that and
/// removes the profile.
final class BrowserProcess: Sendable {
    /// The tests' end of the socket.
    let socket: Int32
    private let processID: pid_t
    private let profile: TemporaryDirectory
    /// The file in the profile for standard error; it can be read even after its removal.
    private let errors: Int32

    init(executable: String, arguments: [String]) throws {
        profile = try TemporaryDirectory()
        errors = open(profile.path("errors"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // A write to a closed socket can return an error instead of a signal; a write to a pipe
        // cannot.
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.error(errno) }
        socket = ends[0]
        // Above 3 and 4, so that neither descriptor is overwritten before it is copied.
        let far = fcntl(ends[1], F_DUPFD_CLOEXEC, 64)
        close(ends[1])
        defer { close(far) }
        let script = #"profile=$1; shift; "$@"; rm -rf "$profile""#
        let words =
            ["/bin/sh", "-c", script, "sh", profile.path, executable]
            + ["--user-data-dir=\(profile.path)"] + arguments
        processID = try Self.spawn(words, home: profile.path, socket: far, errors: errors)
    }

    deinit {
        close(socket)
        close(errors)
    }

    /// The last part of standard error.
    var lastErrors: String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let size = lseek(errors, 0, SEEK_END)
        let count = pread(errors, &buffer, buffer.count, max(0, size - off_t(buffer.count)))
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Waits until the browser and its shell have ended.
    func end() async {
        let processID = processID
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
                continuation.resume()
            }
        }
    }

    private static func spawn(
        _ words: [String], home: String, socket: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        posix_spawn_file_actions_adddup2(&actions, socket, 3)
        posix_spawn_file_actions_adddup2(&actions, socket, 4)
        try closeInherited(from: 5, by: &actions)
        // A separate process group, so that a terminal interrupt does not reach it before the
        // tests. The signals that dispatch threads block are unblocked.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

        var variables = ProcessInfo.processInfo.environment
        // Desktop services must not affect the tests.
        variables["DBUS_SESSION_BUS_ADDRESS"] = nil
        variables["HOME"] = home
        var arguments = words.map { strdup($0) } + [nil]
        var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in arguments + environment { free(string) } }
        var processID: pid_t = -1
        let code = posix_spawn(
            &processID, words[0], &actions, &attributes, &arguments, &environment)
        guard code == 0 else { throw error(code) }
        return processID
    }

    private static func error(_ code: Int32) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL)
    }
}
