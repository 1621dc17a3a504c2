internal import CCurl
internal import Secrets

/// A transfer on the thread of the ``CurlLoop``.
final class CurlTransfer {
    let id: UInt64
    let request: TransferRequest
    let reader: ResponseReader
    let easy: CurlEasy
    private let allowsAnyAddress: Bool
    private let addBytes: (Int) -> Void
    /// A description of the address that was refused.
    private var refusedAddress: String?
    private let startTime = monotonicMilliseconds()
    private var lastActivity = monotonicMilliseconds()
    /// The time from which bytes are counted for the speed; nil before the first byte.
    private var countingSince: Int64?
    private var countedBytes = 0

    init(
        id: UInt64, request: TransferRequest, reader: ResponseReader, easy: CurlEasy,
        session: CurlSession, addBytes: @escaping (Int) -> Void
    ) {
        self.id = id
        self.request = request
        self.reader = reader
        self.easy = easy
        self.addBytes = addBytes
        // The configuration chooses the proxy, which is usually in the private network. The proxy
        // connects to the host.
        allowsAnyAddress =
            session.configuration.allowsPrivateNetwork || request.transport.proxy != nil
        easy.prepare(
            request.transport, session, context: Unmanaged.passUnretained(self).toOpaque())
    }

    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        count(bytes)
        let goesOn = reader.receiveHeaderLine(bytes)
        // This precedes the first byte of the content, which libcurl would have to decode.
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

    /// The time that the transfer has taken so far, in milliseconds.
    func duration(now: Int64) -> Int64 { now - startTime }

    /// The time at which the transfer exceeds a limit if nothing happens until then, and the
    /// reason.
    ///
    /// Until the connection is made, only its own timeout counts, which libcurl checks.
    func deadline(now: Int64, _ limits: TransferLimits) -> (time: Int64, reason: String) {
        var first = (time: now + limits.stall, reason: "no byte for \(limits.stallWords)")
        if let connected = easy.millisecondsUntilConnected {
            first.time = max(lastActivity, startTime + connected) + limits.stall
        }
        if let time = speedDeadline(now: now, limits), time < first.time {
            let words = "\((limits.minimumSpeed ?? 0).asBytes)/s over \(limits.speedWords)"
            first = (time, "slower than \(words)")
        }
        if let limit = request.timeLimit, startTime + limit < first.time {
            first = (startTime + limit, "not complete within \(limits.totalWords)")
        }
        return first
    }

    /// The time of the next check of the speed, or a time in the past if the speed was too low.
    private func speedDeadline(now: Int64, _ limits: TransferLimits) -> Int64? {
        guard let speed = limits.minimumSpeed, let since = countingSince else { return nil }
        if now < since + limits.speedTime { return since + limits.speedTime }
        // The complete response may be shorter than that.
        if Double(countedBytes) * 1000 < Double(speed) * Double(now - since) { return now }
        (countingSince, countedBytes) = (now, 0)
        return now + limits.speedTime
    }

    /// Hands over the received part of an incomplete body so that it can be resumed.
    func suspend() {
        guard var partial = reader.suspend() else { return }
        partial.source.connection = ConnectionFacts(address: addressClass)
        request.partial.put(partial)
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

/// The time limits of a transfer in milliseconds.
struct TransferLimits {
    /// The maximum time without a byte.
    let stall: Int64
    /// The minimum speed in bytes per second, measured over ``speedTime``; nil for none.
    let minimumSpeed: Int?
    let speedTime: Int64
    let stallWords: String
    let speedWords: String
    let totalWords: String

    init(_ configuration: FetchConfiguration) {
        stall = max(1, configuration.stallTimeout.milliseconds)
        minimumSpeed = configuration.minimumSpeed
        speedTime = max(1, configuration.minimumSpeedTime.milliseconds)
        stallWords = configuration.stallTimeout.words
        speedWords = configuration.minimumSpeedTime.words
        totalWords = configuration.totalTimeout?.words ?? ""
    }
}
