internal import CCurl
import Glibc
import Locks
internal import Logging
internal import Secrets

/// The loop of the engine's thread: reads commands, runs libcurl and returns results.
final class CurlLoop {
    private struct Waiting {
        var request: TransferRequest
        /// The epoch of the queue, which needs it at the end of the transfer.
        var epoch = 0
        var continuation: CheckedContinuation<TransferResponse, any Error>
    }

    private let shared: CurlShared
    private let multi: UnsafeMutableRawPointer
    private let session: CurlSession
    private let configuration: FetchConfiguration
    private let newWriter: ResponseReader.NewWriter
    private let limits: TransferLimits
    private var health: HostHealth
    private var queue: TransferQueue
    private var waiting: [UInt64: Waiting] = [:]
    private var running: [UInt64: CurlTransfer] = [:]
    /// The interval in milliseconds at which the thread checks for new commands without any other
    /// event.
    private static let saturatedPatience: Int64 = 10
    /// The time of the next check for stalled transfers.
    ///
    /// They are not checked after each packet.
    private var nextStallCheck: Int64 = .min
    /// Handles for reuse, which saves creating new ones.
    private var idle: [CurlEasy] = []

    init(
        shared: CurlShared, session: CurlSession,
        newWriter: @escaping ResponseReader.NewWriter
    ) {
        self.shared = shared
        self.session = session
        configuration = session.configuration
        self.newWriter = newWriter
        multi = shared.multi.pointer
        limits = TransferLimits(configuration)
        health = HostHealth(
            maximumFailures: configuration.maximumHostFailures,
            probeInterval: configuration.hostProbeInterval.milliseconds)
        queue = TransferQueue(
            maximum: configuration.maximumTransfers,
            maximumPerHost: configuration.maximumTransfersPerHost,
            isLastInFirstOut: configuration.order == .lastInFirstOut)
    }

    func run() {
        blockBrokenPipes()
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 2 * queue.maximum)
        var mustStop = false
        while !mustStop {
            for command in shared.takeCommands() { mustStop = handle(command) || mustStop }
            if mustStop { break }
            startTransfers()
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            let hasFinished = finishTransfers()
            var patience = cancelStalled()
            report()
            // A finished transfer has made room for another. Start that one before waiting.
            if hasFinished { continue }
            let saturation = queue.saturation
            if shared.set(saturation) { continue }
            if !saturation.isNone { patience = min(patience, Self.saturatedPatience) }
            let hostPatience = queue.patience(now: monotonicMilliseconds()) ?? patience
            curl_multi_poll(multi, nil, 0, Int32(clamping: min(patience, hostPatience)), nil)
        }
        for id in Array(waiting.keys) { cancel(id) }
        idle = []
        shared.free()
    }

    /// Makes a closed connection an error of the write, and not a signal that ends the process.
    private func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// - Returns: Whether the thread must end.
    private func handle(_ command: CurlShared.Command) -> Bool {
        switch command {
        case .start(let id, let request, let hasLeft, let continuation):
            if hasLeft.isSet {
                continuation.resume(throwing: CancellationError())
            } else if health.isGivenUp(request.authority, now: monotonicMilliseconds()) {
                continuation.resume(throwing: givenUp(request))
            } else {
                waiting[id] = Waiting(request: request, continuation: continuation)
                queue.enqueue(id, host: request.authority, priority: request.report.flight.priority)
                request.report.emit(.queued)
            }
        case .raise(let id, let priority):
            guard running[id] == nil, let authority = waiting[id]?.request.authority else { break }
            queue.raise(id, host: authority, to: priority)
        case .limit(let count): queue.maximum = count
        case .forgetCookies: session.forgetCookies()
        case .cancel(let id): cancel(id)
        case .stop: return true
        }
        return false
    }

    private func startTransfers() {
        while let (id, epoch) = queue.next(now: monotonicMilliseconds()),
            let request = waiting[id]?.request
        {
            waiting[id]?.epoch = epoch
            guard health.mayBegin(request.authority, now: monotonicMilliseconds()) else {
                end(id, .failure(givenUp(request)))
                continue
            }
            guard let easy = idle.popLast() ?? CurlEasy() else {
                end(id, .failure(FetchError(.interrupted, request.url, "out of memory")))
                continue
            }
            let transfer = CurlTransfer(
                id: id, request: request, reader: reader(for: request), easy: easy,
                session: session,
                addBytes: { [shared] count in
                    shared.activity.withLock { $0.receivedBytes += count }
                })
            running[id] = transfer
            if let limit = request.timeLimit {
                nextStallCheck = min(nextStallCheck, monotonicMilliseconds() + limit)
            }
            shared.activity.withLock { $0.requestCount += 1 }
            request.report.emit(.started(url: withoutSecrets(request.url)))
            let code = curl_multi_add_handle(multi, easy.handle)
            if code != CURLM_OK {
                let reason = String(cString: curl_multi_strerror(code))
                end(id, .failure(FetchError(.interrupted, request.url, reason)))
            }
        }
    }

    private func reader(for request: TransferRequest) -> ResponseReader {
        ResponseReader(for: request, now: configuration.now, newWriter: newWriter)
    }

    private func finishTransfers() -> Bool {
        var hasFinished = false
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = CurlEasy.transfer(of: easy)
            else { continue }
            hasFinished = true
            end(transfer.id, transfer.result(message.pointee.data.result))
        }
        return hasFinished
    }

    /// Ends transfers that exceed a time limit.
    ///
    /// - Returns: The milliseconds until the next transfer can exceed one.
    private func cancelStalled() -> Int64 {
        let now = monotonicMilliseconds()
        if now < nextStallCheck { return nextStallCheck - now }
        var patience: Int64 = 60_000
        // No running transfer exceeds a limit before its deadline, and no later one before the
        // shortest timeout has passed.
        defer { nextStallCheck = now + min(patience, limits.stall, limits.speedTime) }
        for transfer in Array(running.values) {
            let deadline = transfer.deadline(now: now, limits)
            if deadline.time > now {
                patience = min(patience, deadline.time - now)
            } else {
                let url = transfer.request.url
                end(transfer.id, .failure(FetchError(.timedOut, url, deadline.reason)))
                patience = 0
            }
        }
        return patience
    }

    /// The error of a request to a host that has failed too often.
    private func givenUp(_ request: TransferRequest) -> FetchError {
        var error = FetchError(
            .unreachable, request.url,
            "\(request.authority) has failed \(configuration.maximumHostFailures ?? 0) times in a "
                + "row; one request every \(configuration.hostProbeInterval.words) tries it again")
        error.isOfHost = true
        return error
    }

    /// Records the result of a transfer, and blocks requests to its host if it has failed too
    /// often.
    private func recordResult(of host: String, _ result: Result<TransferResponse, some Error>) {
        guard case .failure(let failure) = result else { return health.succeeded(host) }
        guard let error = failure as? FetchError, !error.isOfHost else { return }
        guard error.code.isOfNetwork else { return health.succeeded(host) }
        guard health.failed(host, error.code, now: monotonicMilliseconds()) else { return }
        configuration.logger.error(
            """
            \(host) has failed \(configuration.maximumHostFailures ?? 0) times in a row \
            (\(error.detail)); all else that is asked of it fails at once
            """)
        for (id, entry) in waiting where running[id] == nil && entry.request.authority == host {
            waiting[id] = nil
            queue.remove(id, host: host, now: monotonicMilliseconds())
            entry.continuation.resume(throwing: givenUp(entry.request))
        }
    }

    private func cancel(_ id: UInt64) {
        guard let entry = waiting[id] else { return }
        if running[id] == nil {
            waiting[id] = nil
            queue.remove(id, host: entry.request.authority, now: monotonicMilliseconds())
            entry.continuation.resume(throwing: CancellationError())
        } else {
            end(id, .failure(CancellationError()))
        }
    }

    /// Removes a running transfer and returns its result to the caller.
    private func end(_ id: UInt64, _ result: Result<TransferResponse, some Error>) {
        guard let entry = waiting.removeValue(forKey: id) else { return }
        if let transfer = running.removeValue(forKey: id) {
            entry.request.time.add(transfer.duration(now: monotonicMilliseconds()))
            curl_multi_remove_handle(multi, transfer.easy.handle)
            if case .failure = result { transfer.suspend() }
            idle.append(transfer.easy)
        }
        queue.finish(
            host: entry.request.authority, epoch: entry.epoch, outcome: outcome(of: result),
            now: monotonicMilliseconds())
        recordResult(of: entry.request.authority, result)
        entry.continuation.resume(with: result.mapError { $0 as any Error })
    }

    private func outcome(
        of result: Result<TransferResponse, some Error>
    ) -> TransferQueue.Outcome {
        guard case .success(let response) = result else { return .other }
        guard [429, 503].contains(response.head.status) else { return .success }
        let asked = RetryPolicy.retryAfter(response.head.fields, now: response.responseTime)
        // If the wait exceeds the maximum, the request fails.
        let wait = asked.map { $0 > configuration.maximumRetryAfter ? .zero : $0 } ?? .zero
        return .overloaded(until: monotonicMilliseconds() + wait.milliseconds)
    }

    private func report() {
        shared.activity.withLock { activity in
            activity.runningCount = queue.runningCount
            activity.waitingCount = queue.waitingCount
        }
    }
}
