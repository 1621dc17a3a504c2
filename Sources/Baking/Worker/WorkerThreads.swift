import Glibc

/// The threads of a worker and of its jobs.
///
/// The kernel limits the threads of a user, not those of a process, and a system call filter cannot
/// count. So the command looks at them while it waits for an answer.
enum WorkerThreads {
    /// More than any encoder starts.
    static let limit = max(64, 8 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// The number of threads now; 0 if the system does not report it.
    static func count(of worker: pid_t) -> Int {
        let children = text("/proc/\(worker)/task/\(worker)/children").split(separator: " ")
        let processes = ["\(worker)"] + children.prefix(8).map(String.init)
        return processes.map { process in
            // The name of the program is in brackets and may contain spaces; the 18th number after it
            // is that of the threads.
            let fields = text("/proc/\(process)/stat").split(separator: ")").last?
                .split(separator: " ")
            guard let fields, fields.count > 17 else { return 0 }
            return Int(fields[17]) ?? 0
        }.reduce(0, +)
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
