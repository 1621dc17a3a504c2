import FoundationEssentials
import Glibc

enum VipsTool {
    struct VipsError: Error, CustomStringConvertible {
        var description: String
    }

    /// Runs `tool`, which is searched on the path, and returns its standard output and error.
    ///
    /// - Throws: ``VipsError`` with that text, unless the tool exits with 0.
    @discardableResult
    static func run(_ tool: String, _ arguments: [String]) throws -> String {
        // A file, because other child processes could inherit a pipe.
        let output = try temporaryFile()
        defer { close(output) }
        let process = try spawn(tool, arguments, output: output)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        let text = readAll(output)
        guard status == 0 else {
            let line = ([tool] + arguments).joined(separator: " ")
            throw VipsError(description: "\(line): status \(status): \(text)")
        }
        return text
    }

    private static func temporaryFile() throws -> Int32 {
        let path =
            "\(PictureWorkspace.temporaryFolder)/imgbake-output-\(getpid())-\(fileCount.next())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw VipsError(description: "could not create \(path)") }
        unlink(path)
        return descriptor
    }

    private static func spawn(
        _ tool: String, _ arguments: [String], output: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var words = ([tool] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var variables = environment(for: arguments)
        defer { variables.forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, tool, &actions, nil, &words, &variables)
        guard code == 0 else {
            throw VipsError(
                description: "could not start \(tool): \(String(cString: strerror(code)))")
        }
        return process
    }

    /// libvips starts in half the time without its modules, and few formats need them.
    private static func environment(for arguments: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var variables = ProcessInfo.processInfo.environment
        let needsModules = arguments.contains { argument in
            [".avif", ".jxl"].contains { argument.contains($0) }
        }
        variables["VIPSHOME"] = needsModules ? nil : "/nonexistent"
        return variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    }

    private static func readAll(_ descriptor: Int32) -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(all.count))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<count]
        }
    }

    private static let fileCount = PictureWorkspace.Counter()
}
