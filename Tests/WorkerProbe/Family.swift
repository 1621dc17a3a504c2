import CLinux
import Glibc
import WorkerSandbox

/// A parent process like the command, and children of the same user: one in the sandbox, one
/// without.
enum Family {
    /// The lines that the parent prints after the lines of its children.
    struct Protection: Codable {
        var before: Int32
        var during: Int32
        var after: Int32
    }

    static func run(folder: String) throws {
        let before = dumpable
        let during = try protected(folder)
        try printJSON(Protection(before: before, during: during, after: dumpable))
    }

    /// Whether other processes of the same user may read the memory of this process: 1 or 0.
    private static var dumpable: Int32 { clinux_prctl(PR_GET_DUMPABLE, 0) }

    private static func protected(_ folder: String) throws -> Int32 {
        let first = MemoryProtection()
        let state = try withExtendedLifetime(MemoryProtection()) { () throws -> Int32 in
            run(["attempts", folder])
            run(["peek", "\(getpid())"])
            return dumpable
        }
        _ = consume first
        return state
    }

    /// Tries to open the memory and the environment of a process without a sandbox.
    static func peek(at process: String) -> [Outcome] {
        ["mem", "environ", "maps"].map { name in
            Outcome(name, Int(open("/proc/\(process)/\(name)", O_RDONLY)))
        }
    }

    private static func run(_ arguments: [String]) {
        var words = (["/proc/self/exe"] + arguments).map { strdup($0) } + [nil]
        var process: pid_t = 0
        guard posix_spawn(&process, CommandLine.arguments[0], nil, nil, &words, environ) == 0 else {
            exit(4)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    }
}
