import Glibc

/// The threads and the processor time of a worker and of the copies of it that do its jobs.
///
/// The kernel limits the threads of a user, not those of a process, and a system call filter cannot
/// count. So the command looks at them while it waits for an answer.
struct WorkerUsage {
    /// More threads than any encoder starts.
    static let mostThreads = max(64, 8 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    private static let ticksPerSecond = Int(sysconf(Int32(_SC_CLK_TCK)))

    /// The number of threads now; 0 if the system does not report it.
    private(set) var threads = 0
    /// The time since the start of the worker, in clock ticks; 0 if the system does not report it.
    private var ticks = 0

    var processorTime: Duration { .seconds(Double(ticks) / Double(Self.ticksPerSecond)) }

    init(of worker: pid_t) {
        let copies = Self.text("/proc/\(worker)/task/\(worker)/children").split(separator: " ")
        // Copies that have ended count as time of the worker.
        add("\(worker)", times: 4)
        for copy in copies.prefix(8) { add(String(copy), times: 2) }
    }

    /// Adds a process.
    ///
    /// - Parameters:
    ///   - process: Its process ID.
    ///   - times: How many of its times count: in user mode, in the kernel, and both of the
    ///     processes that it has waited for.
    private mutating func add(_ process: String, times: Int) {
        // The name of the program is in brackets and may contain spaces. The times begin with the
        // 12th field after it; the 18th is the number of threads.
        let fields = Self.text("/proc/\(process)/stat").split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > 17 else { return }
        threads += Int(fields[17]) ?? 0
        for field in fields[11..<11 + times] { ticks += Int(field) ?? 0 }
    }

    /// A file of /proc has no size, so it is not read by size.
    private static func text(_ path: String) -> Substring {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return Substring(decoding: bytes[..<count], as: UTF8.self)
    }
}
