import Foundation

/// The result of running an executable.
package struct CommandResult: Sendable {
    /// The exit code as in a shell: 128 plus the number of the signal if one ended the process.
    package var exitCode: Int32
    package var output: String
    package var errors: String

    package init(exitCode: Int32, output: String, errors: String) {
        self.exitCode = exitCode
        self.output = output
        self.errors = errors
    }

    /// The lines on standard error without those of progress, which a slow machine shows.
    package var messages: [String] {
        errors.split(separator: "\n").map(String.init)
            .filter { !$0.contains(/^imgbake: [0-9,]+\/[0-9,]+\ /) }
    }

    /// The output parsed as a JSON object.
    package var json: [String: any Sendable] {
        get throws {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            guard let object = value as? [String: any Sendable] else {
                throw CocoaError(.coderReadCorrupt)
            }
            return object
        }
    }
}

/// A running executable.
///
/// Foundation's `Process` detects the end by a descriptor that every other child inherits. A child
/// that outlives its parent would keep a test waiting.
package final class Command: Sendable {
    package let processID: Int32
    private let folder: TemporaryDirectory
    private let end: Task<Int32, Never>

    /// Starts an executable in `directory`.
    ///
    /// `environment` is added to that of the tests; an empty string unsets a variable.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        directory: String? = nil
    ) throws {
        folder = try TemporaryDirectory()
        // A developer's proxy cannot reach servers on loopback, and a setting changes what a test
        // does: it could ask hosts that it must not ask.
        let proxies = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
        let variables = ProcessInfo.processInfo.environment
            .filter { !proxies.contains($0.key.lowercased()) && !$0.key.hasPrefix("IMGBAKE_") }
            .merging(environment) { $1 }.filter { !$0.value.isEmpty }
        // A shell changes the folder, which posix_spawn cannot do on all systems.
        let script = "cd \"$1\" && shift && exec \"$@\""
        let words = ["/bin/sh", "-c", script, "sh", directory ?? "/", executable] + arguments
        let started = try spawn(
            words, variables.map { "\($0)=\($1)" }, output: folder.path("out"),
            errors: folder.path("err"))
        processID = started
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(started, &status, 0) < 0 && errno == EINTR {}
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

    package func signal(_ number: Int32) { kill(processID, number) }

    /// The standard output so far.
    package var outputSoFar: String { (try? folder.text("out")) ?? "" }

    /// The standard error so far.
    package var errorsSoFar: String { (try? folder.text("err")) ?? "" }

    /// Waits for the end of the process.
    package func result() async throws -> CommandResult {
        CommandResult(
            exitCode: await end.value, output: try folder.text("out"),
            errors: try folder.text("err"))
    }

    /// Runs an executable to its end.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        directory: String? = nil
    ) async throws -> CommandResult {
        try await Command(
            executable, arguments, environment: environment, directory: directory
        ).result()
    }

    /// The path of an executable of this package, which is built in the same folder as the tests.
    package static func built(_ name: String) -> String {
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appending(path: name).path
    }
}

private func spawn(
    _ words: [String], _ environment: [String], output: String, errors: String
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (descriptor, path) in [(1, output), (2, errors)] as [(Int32, String)] {
        posix_spawn_file_actions_addopen(
            &actions, descriptor, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    try closeInherited(from: 3, by: &actions)
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for string in arguments + variables { free(string) } }
    // A test run may ignore signals, as under nohup or as a background job of a shell; the command
    // must not inherit that.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&defaults, signal) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var processID: pid_t = -1
    let code = posix_spawn(&processID, words[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    return processID
}

/// Makes a child close every descriptor from `first` on.
///
/// If a child kept an origin's socket open, the socket would accept connections after the origin
/// has stopped. Descriptors that are opened before the child starts have the next free numbers;
/// closed ones are ignored.
func closeInherited(from first: Int32, by actions: inout posix_spawn_file_actions_t) throws {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let last = open.compactMap { Int32($0) }.max() ?? 0
    for descriptor in first..<(last + 256) {
        posix_spawn_file_actions_addclose(&actions, descriptor)
    }
}

extension TemporaryDirectory {
    /// Writes an executable script.
    ///
    /// Another process writes the file. If this process had it open for writing, a child that is
    /// started at the same time would inherit the descriptor, and the file could not be executed.
    package func writeScript(_ text: String, to relative: String) async throws {
        _ = try await Command.run(
            "/bin/sh",
            ["-c", #"printf '%s\n' "$1" >"$2" && chmod 755 "$2""#, "sh", text, relative],
            directory: path)
    }
}
