import Foundation

/// What a run of an executable came to.
package struct CommandResult: Sendable {
    /// As a shell has it: 128 and the number of the signal where one ended it.
    package var exitCode: Int32
    package var output: String
    package var errors: String

    package init(exitCode: Int32, output: String, errors: String) {
        self.exitCode = exitCode
        self.output = output
        self.errors = errors
    }

    /// The output as the JSON object that it is.
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
/// Foundation's `Process` learns of an end by a descriptor that every other child inherits too, so
/// one that outlives its parent would keep a test waiting.
package final class Command: Sendable {
    package let processID: Int32
    private let folder: TemporaryDirectory
    private let end: Task<Int32, Never>

    /// Starts an executable in `directory`, with `environment` set besides that of the tests; an empty
    /// string there unsets a variable.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        directory: String? = nil
    ) throws {
        folder = try TemporaryDirectory()
        // A developer's proxy knows nothing of servers on loopback.
        let proxies = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
        let variables = ProcessInfo.processInfo.environment
            .filter { !proxies.contains($0.key.lowercased()) }
            .merging(environment) { $1 }.filter { !$0.value.isEmpty }
        // A shell changes the folder, which posix_spawn cannot do everywhere.
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

    /// Sends a signal.
    package func signal(_ number: Int32) { kill(processID, number) }

    /// What it has written to standard output until now.
    package var outputSoFar: String { (try? folder.text("out")) ?? "" }

    /// What it has written to standard error until now.
    package var errorsSoFar: String { (try? folder.text("err")) ?? "" }

    /// Waits for the end.
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

    /// The path of an executable of this package, which is built beside the tests.
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
    var processID: pid_t = -1
    let code = posix_spawn(&processID, words[0], &actions, nil, &arguments, &variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    return processID
}

/// Has a child close every descriptor from `first` on.
///
/// An origin's socket that a child holds open would accept connections after the origin is gone.
/// Those that are opened until the child begins get the next free numbers; one that is not open is
/// passed over.
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
    /// Another process does it: while one of this process has the file open for writing, a child
    /// that is started meanwhile has it open too, and then it cannot be executed.
    package func writeScript(_ text: String, to relative: String) async throws {
        _ = try await Command.run(
            "/bin/sh",
            ["-c", #"printf '%s\n' "$1" >"$2" && chmod 755 "$2""#, "sh", text, relative],
            directory: path)
    }
}
