import FoundationEssentials
import Glibc
import ImageFormats
import Recipes
import TestSupport
import Testing
import WorkerSandbox

/// A running `imgbake-worker` or another program, with a socket as its standard input.
final class WorkerProcess: Sendable {
    let process: pid_t
    private let socket: Int32
    /// Its standard output.
    private let output: Int32

    /// The built executable, in the folder of the tests.
    static let path = built("imgbake-worker")

    /// The path of an executable of this package.
    static func built(_ name: String) -> String {
        let tests = CommandLine.arguments[0]
        let folder =
            tests.contains("/debug/") || tests.contains("/release/")
            ? URL(filePath: tests).deletingLastPathComponent().path
            : FileManager.default.currentDirectoryPath + "/.build/debug"
        return folder + "/" + name
    }

    init(_ arguments: [String] = [], path: String = WorkerProcess.path) throws {
        let (socket, childSocket) = try #require(DescriptorSocket.pair())
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(childSocket)
            close(ends[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childSocket, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, path, &actions, nil, &words, environ) == 0)
        self.process = process
        self.socket = socket
        output = ends[0]
    }

    deinit {
        close(socket)
        close(output)
    }

    func send(_ line: String, _ descriptors: [Int32] = []) {
        #expect(DescriptorSocket.send(Array((line + "\n").utf8), descriptors, over: socket))
    }

    /// Sends a job with its files.
    func send(_ job: Job, source: String, outputs: [String] = []) throws {
        let line = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        let input = try OpenFile(source, O_RDONLY)
        let targets = outputs.map { open($0, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        defer { for target in targets { close(target) } }
        send(line, [input.descriptor] + targets)
    }

    /// Tells the worker that there are no more jobs.
    func endInput() { shutdown(socket, Int32(SHUT_WR)) }

    /// The next answer, or nil at the end.
    func line() -> String? { line(from: socket) }

    /// The next line of standard output, or nil at its end.
    func printedLine() -> String? { line(from: output) }

    private func line(from descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
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
}
