import FoundationEssentials
import Glibc
import Recipes
import Synchronization

/// One running `imgbake-worker`, spoken to from the thread that owns it.
///
/// Every call blocks; none is for Swift's cooperative threads.
struct WorkerProcess: ~Copyable {
    /// Why a worker gave no answer.
    enum Fault: Error, Equatable {
        case cannotStart(String)
        /// It ended by itself, or by a limit of the system.
        case died
        case timedOut
        case misspoke(String)
    }

    let processID: pid_t
    /// What the worker said of itself.
    let hello: Hello
    /// How many jobs it has done.
    private(set) var jobCount = 0
    private let input: Int32
    private let output: Int32
    private var received: [UInt8]

    /// Starts `executable` and waits for its greeting.
    init(_ executable: String, startSeconds: Double = 20) throws(Fault) {
        let started = try startProcess(executable)
        defer { fclose(started.errors) }
        do throws(Fault) {
            var received: [UInt8] = []
            let line = try readLine(from: started.output, into: &received, seconds: startSeconds)
            guard let hello = try? JSONDecoder().decode(Hello.self, from: Data(line)) else {
                throw .misspoke(String(decoding: line.prefix(80), as: UTF8.self))
            }
            self.hello = hello
            self.received = received
            processID = started.processID
            input = started.input
            output = started.output
        } catch {
            end(started.processID, started.input, started.output)
            throw .cannotStart("\(executable): \(error.phrase)\(firstLine(of: started.errors))")
        }
    }

    deinit { end(processID, input, output) }

    /// Has the worker do `job`; after a throw the worker is of no more use.
    mutating func perform(_ job: Job) throws(Fault) -> Answer {
        jobCount += 1
        guard var line = try? JSONEncoder().encode(job) else { throw .misspoke("no job") }
        line.append(UInt8(ascii: "\n"))
        guard writeAll(line, to: input) else { throw .died }
        let answer = try readLine(from: output, into: &received, seconds: job.limits.seconds)
        guard let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer)) else {
            throw .misspoke(String(decoding: answer.prefix(80), as: UTF8.self))
        }
        return decoded
    }

    /// The memory that the worker holds now, in bytes; 0 where the system does not tell.
    var residentBytes: Int {
        // A file of /proc has no size to be read by.
        guard let file = fopen("/proc/\(processID)/statm", "re") else { return 0 }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 128)
        let count = fread(&line, 1, line.count, file)
        let fields = String(decoding: line[..<count], as: UTF8.self).split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

extension WorkerProcess.Fault {
    /// The fault as a clause that can follow the name of what failed.
    var phrase: String {
        switch self {
        case .cannotStart(let reason): "cannot start \(reason)"
        case .died: "it ended without an answer"
        case .timedOut: "it gave no answer in time"
        case .misspoke(let line): "it said what no worker says: \(line)"
        }
    }
}

/// A process and the ends of its pipes that are ours.
private struct StartedProcess {
    var processID: pid_t
    var input: Int32
    var output: Int32
    /// Where its standard error goes: a file without a name, so that a talkative library cannot
    /// block it.
    var errors: UnsafeMutablePointer<FILE>
}

/// Held while descriptors are open that a process started meanwhile would inherit.
private let starting = Mutex(())

private func startProcess(_ executable: String) throws(WorkerProcess.Fault) -> StartedProcess {
    let result: Result<StartedProcess, WorkerProcess.Fault> = starting.withLock { _ in
        var toWorker: [Int32] = [-1, -1]
        var fromWorker: [Int32] = [-1, -1]
        let failure = { (code: Int32) in
            WorkerProcess.Fault.cannotStart("\(executable): \(String(cString: strerror(code)))")
        }
        guard pipe(&toWorker) == 0 else { return .failure(failure(errno)) }
        defer { close(toWorker[0]) }
        guard pipe(&fromWorker) == 0, let errors = tmpfile() else {
            let code = errno
            for end in [toWorker[1]] + fromWorker { close(end) }
            return .failure(failure(code))
        }
        defer { close(fromWorker[1]) }
        for end in toWorker + fromWorker + [fileno(errors)] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        let spawned = spawn(executable, toWorker[0], fromWorker[1], fileno(errors))
        guard spawned.code == 0 else {
            for end in [toWorker[1], fromWorker[0]] { close(end) }
            fclose(errors)
            return .failure(failure(spawned.code))
        }
        return .success(
            StartedProcess(
                processID: spawned.processID, input: toWorker[1], output: fromWorker[0],
                errors: errors))
    }
    return try result.get()
}

/// Starts `executable` in a process group of its own, so that a Ctrl-C in the terminal reaches the
/// command alone, which then ends its workers, and with no environment but what locates libraries
/// and fonts.
private func spawn(
    _ executable: String, _ input: Int32, _ output: Int32, _ errors: Int32
) -> (processID: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    var allSignals = sigset_t()
    sigfillset(&allSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setsigdefault(&attributes, &allSignals)
    posix_spawnattr_setflags(
        &attributes,
        Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(executable), nil]
    let kept = ["PATH", "HOME", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE"]
    var environment: [UnsafeMutablePointer<CChar>?] = kept.compactMap { name in
        getenv(name).flatMap { strdup("\(name)=\(String(cString: $0))") }
    }
    environment.append(nil)
    defer {
        for string in arguments + environment { free(string) }
    }
    var processID: pid_t = -1
    let code = posix_spawn(
        &processID, executable, &actions, &attributes, &arguments, &environment)
    return (processID, code)
}

/// Ends the process, with all that it may have started, and waits for it.
private func end(_ processID: pid_t, _ input: Int32, _ output: Int32) {
    close(input)
    close(output)
    kill(-processID, SIGKILL)
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
}

/// The first line of what the worker wrote to its standard error, after a colon.
private func firstLine(of errors: UnsafeMutablePointer<FILE>) -> String {
    var bytes = [UInt8](repeating: 0, count: 400)
    let count = pread(fileno(errors), &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    return text.split(separator: "\n").first.map { ": \($0)" } ?? ""
}

private func writeAll(_ bytes: Data, to descriptor: Int32) -> Bool {
    var rest = [UInt8](bytes)[...]
    while !rest.isEmpty {
        let wrote = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if wrote > 0 {
            rest = rest.dropFirst(wrote)
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

/// The next line from `descriptor`, without its end; what came after it stays in `received`.
private func readLine(
    from descriptor: Int32, into received: inout [UInt8], seconds: Double
) throws(WorkerProcess.Fault) -> [UInt8] {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(received[..<end])
            received.removeSubrange(...end)
            return line
        }
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { throw .timedOut }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, Int32(left.rounded(.up)))
        if ready < 0 && errno != EINTR { throw .died }
        guard ready > 0 else { continue }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 {
            received += chunk[..<count]
            guard received.count < 1 << 20 else { throw .misspoke("a line of over 1 MiB") }
        } else if count == 0 || errno != EINTR {
            throw .died
        }
    }
}
