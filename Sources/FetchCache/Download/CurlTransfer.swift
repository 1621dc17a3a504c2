internal import CCurl
internal import Secrets

/// A transfer on the thread of the ``CurlLoop``.
final class CurlTransfer {
    let transfer: Transfer
    let reader: ResponseReader
    let easy: CurlEasy
    private let allowsAnyAddress: Bool
    /// A description of the address that was refused.
    private var refusedAddress: String?
    private var clock = TransferClock(start: monotonicMilliseconds())

    private var request: TransferRequest { transfer.request }

    init(_ transfer: Transfer, reader: ResponseReader, easy: CurlEasy, session: CurlSession) {
        self.transfer = transfer
        self.reader = reader
        self.easy = easy
        let request = transfer.request
        // The configuration chooses the proxy, which is usually in the private network. The proxy
        // connects to the host.
        allowsAnyAddress =
            session.configuration.network.allowsPrivateNetwork || request.transport.proxy != nil
        easy.prepare(
            request.transport, session, context: Unmanaged.passUnretained(self).toOpaque())
    }

    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        clock.receive(bytes.count, at: monotonicMilliseconds())
        let mayContinue = reader.receiveHeaderLine(bytes)
        // This precedes the first byte of the content, which libcurl would have to decode.
        if reader.isHeadComplete, reader.hasUnknownCoding { easy.leaveContentEncoded() }
        return mayContinue
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        clock.receive(bytes.count, at: monotonicMilliseconds())
        transfer.addBytes(bytes.count)
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

    /// The time at which the transfer exceeds a limit if nothing happens until then, and the
    /// reason.
    ///
    /// Until the connection is made, only its own timeout counts, which libcurl checks.
    func deadline(now: Int64, _ limits: TransferLimits) -> (time: Int64, reason: String) {
        let connected = easy.millisecondsUntilConnected.map {
            max(clock.lastActivity, clock.start + $0)
        }
        return clock.deadline(
            now: now, limits, total: request.timeLimit, quietSince: connected)
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
