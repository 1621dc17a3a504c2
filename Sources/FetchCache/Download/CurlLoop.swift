internal import CCurl
internal import Files
import Locks
internal import Secrets

/// The loop of the engine's thread: reads commands, runs libcurl and reports results.
final class CurlLoop {
    private let shared: CurlShared
    private let multi: UnsafeMutableRawPointer
    private let session: CurlSession
    private var running: [UInt64: CurlTransfer] = [:]
    /// Handles for reuse, which saves creating new ones.
    private var idle: [CurlEasy] = []

    init(shared: CurlShared, multi: UnsafeMutableRawPointer, session: CurlSession) {
        self.shared = shared
        self.session = session
        self.multi = multi
    }

    func run() {
        blockBrokenPipes()
        let most = max(1, session.configuration.limits.transfers)
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 2 * most)
        var mustStop = false
        while !mustStop {
            for command in shared.takeCommands() { mustStop = handle(command) || mustStop }
            if mustStop { break }
            var count: Int32 = 0
            ccurl_multi_perform(multi, &count)
            // A finished transfer has made room for another. Start that one before waiting.
            if finishTransfers() { continue }
            let patience = cancelStalled()
            ccurl_multi_poll(multi, nil, 0, Int32(clamping: patience), nil)
        }
        for id in Array(running.keys) { end(id, .failure(CancellationError())) }
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
        case .start(let transfer): start(transfer)
        case .forgetCookies: session.forgetCookies()
        case .cancel(let id): end(id, .failure(CancellationError()))
        case .stop: return true
        }
        return false
    }

    private func start(_ transfer: Transfer) {
        let request = transfer.request
        guard let easy = idle.popLast() ?? CurlEasy() else {
            transfer.end(.failure(FetchError(.interrupted, request.url, "out of memory")))
            return
        }
        running[transfer.id] = CurlTransfer(
            transfer, reader: ResponseReader(for: request, now: session.configuration.now),
            easy: easy, session: session)
        let code = ccurl_multi_add_handle(multi, easy.handle)
        if code != CURLM_OK {
            let reason = String(cString: ccurl_multi_strerror(code))
            end(transfer.id, .failure(FetchError(.interrupted, request.url, reason)))
        }
    }

    private func finishTransfers() -> Bool {
        var hasFinished = false
        var remaining: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = CurlEasy.transfer(of: easy)
            else { continue }
            hasFinished = true
            let result = transfer.result(message.pointee.data.result)
            end(transfer.job.id, result.mapError { $0 as any Error })
        }
        return hasFinished
    }

    /// Ends transfers that exceed a time limit.
    ///
    /// - Returns: The milliseconds until the next transfer can exceed one.
    private func cancelStalled() -> Int64 {
        let now = monotonicMilliseconds()
        var patience: Int64 = 60_000
        for (id, transfer) in running {
            let deadline = transfer.deadline(now: now)
            if deadline.time > now {
                patience = min(patience, deadline.time - now)
            } else {
                let url = transfer.job.request.url
                end(id, .failure(FetchError(.timedOut, url, deadline.reason)))
                patience = 0
            }
        }
        return patience
    }

    /// Removes a running transfer and reports its result.
    private func end(_ id: UInt64, _ result: Result<TransferResponse, any Error>) {
        guard let transfer = running.removeValue(forKey: id) else { return }
        ccurl_multi_remove_handle(multi, transfer.easy.handle)
        if case .failure = result { transfer.suspend() }
        idle.append(transfer.easy)
        transfer.job.end(result)
    }
}

/// A transfer on the thread of the ``CurlLoop``.
final class CurlTransfer {
    let job: Transfer
    let reader: ResponseReader
    let easy: CurlEasy
    private let allowsAnyAddress: Bool
    /// A description of the address that was refused.
    private var refusedAddress: String?
    private var clock = TransferClock(start: monotonicMilliseconds())

    private var request: TransferRequest { job.request }

    init(_ job: Transfer, reader: ResponseReader, easy: CurlEasy, session: CurlSession) {
        self.job = job
        self.reader = reader
        self.easy = easy
        let request = job.request
        // The configuration chooses the proxy, which is usually in the private network. The proxy
        // connects to the host.
        allowsAnyAddress =
            session.configuration.network.allowsPrivateNetwork || request.transport.proxy != nil
        easy.prepare(
            request.transport, session, context: Unmanaged.passUnretained(self).toOpaque())
    }

    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        clock.lastActivity = monotonicMilliseconds()
        let mayContinue = reader.receiveHeaderLine(bytes)
        // This precedes the first byte of the content, which libcurl would have to decode.
        if reader.isHeadComplete, reader.hasUnknownCoding { easy.leaveContentEncoded() }
        return mayContinue
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        clock.lastActivity = monotonicMilliseconds()
        job.addBytes(bytes.count)
        return reader.receiveBody(bytes)
    }

    /// Whether connecting to an address is allowed; stores the reason if it is not.
    func allows(_ address: IPAddress?) -> Bool {
        if allowsAnyAddress { return true }
        guard let address else {
            refusedAddress = "the address is of an unknown kind"
            return false
        }
        guard let kind = address.specialKind else { return true }
        refusedAddress = "\(address) is a \(kind) address"
        return false
    }

    /// When the transfer exceeds a limit if nothing happens until then.
    ///
    /// Until the connection is made, only the total limit counts; libcurl checks the timeout of the
    /// connection.
    func deadline(now: Int64) -> Deadline {
        let connected = easy.millisecondsUntilConnected.map {
            max(clock.lastActivity ?? clock.start, clock.start + $0)
        }
        return clock.deadline(
            request.transport.times, total: request.timeLimit, quietSince: connected ?? now)
    }

    /// Hands over the received part of an incomplete body so that it can be resumed.
    func suspend() {
        guard var partial = reader.suspend() else { return }
        partial.response.connection = ConnectionFacts(address: addressClass)
        request.partial.withLock { $0 = partial }
    }

    /// The response, or the error for libcurl's code.
    func result(_ code: CURLcode) -> Result<TransferResponse, FetchError> {
        Result { () throws(FetchError) in
            if let failure = reader.failure { throw failure }
            guard code == CURLE_OK || reader.isCutShort else {
                if code == CURLE_COULDNT_CONNECT, let refusedAddress {
                    throw FetchError(
                        .forbidden, request.url,
                        "\(refusedAddress), and the private network is not allowed",
                        subcode: .privateAddress)
                }
                // libcurl's buffer for one header line is limited.
                if code == CURLE_OUT_OF_MEMORY, !reader.isHeadComplete {
                    throw FetchError(
                        .badResponse, request.url, "a line of the header is too long")
                }
                throw easy.error(code, request.url)
            }
            var response = try reader.finish()
            response.connection.address = addressClass
            if request.url.hasPrefix("http:") {
                response.proxy = request.transport.proxy.map(withoutCredentials)
            }
            return response
        }
    }

    /// The class of the server's address; nil if a proxy has chosen it.
    private var addressClass: String? {
        guard request.transport.proxy == nil, let address = easy.remoteAddress else { return nil }
        return address.specialKind ?? ConnectionFacts.publicAddress
    }
}
