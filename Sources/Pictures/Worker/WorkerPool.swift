import Dispatch
package import Files
import Foundation
import Locks
package import Recipes
package import Reports

/// A pool of worker processes, each of which does one job at a time.
///
/// A worker is started for a job if no worker is idle. It is replaced if a job has crashed or hangs,
/// and if an answer breaks a rule. Each has its own thread, which blocks on its socket.
package final class WorkerPool: Sendable {
    fileprivate enum Work: Sendable {
        case greet(CheckedContinuation<Result<WorkerGreeting, PoolError>, Never>)
        case job(Order, CheckedContinuation<Result<JobResult, PoolError>, Never>)

        var memoryBytes: Int { if case .job(let order, _) = self { order.memoryBytes } else { 0 } }
    }

    fileprivate struct State {
        var queue: JobQueue<Work>
        var threadCount = 0
        var idleCount = 0
        /// The number of threads that were woken for a job and found none that fits into memory.
        var missedCount = 0
        var isStopped = false
        var processes: Set<pid_t> = []
        var areGapsReported = false
        /// The reason why no worker can be used, once that is certain.
        var refusal: PoolError?
    }

    private let executable: String
    private let options: Options
    private let reportGaps: @Sendable (String) -> Void
    private let state: Locked<State>
    private let signal = DispatchSemaphore(value: 0)

    /// Makes a pool without starting a worker.
    ///
    /// - Parameters:
    ///   - executable: The path of the worker.
    ///   - options: The options of the workers.
    ///   - reportGaps: Called at most once, from any thread, with the missing protections of the
    ///     sandbox, if workers are used without them.
    package init(
        executable: String, options: Options,
        reportGaps: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.executable = executable
        self.options = options
        state = Locked(State(queue: JobQueue(budget: options.memoryBudget)))
        self.reportGaps = reportGaps
    }

    /// Runs a job in a worker, in the order of ``JobQueue``.
    package func perform(_ order: Order) async throws(PoolError) -> JobResult {
        try await withCheckedContinuation { enqueue(.job(order, $0)) }.get()
    }

    /// The handshake of a worker, which describes it.
    package func greeting() async throws(PoolError) -> WorkerGreeting {
        try await withCheckedContinuation { enqueue(.greet($0)) }.get()
    }

    /// Ends every worker at once; waiting and running jobs fail with ``PoolError/stopped``.
    package func stop() {
        let (dropped, threads) = state.withLock { state in
            state.isStopped = true
            for process in state.processes { kill(-process, SIGKILL) }
            return (state.queue.removeAll(), state.threadCount)
        }
        for work in dropped { fail(work, .stopped) }
        for _ in 0..<threads { signal.signal() }
    }

    private func enqueue(_ work: Work) {
        enum Action { case refuse, startThread, wake }
        let action: Action = state.withLock { state in
            guard !state.isStopped else { return .refuse }
            state.queue.add(work, bytes: work.memoryBytes)
            guard state.idleCount < state.queue.count, state.threadCount < max(options.size, 1)
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

    private func fail(_ work: Work, _ failure: PoolError) {
        switch work {
        case .greet(let reply): reply.resume(returning: .failure(failure))
        case .job(_, let reply): reply.resume(returning: .failure(failure))
        }
    }

    /// Waits for work, and for the memory that it needs; nil if the pool is stopped.
    private func next() -> (job: Work, bytes: Int)? {
        while true {
            state.withLock { $0.idleCount += 1 }
            signal.wait()
            let (next, isStopped) = state.withLock { state in
                state.idleCount -= 1
                return (state.isStopped ? nil : state.start(), state.isStopped)
            }
            if isStopped { return nil }
            if let next { return next }
        }
    }

    /// Gives back the memory of a job, and wakes the threads that it was too little for.
    private func finish(bytes: Int) {
        let missedCount = state.withLock { state in
            state.queue.finish(bytes: bytes)
            defer { state.missedCount = 0 }
            return state.missedCount
        }
        for _ in 0..<missedCount { signal.signal() }
    }

    /// A worker's thread: takes jobs until the pool is stopped.
    private func run() {
        var worker: WorkerProcess?
        while let (work, bytes) = next() {
            switch work {
            case .greet(let reply):
                reply.resume(returning: start(&worker))
            case .job(let order, let reply):
                let start = ContinuousClock.now
                let result = perform(order, with: &worker)
                order.tell((ContinuousClock.now - start) / .seconds(1))
                finish(bytes: bytes)
                reply.resume(returning: result)
            }
        }
        retire(&worker)
    }

    private func perform(
        _ order: Order, with worker: inout WorkerProcess?
    ) -> Result<JobResult, PoolError> {
        if worker?.isReady == false { retire(&worker) }
        if case .failure(let failure) = start(&worker) { return .failure(failure) }
        do throws(WorkerProcess.ProcessError) {
            return try answer(order, of: &worker) ?? .failure(.stopped)
        } catch {
            retire(&worker)
            if state.withLock(\.isStopped) { return .failure(.stopped) }
            if case .brokeRule(let rule) = error { return .failure(.untrusted(rule)) }
            return .failure(.lost(reason(error, order.job)))
        }
    }

    /// Runs the job, checks its answer and copies its outputs; nil if there is no worker.
    private func answer(
        _ order: Order, of worker: inout WorkerProcess?
    ) throws(WorkerProcess.ProcessError) -> Result<JobResult, PoolError>? {
        let files: OrderFiles
        do throws(FileError) {
            files = try OrderFiles(order)
        } catch {
            return .failure(.file(error))
        }
        let rules = AnswerRules(for: order.job, on: files.sourceFacts)
        var job = order.job
        job.outputBytes = rules.outputBytes
        guard let answer = try worker?.perform(job, files.descriptors) else { return nil }
        do throws(BrokenRule) {
            try rules.check(answer)
        } catch {
            throw .brokeRule(error)
        }
        guard case .image(let image) = answer else { return .success(answer) }
        var saved: [String] = []
        do {
            try save(image, files, rules, order.outputs, &saved)
            return .success(answer)
        } catch {
            saved.forEach { removeFile($0) }
            switch error {
            case let rule as BrokenRule: throw .brokeRule(rule)
            case let error as FileError: return .failure(.file(error))
            default: return .failure(.lost("\(error)"))
            }
        }
    }

    /// Checks the files of all variants, and copies the outputs; `saved` gets the paths of the copies.
    ///
    /// - Throws: ``BrokenRule``, ``FileError``.
    private func save(
        _ image: JobResult.Image, _ files: borrowing OrderFiles, _ rules: AnswerRules,
        _ outputs: [String], _ saved: inout [String]
    ) throws {
        for (index, outcome) in image.variants.enumerated() {
            guard case .made(let made) = outcome else { continue }
            if made.variant.isSource {
                try made.variant.check(
                    file: files.sourceDescriptor, of: image.header, metadata: made.recipe.metadata)
                continue
            }
            let byteCount = files.byteCount(ofOutput: index)
            guard (1...rules.outputBytes(of: made.variant, image.header)).contains(byteCount) else {
                throw BrokenRule("the file cannot have \(byteCount) bytes")
            }
            try files.save(output: index, to: outputs[index])
            saved.append(outputs[index])
            try made.variant.check(
                fileAt: outputs[index], of: image.header, metadata: made.recipe.metadata)
        }
    }

    private func reason(_ error: WorkerProcess.ProcessError, _ job: Job) -> String {
        switch error {
        case .timedOut:
            "it takes longer than \(job.seconds) s of processor time"
        case .silent:
            "there was no result in \(job.seconds * AnswerDeadline.clockFactor) s"
        case .died:
            "the image worker crashed, or the image needs more memory than is allowed"
        case .brokeRule, .cannotStart:
            "the image worker failed: \(error.phrase)"
        }
    }

    private func start(_ worker: inout WorkerProcess?) -> Result<WorkerGreeting, PoolError> {
        if let greeting = worker?.greeting { return .success(greeting) }
        if let refusal = state.withLock(\.refusal) { return .failure(refusal) }
        do throws(WorkerProcess.ProcessError) {
            let new = try WorkerProcess(executable, memoryBytes: options.memoryBytes)
            let greeting = new.greeting
            let isStopped = state.withLock { state in
                state.processes.insert(new.processID)
                return state.isStopped
            }
            worker = consume new
            if isStopped {
                retire(&worker)
                return .failure(.stopped)
            }
            if let refusal = judge(greeting.sandbox) {
                retire(&worker)
                return .failure(refusal)
            }
            return .success(greeting)
        } catch {
            return .failure(.unavailable(Problem(.workerUnavailable, error.phrase)))
        }
    }

    /// Reports missing protections of a sandbox, or returns the reason why no worker can be used.
    private func judge(_ sandbox: SandboxReport) -> PoolError? {
        guard !sandbox.gaps.isEmpty else { return nil }
        guard sandbox.isClosed || options.allowsWeakSandbox else {
            let refusal = PoolError.unavailable(
                Problem(
                    .workerUnavailable,
                    "the system does not allow the sandbox of the image worker; missing: "
                        + sandbox.gapsInWords,
                    remedy: "run where the system allows it, or accept the risk with "
                        + "--allow-weak-sandbox"))
            state.withLock { $0.refusal = refusal }
            return refusal
        }
        let isFirst = state.withLock { state in
            defer { state.areGapsReported = true }
            return !state.areGapsReported
        }
        if isFirst { reportGaps(sandbox.gapsInWords) }
        return nil
    }

    /// Ends a worker.
    ///
    /// It is first removed from the list, so that no other process with the same ID is killed.
    private func retire(_ worker: inout WorkerProcess?) {
        if let process = worker?.processID {
            _ = state.withLock { $0.processes.remove(process) }
        }
        worker = nil
    }
}

extension WorkerPool.State {
    /// The next work and its memory; nil if none fits into memory now.
    fileprivate mutating func start() -> (job: WorkerPool.Work, bytes: Int)? {
        if let next = queue.start() { return next }
        if queue.count > 0 { missedCount += 1 }
        return nil
    }
}

extension WorkerPool {
    /// The reason why a job failed without an answer.
    package enum PoolError: Error, Equatable, Sendable {
        /// No worker can be started, so no job can be done.
        case unavailable(Problem)
        /// The worker crashed during this job, or was killed because it took too long.
        case lost(String)
        /// The worker broke a rule for its answers, so none of the answer is used.
        case untrusted(BrokenRule)
        /// The pool was shut down.
        case stopped
        /// The source could not be read, or the output could not be written.
        case file(FileError)
    }

    /// The options of the workers.
    package struct Options: Sendable {
        /// The maximum number of workers.
        package var size: Int
        /// The memory that a worker may use in addition to that at its start, in bytes.
        package var memoryBytes = Limits().memoryBytes
        /// The memory of all running jobs together, as far as it can be estimated, in bytes; no
        /// limit by default.
        package var memoryBudget = Int.max
        /// Whether to use a worker whose sandbox is incomplete; false by default.
        package var allowsWeakSandbox = false

        package init(size: Int) { self.size = size }
    }
}
