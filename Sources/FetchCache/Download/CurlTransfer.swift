internal import CCurl

/// What to ask of a server: one request, without the redirects that may follow.
struct HopRequest: Sendable {
    /// Normalized.
    var url: String
    /// The host and port that the number of transfers is bounded by.
    var authority: String
    /// `Name: value`, beyond those that every request has.
    var fields: [String] = []
    var priority = FetchRequest.Priority.normal
}

/// One transfer, on the thread of the ``CurlLoop``.
final class CurlTransfer {
    let id: UInt64
    let request: HopRequest
    let reader: ResponseReader
    let easy: CurlEasy
    private let allowsPrivateNetwork: Bool
    private let addBytes: (Int) -> Void
    /// What an address was that was not connected to.
    private var refusedAddress: String?
    private let startTime = monotonicMilliseconds()
    private var lastActivity = monotonicMilliseconds()

    init(
        id: UInt64, request: HopRequest, reader: ResponseReader, easy: CurlEasy,
        configuration: FetchConfiguration, addBytes: @escaping (Int) -> Void
    ) {
        self.id = id
        self.request = request
        self.reader = reader
        self.easy = easy
        self.addBytes = addBytes
        allowsPrivateNetwork = configuration.allowsPrivateNetwork
        easy.prepare(request, configuration, context: Unmanaged.passUnretained(self).toOpaque())
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
        if allowsPrivateNetwork { return true }
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
