import CLinux
import Glibc
import WorkerSandbox

/// What a hijacked job tries against its worker and against the next job.
struct JobAttempts {
    /// The answers of the jobs, by name; nil if a job ended without one.
    private(set) var answers: [String: String?] = [:]
    /// Whether memory that was shared with a job has changed.
    private(set) var sharedByte: UInt8 = 0

    init(folder: String) {
        // Like the code of liborc: a file that is mapped twice, once to write.
        let file = clinux_memory_file("shared")
        ftruncate(file, 4096)
        let writable = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        let readable = mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)
        close(file)
        guard let writable, let readable else { exit(7) }
        let bytes = writable.assumingMemoryBound(to: UInt8.self)
        bytes[0] = 1
        let output = open(folder + "/output", O_RDWR | O_CREAT, 0o600)
        var count = 0
        let jobs = JobProcess(parent: getppid(), memoryBytes: 64 << 20, readable: [])

        // Its own copy can be written, and the change shows in the other mapping.
        run("shared memory", by: jobs) {
            let before = readable.load(as: UInt8.self)
            bytes[0] = 2
            return "\(before) \(readable.load(as: UInt8.self))"
        }
        sharedByte = readable.load(as: UInt8.self)
        for name in ["first", "second"] {
            run(name, by: jobs) {
                count += 1
                return "\(count)"
            }
        }
        run("the jobs of others", by: jobs) { Self.code(Call(SYS_recvmsg, 0, 0, 0).make()) }
        run("kill the worker", by: jobs) {
            Self.code(Call(SYS_kill, Int(getppid()), Int(SIGKILL)).make())
        }
        run("signal the worker", by: jobs) {
            let worker = Int(getppid())
            return Self.code(Call(SYS_tgkill, worker, worker, Int(SIGKILL)).make())
        }
        run("a new process", by: jobs) {
            Self.code(Call(SYS_clone, Int(SIGCHLD), 0, 0, 0, 0).make())
        }
        run("executable memory", by: jobs) {
            let code = Int(PROT_READ | PROT_EXEC)
            let shared = Int(MAP_SHARED | MAP_FIXED)
            return Self.code(Call(SYS_mmap, 0, 4096, code, shared, Int(output), 0).make())
        }
        run("a long output", by: jobs) {
            let bytes = [UInt8](repeating: 0, count: 5_000)
            return "\(write(output, bytes, bytes.count)) \(Self.code(write(output, bytes, 1)))"
        }
        run("no answer", by: jobs) { _exit(0) }
        run("a crash", by: jobs) { abort() }
        run("a long answer", by: jobs) { String(repeating: "x", count: 100_000) }
        run("two answers", by: jobs) { "one\ntwo" }
        run("last", by: jobs) { "\(count + 1)" }
    }

    private static func code(_ result: Int) -> String { "\(result < 0 ? errno : 0)" }

    private mutating func run(_ name: String, by jobs: JobProcess, _ body: () -> String) {
        let answer = jobs.answer(outputBytes: 4096, longest: 1_000) { Array(body().utf8) }
        answers[name] = .some(answer.map { String(decoding: $0, as: UTF8.self) })
    }
}
