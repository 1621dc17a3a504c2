import Files
import FoundationEssentials
import Glibc
import Recipes
import Records
import WorkerSandbox

/// A running `imgbake-worker`, used only by the thread that owns it.
///
/// Every call blocks, so no call may be made on Swift's cooperative threads.
struct WorkerProcess: ~Copyable {
    /// The reason why a worker sent no answer.
    enum ProcessError: Error, Equatable {
        case cannotStart(String)
        /// The process ended by itself, or because of a resource limit.
        case died
        /// It has used more processor time than the limit.
        case timedOut
        /// It sent nothing for longer than any machine needs.
        case silent
        /// It sent something that no worker sends.
        case brokeRule(BrokenRule)
    }

    let processID: pid_t
    /// The worker's handshake, which describes it.
    let greeting: WorkerGreeting
    private let socket: Int32
    private var received: [UInt8]
    /// Keeps other processes of the same user from reading this process's memory while a worker
    /// exists.
    private let protection = MemoryProtection()

    /// Starts `executable` and waits for its handshake.
    ///
    /// - Parameters:
    ///   - executable: The path of the executable.
    ///   - memoryBytes: The memory that the worker may use in addition to that at its start.
    ///   - startSeconds: The processor time until the handshake.
    /// - Throws: ``ProcessError/cannotStart(_:)``.
    init(
        _ executable: String, memoryBytes: Int, startSeconds: Double = 20
    ) throws(ProcessError) {
        let started: StartedProgram
        do throws(StartedProgram.StartError) {
            started = try StartedProgram(
                executable, ["--memory", "\(memoryBytes)"], environment: [Self.largePages])
        } catch {
            throw .cannotStart("\(executable): \(String(cString: strerror(error.code)))")
        }
        do throws(ProcessError) {
            var received: [UInt8] = []
            let line = try readLine(
                from: started.socket, of: started.processID, into: &received,
                longest: WorkerMessage.longestGreeting,
                AnswerDeadline(started.processID, seconds: startSeconds))
            guard let greeting = try? JSONDecoder().decode(WorkerGreeting.self, from: Data(line))
            else { throw .brokeRule(Self.unreadable) }
            do throws(BrokenRule) { try greeting.check() } catch { throw .brokeRule(error) }
            self.greeting = greeting
            self.received = received
            processID = started.processID
            socket = started.socket
        } catch {
            end(started.processID, started.socket)
            throw .cannotStart(
                "\(executable): \(error.phrase)\(ForeignText.tidied(started.firstErrorLine))")
        }
    }

    deinit { end(processID, socket) }

    /// Makes the allocator of glibc ask for large pages, where the kernel gives them on request.
    ///
    /// The memory of a copy of the worker is new for each image. In pages of 4 KiB, that takes
    /// 617,000 page faults for 274 images, with large pages 200,000. Other C libraries ignore it.
    private static let largePages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

    /// Runs `job` in the worker.
    ///
    /// After an error, the worker must not be used again.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - descriptors: The files of the job: see ``Job``.
    /// - Returns: The worker's answer, whether the job succeeded or not.
    /// - Throws: ``ProcessError``.
    mutating func perform(_ job: Job, _ descriptors: [Int32]) throws(ProcessError) -> JobResult {
        let line = Array(canonicalText(of: job).utf8)
        let deadline = AnswerDeadline(processID, seconds: job.seconds)
        guard DescriptorSocket.send(line + [UInt8(ascii: "\n")], descriptors, over: socket)
        else { throw .died }
        let answer = try readLine(
            from: socket, of: processID, into: &received, longest: WorkerMessage.longestAnswer,
            deadline)
        guard let decoded = try? JSONDecoder().decode(JobResult.self, from: Data(answer)) else {
            throw .brokeRule(Self.unreadable)
        }
        return decoded
    }

    private static let unreadable = BrokenRule("it cannot be read")

    /// Whether it waits for a job: it has not ended, and has sent nothing that nobody asked for, which
    /// would be taken for the next answer.
    var isReady: Bool {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return received.isEmpty && poll(&waiting, 1, 0) == 0
    }
}

extension WorkerProcess.ProcessError {
    /// The error as a clause that can follow the name of the failed image.
    var phrase: String {
        switch self {
        case .cannotStart(let reason): "cannot start \(reason)"
        case .died: "the process ended without an answer"
        case .timedOut, .silent: "the process sent no answer in time"
        case .brokeRule(let rule): "its answer is not used: \(rule)"
        }
    }
}

/// Ends the process and all processes that it may have started, and waits for it.
private func end(_ processID: pid_t, _ socket: Int32) {
    close(socket)
    kill(-processID, SIGKILL)
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
}

/// The next line from `descriptor`, without its end; bytes after it stay in `received`.
private func readLine(
    from descriptor: Int32, of worker: pid_t, into received: inout [UInt8], longest: Int,
    _ deadline: AnswerDeadline
) throws(WorkerProcess.ProcessError) -> [UInt8] {
    // Most answers arrive within this time, and then nothing has to be measured.
    var milliseconds = AnswerDeadline.shortestWait
    while true {
        if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(received[..<end])
            received.removeSubrange(...end)
            return line
        }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, milliseconds)
        if ready < 0 && errno != EINTR { throw .died }
        guard ready > 0 else {
            milliseconds = try timeLeft(worker, deadline)
            continue
        }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 {
            received += chunk[..<count]
            // A line of the greatest length still has an end.
            guard received.count <= longest + 1 else {
                throw .brokeRule(BrokenRule("it has more than \(longest) bytes"))
            }
            // A worker that sends a byte now and then is measured too.
            if !chunk[..<count].contains(UInt8(ascii: "\n")) {
                milliseconds = try timeLeft(worker, deadline)
            }
        } else if count == 0 || errno != EINTR {
            throw .died
        }
    }
}

/// The time in milliseconds until the worker has to be measured again.
private func timeLeft(
    _ worker: pid_t, _ deadline: AnswerDeadline
) throws(WorkerProcess.ProcessError) -> Int32 {
    let usage = WorkerUsage(of: worker)
    guard usage.threads <= WorkerUsage.mostThreads else {
        throw .brokeRule(BrokenRule("it has more than \(WorkerUsage.mostThreads) threads"))
    }
    return try deadline.millisecondsLeft(usage)
}

/// The time until which a worker must answer.
///
/// Its processor time counts, because on a busy machine an image must wait for a processor. A
/// worker that neither computes nor answers is ended after ten times as long by the clock.
struct AnswerDeadline {
    /// The total by the clock, as a multiple of the limit.
    static let clockFactor = 10.0

    /// In milliseconds.
    static let shortestWait: Int32 = 20

    private let processorEnd: Duration
    private let clockEnd: ContinuousClock.Instant

    /// - Parameters:
    ///   - process: The process ID of the worker.
    ///   - seconds: The limit of its processor time from now on.
    init(_ process: pid_t, seconds: Double) {
        processorEnd = WorkerUsage(of: process).processorTime + .seconds(seconds)
        clockEnd = .now + .seconds(seconds * Self.clockFactor)
    }

    /// The time until the deadline has to be checked again.
    ///
    /// - Parameter usage: The usage of the worker until now.
    /// - Returns: In milliseconds, at least ``shortestWait`` and at most 100.
    /// - Throws: ``WorkerProcess/ProcessError/timedOut`` and ``WorkerProcess/ProcessError/silent``.
    func millisecondsLeft(_ usage: WorkerUsage) throws(WorkerProcess.ProcessError) -> Int32 {
        let processor = processorEnd - usage.processorTime
        guard processor > .zero else { throw .timedOut }
        let clock = clockEnd - .now
        guard clock > .zero else { throw .silent }
        return max(Self.shortestWait, Int32(min(min(processor, clock) / .milliseconds(1), 100)))
    }
}

/// The threads and the processor time of a worker and of the copies of it that do its jobs.
///
/// The kernel limits the threads of a user, not those of a process, and a system call filter cannot
/// count. So the command looks at them while it waits for an answer.
struct WorkerUsage {
    /// More threads than any encoder starts.
    static let mostThreads = max(64, 8 * processorCount)

    private static let ticksPerSecond = Int(sysconf(Int32(_SC_CLK_TCK)))

    /// The number of threads now; 0 if the system does not report it.
    private(set) var threads = 0
    /// The time since the start of the worker, in clock ticks; 0 if the system does not report it.
    private var ticks = 0

    var processorTime: Duration { .seconds(Double(ticks) / Double(Self.ticksPerSecond)) }

    init(of worker: pid_t) {
        let copies = ProcessState.text(of: "/proc/\(worker)/task/\(worker)/children")
            .split(separator: " ")
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
        let fields = ProcessState.text(of: "/proc/\(process)/stat").split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > 17 else { return }
        threads += Int(fields[17]) ?? 0
        for field in fields[11..<11 + times] { ticks += Int(field) ?? 0 }
    }
}
