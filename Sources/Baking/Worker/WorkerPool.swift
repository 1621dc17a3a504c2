import DequeModule
import Dispatch
import Foundation
package import Recipes
import Synchronization

/// A few worker processes, one job at a time each.
///
/// A worker is started when a job finds none idle, and replaced when it crashed, hung or has grown.
/// Each has a thread of its own that blocks on its pipe.
package final class WorkerPool: Sendable {
    /// Why a job has no answer.
    package enum Failure: Error, Equatable, Sendable {
        /// No worker can be started, so no job can be done.
        case unavailable(Problem)
        /// The worker died over this job, or was ended because it took too long.
        case lost(String)
        /// The pool was shut down.
        case stopped
        /// The source could not be read, or the output not be written.
        case file(FileFault)
    }

    /// What workers are like.
    package struct Options: Sendable {
        /// How many there are at most.
        package var size: Int
        /// The memory that one may take beyond what it starts with, in bytes.
        package var memoryBytes = Limits().memoryBytes
        /// Whether one whose sandbox cannot be closed is used all the same; false by default.
        package var allowsWeakSandbox = false

        package init(size: Int) { self.size = size }
    }

    private typealias Reply = CheckedContinuation<Result<Answer, Failure>, Never>

    private enum Work {
        case greet(CheckedContinuation<Result<Hello, Failure>, Never>)
        case job(Order, Reply)
    }

    private struct State {
        var waiting: Deque<Work> = []
        var threadCount = 0
        var idleCount = 0
        var isStopped = false
        var processes: Set<pid_t> = []
        var isWeaknessTold = false
        /// Why no worker can be used, once that is sure.
        var refusal: Failure?
    }

    private let executable: String
    private let options: Options
    private let tellWeakness: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Over this a worker is replaced after its job: 200 MiB.
    private static let residentLimit = 200 << 20

    /// Makes a pool that starts no worker yet.
    ///
    /// - Parameters:
    ///   - executable: The path of the worker.
    ///   - options: What workers are like.
    ///   - tellWeakness: Called once, from any thread, if workers are used although a protection of
    ///     their sandbox is missing, with what is missing.
    package init(
        executable: String, options: Options,
        tellWeakness: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.executable = executable
        self.options = options
        self.tellWeakness = tellWeakness
    }

    /// Has a worker do a job, after those that came before.
    package func perform(_ order: Order) async throws(Failure) -> Answer {
        try await withCheckedContinuation { enqueue(.job(order, $0)) }.get()
    }

    /// What the workers say of themselves.
    package func hello() async throws(Failure) -> Hello {
        try await withCheckedContinuation { enqueue(.greet($0)) }.get()
    }

    /// Ends every worker at once; jobs that wait or run fail with ``Failure/stopped``.
    package func stop() {
        let (dropped, threads) = state.withLock { state in
            state.isStopped = true
            for process in state.processes { kill(-process, SIGKILL) }
            defer { state.waiting.removeAll() }
            return (state.waiting, state.threadCount)
        }
        for work in dropped { fail(work, .stopped) }
        for _ in 0..<threads { signal.signal() }
    }

    private func enqueue(_ work: Work) {
        enum Action { case refuse, startThread, wake }
        let action: Action = state.withLock { state in
            guard !state.isStopped else { return .refuse }
            state.waiting.append(work)
            guard state.idleCount < state.waiting.count, state.threadCount < max(options.size, 1)
            else {
                return .wake
            }
            state.threadCount += 1
            return .startThread
        }
        switch action {
        case .refuse: fail(work, .stopped)
        case .wake: signal.signal()
        case .startThread:
            signal.signal()
            Thread.detachNewThread { self.run() }
        }
    }

    private func fail(_ work: Work, _ failure: Failure) {
        switch work {
        case .greet(let reply): reply.resume(returning: .failure(failure))
        case .job(_, let reply): reply.resume(returning: .failure(failure))
        }
    }

    private func next() -> Work? {
        state.withLock { $0.idleCount += 1 }
        signal.wait()
        return state.withLock { state in
            state.idleCount -= 1
            return state.isStopped ? nil : state.waiting.popFirst()
        }
    }

    /// A worker's thread: takes work until the pool is stopped.
    private func run() {
        var worker: WorkerProcess?
        while let work = next() {
            switch work {
            case .greet(let reply):
                reply.resume(returning: start(&worker).map { worker?.hello ?? $0 })
            case .job(let order, let reply):
                reply.resume(returning: perform(order, with: &worker))
            }
        }
        retire(&worker)
    }

    private func perform(
        _ order: Order, with worker: inout WorkerProcess?
    ) -> Result<Answer, Failure> {
        var isFirstTry = true
        while true {
            if case .failure(let failure) = start(&worker) { return .failure(failure) }
            let hadDoneOthers = (worker?.jobCount ?? 0) > 0
            do throws(WorkerProcess.Fault) {
                guard let result = try answer(order, of: &worker) else {
                    return .failure(.stopped)
                }
                if (worker?.residentBytes ?? 0) > Self.residentLimit { retire(&worker) }
                return result
            } catch {
                retire(&worker)
                if state.withLock(\.isStopped) { return .failure(.stopped) }
                // What an earlier image left behind may be what killed it: one try in a new one.
                if error == .died && hadDoneOthers && isFirstTry {
                    isFirstTry = false
                    continue
                }
                return .failure(.lost(reason(error, order.job)))
            }
        }
    }

    /// Has the worker do the job, and takes its output over; nil if there is no worker.
    private func answer(
        _ order: Order, of worker: inout WorkerProcess?
    ) throws(WorkerProcess.Fault) -> Result<Answer, Failure>? {
        let files: OrderFiles
        do throws(FileFault) {
            files = try OrderFiles(order)
        } catch {
            return .failure(.file(error))
        }
        guard let answer = try worker?.perform(order.job, files.descriptors) else { return nil }
        guard case .variant(let made) = answer, !made.isSource else { return .success(answer) }
        guard files.outputByteCount > 0 else { throw .misspoke("there is an image where is none") }
        do throws(FileFault) {
            try files.save(to: order.output ?? "")
            return .success(answer)
        } catch {
            return .failure(.file(error))
        }
    }

    private func reason(_ fault: WorkerProcess.Fault, _ job: Job) -> String {
        switch fault {
        case .timedOut:
            "it takes longer than \(job.limits.seconds) s to process"
        case .died:
            "the image worker crashed on it, or it needs more memory than is allowed"
        case .misspoke, .cannotStart:
            "the image worker failed on it: \(fault.phrase)"
        }
    }

    private func start(_ worker: inout WorkerProcess?) -> Result<Hello, Failure> {
        if let hello = worker?.hello { return .success(hello) }
        if let refusal = state.withLock(\.refusal) { return .failure(refusal) }
        do throws(WorkerProcess.Fault) {
            let new = try WorkerProcess(executable, memoryBytes: options.memoryBytes)
            let hello = new.hello
            let isStopped = state.withLock { state in
                state.processes.insert(new.processID)
                return state.isStopped
            }
            worker = consume new
            if isStopped {
                retire(&worker)
                return .failure(.stopped)
            }
            if let refusal = judge(hello.sandbox) {
                retire(&worker)
                return .failure(refusal)
            }
            return .success(hello)
        } catch {
            return .failure(.unavailable(Problem(.workerUnavailable, error.phrase)))
        }
    }

    /// Tells what is missing in a sandbox, or gives the reason why no worker can be used.
    private func judge(_ sandbox: SandboxReport) -> Failure? {
        guard !sandbox.gaps.isEmpty else { return nil }
        guard sandbox.isClosed || options.allowsWeakSandbox else {
            let refusal = Failure.unavailable(
                Problem(
                    .workerUnavailable,
                    "the system does not allow the sandbox of the image worker, missing is "
                        + sandbox.gapsInWords,
                    remedy: "run where the system allows it, or accept the risk with "
                        + "--allow-weak-sandbox"))
            state.withLock { $0.refusal = refusal }
            return refusal
        }
        let isFirst = state.withLock { state in
            defer { state.isWeaknessTold = true }
            return !state.isWeaknessTold
        }
        if isFirst { tellWeakness(sandbox.gapsInWords) }
        return nil
    }

    /// Ends a worker; taken out of the list first, so that no other process of its number is killed.
    private func retire(_ worker: inout WorkerProcess?) {
        if let process = worker?.processID {
            _ = state.withLock { $0.processes.remove(process) }
        }
        worker = nil
    }
}
