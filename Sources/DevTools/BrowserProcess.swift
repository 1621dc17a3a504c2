import Foundation
import Glibc
import Locks
import WorkerSandbox

/// A running headless Chromium and the socket to its DevTools.
///
/// With `--remote-debugging-pipe`, Chromium reads commands from descriptor 3 and writes to 4, and
/// opens no port. It ends when the socket is closed, so it never outlives this process. A shell
/// waits for that and removes the profile.
final class BrowserProcess: Sendable {
    /// This process's end of the socket.
    let socket: Int32
    private let processID: pid_t
    private let profile: String
    /// Holds its standard error.
    private let program: Locked<StartedProgram>
    private let hasEnded = Locked(false)

    /// Chromium's descriptors are closed before the profile is removed, so that the reader learns of
    /// the end at once.
    private static let script = """
        profile=$1; shift
        export HOME="$profile" PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}"
        exec 3<&0 4>&0 0</dev/null
        "$@"
        exec 3<&- 4>&-
        rm -rf -- "$profile"
        """

    /// Starts a browser with an empty profile.
    ///
    /// - Throws: ``BrowserError`` if it cannot be started.
    init(executable: String, arguments: [String]) throws(BrowserError) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/imgbake-browser-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BrowserError("no profile can be made in \(folder): \(Self.text(of: errno))")
        }
        profile = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let words =
            ["-c", Self.script, "sh", profile, executable, "--user-data-dir=\(profile)"] + arguments
        do throws(StartedProgram.StartError) {
            let started = try StartedProgram("/bin/sh", words)
            socket = started.socket
            processID = started.processID
            program = Locked(started)
        } catch {
            rmdir(profile)
            throw BrowserError("\(executable) cannot be started: \(Self.text(of: error.code))")
        }
    }

    deinit {
        end(within: 0)
        close(socket)
    }

    /// A colon and the first line of standard error; empty if there is none.
    var firstErrorLine: String { program.withLock { $0.firstErrorLine } }

    /// Closes the socket and waits until the browser and its shell have ended; what still runs after
    /// some seconds is ended.
    func end(within seconds: Int) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        shutdown(socket, Int32(SHUT_RDWR))
        var status: Int32 = 0
        for _ in 0..<(seconds * 50) {
            if waitpid(processID, &status, WNOHANG) == processID { return }
            usleep(20_000)
        }
        kill(-processID, SIGKILL)
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        // The shell that removes the profile was ended too.
        try? FileManager.default.removeItem(atPath: profile)
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
