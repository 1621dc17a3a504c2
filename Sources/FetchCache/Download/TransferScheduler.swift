import Locks
internal import Logging
internal import Secrets

/// Decides when each request is sent, and counts requests, retries and bytes.
///
/// It has the queue, the limits, the priorities and the failures of hosts. A ``TransferRunner`` makes
/// the transfers.
final class TransferScheduler: Sendable {
    /// A request that waits or runs, and its caller.
    private struct Submitted {
        var request: TransferRequest
        var continuation: CheckedContinuation<TransferResponse, any Error>
        /// The epoch of the queue, which needs it at the end of the transfer.
        var epoch = 0
        /// The time of the start in milliseconds; nil while the request is in the queue.
        var start: Int64?
        /// ``HostHealth/failureCount`` at the start.
        var failureCount = 0
    }

    private struct State {
        var queue: TransferQueue
        var health: HostHealth
        var turns = CallTurns()
        var submitted: [UInt64: Submitted] = [:]
        var isClosed = false
        /// The time of the next look at hosts that have asked to wait; nil for none.
        var nextLook: Int64?
    }

    /// A caller and its result.
    ///
    /// Methods collect them while they hold the lock, and resume the callers afterwards.
    private typealias Ended = (
        continuation: CheckedContinuation<TransferResponse, any Error>,
        result: Result<TransferResponse, any Error>
    )

    private let configuration: DownloaderConfiguration
    private let runner: any TransferRunner
    private let counts = Locked(FetchActivity())
    private let state: Locked<State>

    init(_ configuration: DownloaderConfiguration, runner: any TransferRunner) {
        self.configuration = configuration
        self.runner = runner
        state = Locked(
            State(
                queue: TransferQueue(
                    maximum: configuration.limits.transfers,
                    maximumPerHost: configuration.limits.transfersPerHost,
                    isLastInFirstOut: configuration.order == .lastInFirstOut),
                health: HostHealth(
                    maximumFailures: configuration.limits.hostFailures,
                    probeInterval: configuration.times.hostProbe.milliseconds,
                    retryTime: RetryPolicy(configuration, configuration.times).longestTotalDelay)))
    }

    /// A snapshot of the current transfers.
    var activity: FetchActivity {
        var activity = counts.withLock { $0 }
        (activity.runningCount, activity.waitingCount) = state.withLock {
            ($0.queue.runningCount, $0.queue.waitingCount)
        }
        return activity
    }

    /// Counts a retry.
    func countRetry() { counts.withLock { $0.retryCount += 1 } }

    /// The maximum number of concurrent transfers.
    var maximum: Int { state.withLock(\.queue.maximum) }

    /// Whether new transfers are suspended.
    var isSuspended: Bool { state.withLock(\.queue.isSuspended) }

    /// Changes the limits of the queue, and starts the transfers that they allow.
    func change(_ body: (inout TransferQueue) -> Void) {
        let ended = state.withLock { state in
            body(&state.queue)
            return startNext(&state)
        }
        resume(ended)
    }

    /// Takes the turn of a call, in whose order its requests are queued.
    func takeTurn() -> CallTurn {
        let number = state.withLock { $0.turns.take() }
        return CallTurn(number: number) { [weak self] in self?.end(turn: $0) }
    }

    private func end(turn: UInt64) {
        let ended = state.withLock { state in
            state.turns.end(turn)
            return state.queue.waitingCount > 0 ? startNext(&state) : []
        }
        resume(ended)
    }

    /// Makes one request when the queue allows it.
    ///
    /// - Throws: ``FetchError``; `CancellationError` if the task is cancelled. In both cases the
    ///   received part may be in the request's `partial`, if a later request can continue it.
    func response(to request: TransferRequest) async throws -> TransferResponse {
        let (id, hasLeft) = (uniqueNumber(), Flag())
        let flight = request.report.flight
        flight.observe(id: id) { [weak self] in self?.takePriority(of: id) }
        defer { flight.observe(id: id, nil) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit(id, Submitted(request: request, continuation: continuation), hasLeft)
            }
        } onCancel: {
            // The cancellation can precede the request, which then finds the flag set.
            hasLeft.set()
            cancel(id)
        }
    }

    /// Ends all transfers; later requests are cancelled.
    func close() async {
        let ended = state.withLock { state in
            state.isClosed = true
            return state.submitted.filter { $0.value.start == nil }.map { id, entry -> Ended in
                remove(id, &state)
                return (entry.continuation, .failure(CancellationError()))
            }
        }
        resume(ended)
        await runner.close()
    }

    /// Removes all cookies.
    func forgetCookies() { runner.forgetCookies() }

    private func submit(_ id: UInt64, _ entry: Submitted, _ hasLeft: Flag) {
        let (request, now) = (entry.request, monotonicMilliseconds())
        let ended = state.withLock { state -> [Ended] in
            if state.isClosed || hasLeft.isSet {
                return [(entry.continuation, .failure(CancellationError()))]
            }
            if let error = state.health.refusal(by: request.authority, now: now) {
                return [(entry.continuation, .failure(givenUp(request, error)))]
            }
            state.submitted[id] = entry
            let turn = request.report.flight.turn?.number ?? state.turns.take()
            state.turns.end(turn)
            state.queue.enqueue(
                id, host: request.authority, priority: request.report.flight.priority, turn: turn)
            request.report.emit(.queued)
            return startNext(&state)
        }
        resume(ended)
    }

    /// Gives a request in the queue the present priority of its flight.
    private func takePriority(of id: UInt64) {
        state.withLock { state in
            guard let entry = state.submitted[id], entry.start == nil else { return }
            let priority = entry.request.report.flight.priority
            state.queue.move(id, host: entry.request.authority, to: priority)
        }
    }

    private func cancel(_ id: UInt64) {
        let (isRunning, ended) = state.withLock { state -> (Bool, [Ended]) in
            guard let entry = state.submitted[id] else { return (false, []) }
            if entry.start != nil { return (true, []) }
            remove(id, &state)
            return (false, [(entry.continuation, .failure(CancellationError()))])
        }
        // The runner hands over the received part before it reports the end.
        if isRunning { runner.cancel(id) }
        resume(ended)
    }

    /// Removes a request that is in the queue.
    private func remove(_ id: UInt64, _ state: inout State) {
        guard let entry = state.submitted.removeValue(forKey: id) else { return }
        state.queue.remove(id, host: entry.request.authority, now: monotonicMilliseconds())
    }

    /// Starts all transfers that the queue allows.
    ///
    /// They are started while the lock is held, so that they begin in the order of the queue.
    ///
    /// - Returns: The requests that cannot be started.
    private func startNext(_ state: inout State) -> [Ended] {
        var ended: [Ended] = []
        if state.isClosed { return ended }
        let now = monotonicMilliseconds()
        while let (id, epoch) = state.queue.next(now: now, before: state.turns.first),
            let request = state.submitted[id]?.request
        {
            state.submitted[id]?.epoch = epoch
            state.submitted[id]?.start = now
            state.submitted[id]?.failureCount = state.health.failureCount
            if let error = state.health.begin(request.authority, now: now) {
                ended += finish(id, .failure(givenUp(request, error)), &state)
                continue
            }
            counts.withLock { $0.requestCount += 1 }
            request.report.emit(.started(url: withoutSecrets(request.url)))
            let transfer = Transfer(
                id: id, request: request,
                addBytes: { [counts] count in counts.withLock { $0.receivedBytes += count } },
                end: { [self] result in end(id, result) })
            guard runner.start(transfer) else {
                ended += finish(id, .failure(CancellationError()), &state)
                continue
            }
        }
        lookLater(&state, now)
        return ended
    }

    /// Starts a timer if a host has asked to wait, and nothing else would start its transfers.
    private func lookLater(_ state: inout State, _ now: Int64) {
        guard let patience = state.queue.patience(now: now) else { return }
        let time = now + patience
        if let next = state.nextLook, next <= time, next > now { return }
        state.nextLook = time
        Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(patience))
            self?.look()
        }
    }

    private func look() {
        let ended = state.withLock { state in
            state.nextLook = nil
            return startNext(&state)
        }
        resume(ended)
    }

    /// Receives the result of a running transfer from the runner.
    private func end(_ id: UInt64, _ result: Result<TransferResponse, any Error>) {
        let ended = state.withLock { state in
            finish(id, result, &state) + startNext(&state)
        }
        resume(ended)
    }

    /// Removes a started transfer, and records its result.
    ///
    /// - Returns: Its caller, and those of other requests to its host, if that is given up now.
    private func finish(
        _ id: UInt64, _ result: Result<TransferResponse, any Error>, _ state: inout State
    ) -> [Ended] {
        guard let entry = state.submitted.removeValue(forKey: id), let start = entry.start else {
            return []
        }
        let now = monotonicMilliseconds()
        entry.request.time.withLock { $0 += now - start }
        state.queue.finish(
            host: entry.request.authority, epoch: entry.epoch,
            outcome: outcome(of: result, entry.request.transport.times), now: now)
        return [(entry.continuation, result)]
            + recordHealth(after: entry, start: start, result, &state)
    }

    /// Records whether the host of a transfer has responded.
    ///
    /// - Returns: The waiting requests to the host, if it has failed too often.
    private func recordHealth(
        after entry: Submitted, start: Int64, _ result: Result<TransferResponse, any Error>,
        _ state: inout State
    ) -> [Ended] {
        let host = entry.request.authority
        guard case .failure(let failure) = result else {
            state.health.succeeded(host)
            return []
        }
        guard let error = failure as? FetchError, !error.isOfGivenUpHost else { return [] }
        guard error.code.isOfNetwork else {
            state.health.succeeded(host)
            return []
        }
        let isGivenUp = state.health.failed(
            host, error, start: start, count: entry.failureCount,
            now: monotonicMilliseconds())
        guard isGivenUp else { return [] }
        configuration.logger.error(
            """
            \(host) has failed \(configuration.limits.hostFailures ?? 0) times in a row \
            (\(error.detail)); all else that is asked of it fails at once
            """)
        var ended: [Ended] = []
        for (id, entry) in state.submitted
        where entry.start == nil && entry.request.authority == host {
            remove(id, &state)
            ended.append((entry.continuation, .failure(givenUp(entry.request, error))))
        }
        return ended
    }

    /// The error of a request to a host that has failed too often: its last one.
    private func givenUp(_ request: TransferRequest, _ last: FetchError) -> FetchError {
        var error = FetchError(last.code, request.url, last.detail, subcode: last.subcode)
        error.isOfGivenUpHost = true
        return error
    }

    private func outcome(
        of result: Result<TransferResponse, any Error>, _ times: DownloaderConfiguration.Times
    ) -> TransferQueue.Outcome {
        guard case .success(let response) = result else { return .other }
        guard [429, 503].contains(response.head.status) else { return .success }
        let asked = RetryPolicy.retryAfter(response.head.fields, now: response.responseTime)
        // If the wait exceeds the maximum, the request fails.
        let wait = asked.map { $0 > times.longestRetryAfter ? .zero : $0 } ?? .zero
        return .overloaded(until: monotonicMilliseconds() + wait.milliseconds)
    }

    private func resume(_ ended: [Ended]) {
        for (continuation, result) in ended { continuation.resume(with: result) }
    }
}

/// A transfer that a ``TransferRunner`` makes.
struct Transfer: Sendable {
    let id: UInt64
    let request: TransferRequest
    /// Counts received bytes of the body.
    let addBytes: @Sendable (Int) -> Void
    /// Receives the result, once.
    let end: @Sendable (Result<TransferResponse, any Error>) -> Void
}

/// Makes single transfers, which a ``TransferScheduler`` starts: a ``CurlEngine``, whose thread runs a
/// ``CurlLoop``, or a ``TransportRunner``.
///
/// It holds each transfer to its time limits.
protocol TransferRunner: Sendable {
    /// Starts a transfer, without waiting for anything.
    ///
    /// The result is passed to ``Transfer/end``, but not during this call.
    ///
    /// - Returns: False if the runner has ended, in which case nothing is passed.
    func start(_ transfer: Transfer) -> Bool

    /// Ends a running transfer early, after its received part was handed over.
    func cancel(_ id: UInt64)

    /// Removes all cookies.
    func forgetCookies()

    /// Ends all transfers.
    func close() async
}
