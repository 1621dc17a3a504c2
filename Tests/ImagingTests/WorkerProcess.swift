import FoundationEssentials
import Glibc
import Recipes
import TestSupport
import Testing

/// A running `imgbake-worker`, spoken to over its pipes.
final class WorkerProcess: Sendable {
    let process: pid_t
    private let input: Int32
    private let output: Int32

    /// The built executable, beside the tests' own.
    static let path: String = {
        let tests = CommandLine.arguments[0]
        let folder =
            tests.contains("/debug/") || tests.contains("/release/")
            ? URL(filePath: tests).deletingLastPathComponent().path
            : FileManager.default.currentDirectoryPath + "/.build/debug"
        return folder + "/imgbake-worker"
    }()

    init(_ arguments: [String] = [], path: String = WorkerProcess.path) throws {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        defer {
            close(childInput)
            close(childOutput)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, path, &actions, nil, &words, environ) == 0)
        self.process = process
        self.input = input
        self.output = output
    }

    deinit {
        close(input)
        close(output)
    }

    /// A pipe that no other process inherits.
    private static func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        #expect(write(input, bytes, bytes.count) == bytes.count)
    }

    func send(_ job: Job) throws {
        send(String(decoding: try JSONEncoder().encode(job), as: UTF8.self))
    }

    /// Tells the worker that there are no more jobs.
    func endInput() { dup2(Self.nowhere, input) }

    /// The next line, or nil at the end.
    func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let line = try #require(self.line())
        return try JSONDecoder().decode(type, from: Data(line.utf8))
    }

    /// Waits for the end; the exit code, or the negative number of the signal.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    private static let nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC)
}
