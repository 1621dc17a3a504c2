internal import CCurl

/// One transfer, on the thread of the ``CurlLoop``.
final class CurlTransfer {
    let id: UInt64
    let request: HopRequest
    let reader: ResponseReader
    let easy: CurlEasy
    private let allowsAnyAddress: Bool
    private let addBytes: (Int) -> Void
    /// What an address was that was not connected to.
    private var refusedAddress: String?
    private let startTime = monotonicMilliseconds()
    private var lastActivity = monotonicMilliseconds()
    /// When the bytes that count for the speed began to be counted; nil before the first.
    private var countingSince: Int64?
    private var countedBytes = 0

    init(
        id: UInt64, request: HopRequest, reader: ResponseReader, easy: CurlEasy,
        session: CurlSession, addBytes: @escaping (Int) -> Void
    ) {
        self.id = id
        self.request = request
        self.reader = reader
        self.easy = easy
        self.addBytes = addBytes
        // A proxy is whoever the configuration says, at home as a rule; the host behind it is
        // connected to by the proxy.
        allowsAnyAddress =
            session.configuration.allowsPrivateNetwork || request.transport.proxy != nil
        easy.prepare(
            request.transport, session, context: Unmanaged.passUnretained(self).toOpaque())
    }

    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        count(bytes)
        let goesOn = reader.receiveHeaderLine(bytes)
        // Before the first byte of the content, which libcurl would have to decode.
        if reader.isHeadComplete, reader.hasUnknownCoding { easy.leaveContentEncoded() }
        return goesOn
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        count(bytes)
        addBytes(bytes.count)
        return reader.receiveBody(bytes)
    }

    private func count(_ bytes: UnsafeRawBufferPointer) {
        lastActivity = monotonicMilliseconds()
        if countingSince == nil { countingSince = lastActivity }
        countedBytes += bytes.count
    }

    /// Whether an address may be connected to; remembers why not.
    func allows(_ address: IPAddress?) -> Bool {
        if allowsAnyAddress { return true }
        guard let address else {
            refusedAddress = "an address of an unknown kind"
            return false
        }
        guard let kind = address.specialKind else { return true }
        refusedAddress = "\(address) is a \(kind) address"
        return false
    }

    /// How long it has taken so far, in milliseconds.
    func duration(now: Int64) -> Int64 { now - startTime }

    /// When the transfer will have taken too long if nothing happens until then, and how that is said.
    ///
    /// Until the connection is made, its own time-out counts, which libcurl keeps.
    func deadline(now: Int64, _ limits: TransferLimits) -> (time: Int64, reason: String) {
        var first = (time: now + limits.stall, reason: "no byte for \(limits.stallWords)")
        if let connected = easy.millisecondsUntilConnected {
            first.time = max(lastActivity, startTime + connected) + limits.stall
        }
        if let time = speedDeadline(now: now, limits), time < first.time {
            let words = "\(limits.minimumSpeed ?? 0) bytes a second over \(limits.speedWords)"
            first = (time, "slower than \(words)")
        }
        if let limit = request.timeLimit, startTime + limit < first.time {
            first = (startTime + limit, "not complete within \(limits.totalWords)")
        }
        return first
    }

    /// When the speed is looked at next, or the past if it was too low.
    private func speedDeadline(now: Int64, _ limits: TransferLimits) -> Int64? {
        guard let speed = limits.minimumSpeed, let since = countingSince else { return nil }
        if now < since + limits.speedTime { return since + limits.speedTime }
        // What was asked for may have been less than that.
        if Double(countedBytes) * 1000 < Double(speed) * Double(now - since) { return now }
        (countingSince, countedBytes) = (now, 0)
        return now + limits.speedTime
    }

    /// Leaves the beginning of a body that was cut to whoever asked for it.
    func suspend() {
        if let partial = reader.suspend() { request.partial.put(partial) }
    }

    /// The answer, or the error that libcurl's code comes to.
    func result(_ code: CURLcode) -> Result<HopResponse, FetchError> {
        Result { () throws(FetchError) in
            if let failure = reader.failure { throw failure }
            guard code == CURLE_OK || reader.isCutShort else {
                if code == CURLE_COULDNT_CONNECT, let refusedAddress {
                    throw FetchError(
                        .forbidden, request.url,
                        "\(refusedAddress), and the private network is not allowed",
                        subcode: .privateAddress)
                }
                // libcurl's buffer for one line of a header has an end.
                if code == CURLE_OUT_OF_MEMORY, !reader.isHeadComplete {
                    throw FetchError(
                        .badResponse, request.url, "a line of the header is too long")
                }
                throw easy.error(code, request.url)
            }
            return try reader.finish()
        }
    }
}
