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
        lastActivity = monotonicMilliseconds()
        return reader.receiveHeaderLine(bytes)
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastActivity = monotonicMilliseconds()
        addBytes(bytes.count)
        return reader.receiveBody(bytes)
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

    /// When the transfer has stalled, if no byte comes until then.
    ///
    /// Until the connection is made, its own time-out counts, which libcurl keeps.
    func stallDeadline(now: Int64, timeout: Int64) -> Int64 {
        guard let connected = easy.millisecondsUntilConnected else { return now + timeout }
        return max(lastActivity, startTime + connected) + timeout
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
                        "\(refusedAddress), and the private network is not allowed")
                }
                throw easy.error(code, request.url)
            }
            return try reader.finish()
        }
    }
}
