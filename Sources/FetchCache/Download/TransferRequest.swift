import Locks

/// One request with the state of its transfer.
struct TransferRequest: Sendable {
    var transport: TransportRequest
    /// The host and port, for which the number of transfers is limited.
    var authority: String
    var expected: ResponseReader.Expectations
    /// Where the body is written.
    var temporary: TemporaryFolder
    /// Tells the callers and listeners what happens.
    var report: TransferReport
    /// The transfer time of the whole download in milliseconds, without the time in the queue.
    var time = Locked<Int64>(0)
    /// The time limit in milliseconds; nil for no limit.
    var timeLimit: Int64?
    /// Receives the first part of the body if the transfer is interrupted.
    let partial = Locked<PartialBody?>(nil)

    var url: String { transport.url }
}

/// The response to one request.
struct TransferResponse: Sendable {
    var head: ResponseHead
    /// The written and hashed body; nil if the body is not needed.
    var body: StagedBlob?
    /// Whether the body was joined from the part of an earlier attempt and the rest in this
    /// response.
    var isContinued = false
    /// The facts about the connection, which later requests judge.
    var connection = ConnectionFacts()
    /// Whether the server says that its port is for https.
    var needsTLS = false
    /// The code of an error in an answer of S3; nil if there is none.
    var serviceCode: String?
    /// The proxy that passed on the response or made it, without its password; nil if there was
    /// none, or only a tunnel.
    var proxy: String?
    /// The time at which the request was sent.
    ///
    /// `responseTime` is the time at which the header had arrived.
    var requestTime: Timestamp
    var responseTime: Timestamp
}

/// The status and fields of a response.
struct ResponseHead: Sendable, Hashable {
    /// The version as in the status line, such as `HTTP/1.1`.
    var version = "HTTP/1.1"
    var status: Int
    var fields: HeaderFields

    /// The announced length of the body; nil if it is missing, or if it is not a number that fits
    /// into 63 bits.
    ///
    /// Equal members of a list count as one (RFC 9110, section 8.6).
    var contentLength: Int? {
        let lengths = Set(fields.values(for: "Content-Length").flatMap(FieldList.members))
        return lengths.count == 1 ? lengths.first.flatMap { FieldList.number($0) } : nil
    }

    /// Whether the end of the body is unknown, because its length is not valid (RFC 9112, section
    /// 6.3).
    var hasInvalidLength: Bool {
        contentLength == nil && fields["Content-Length"] != nil
            && fields["Transfer-Encoding"] == nil
    }

    /// The head that the complete body would have, for a response with the rest of it.
    func completed(byteCount: Int) -> ResponseHead {
        guard status == 206 else { return self }
        return ResponseHead(
            version: version, status: 200, fields: fields.ofPart(byteCount: byteCount, range: nil))
    }
}

/// Tells the callers of a transfer its progress, and the listeners of the cache its events.
final class TransferReport: Sendable {
    /// The minimum interval between two progress events in milliseconds.
    private static let eventInterval: Int64 = 100

    /// The callers that wait for the transfer.
    let flight: Flight
    private let key: String
    private let events: Broadcast<FetchEvent>
    private let lastEvent = Locked<Int64>(.min)

    /// - Parameters:
    ///   - key: The cache key that events name.
    ///   - flight: The callers that wait for the transfer.
    ///   - events: The listeners of the cache.
    init(_ key: String, _ flight: Flight, _ events: Broadcast<FetchEvent>) {
        self.key = key
        self.flight = flight
        self.events = events
    }

    func progress(_ progress: FetchProgress) {
        flight.report(.progress(progress))
        let now = monotonicMilliseconds()
        let isDue = lastEvent.withLock { last in
            let isDue = last == .min || now - last >= Self.eventInterval
            if isDue { last = now }
            return isDue
        }
        if isDue { emit(.progress(progress)) }
    }

    func emit(_ kind: FetchEvent.Kind) {
        flight.report(.event(kind))
        events.emit(FetchEvent(key: key, kind: kind))
    }

    /// Tells the callers in which file the bytes arrive.
    func file(of writer: borrowing BlobWriter) { flight.report(.file(writer.arriving)) }
}

/// The text in the body of an error.
enum ErrorText {
    /// The number of bytes of a body that are examined.
    private static let examinedBytes = 1024
    /// The longest code of a service, in characters.
    private static let longestCode = 64

    /// Adds bytes of a body to those that will be examined.
    static func keep(_ bytes: UnsafeRawBufferPointer, in body: inout [UInt8]) {
        body += bytes.prefix(max(0, examinedBytes - body.count))
    }

    /// The code in an answer of S3, STS or a service like them: `<Code>AccessDenied</Code>`.
    static func serviceCode(in body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        guard text.contains("<Error"), let start = text.firstRange(of: "<Code>")?.upperBound else {
            return nil
        }
        let code = text[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard (1...longestCode).contains(code.count), text[code.endIndex...].hasPrefix("</Code>")
        else { return nil }
        return String(code)
    }
}

/// Recognises a server that speaks TLS where http was requested, or the other way round.
enum SchemeMismatch {
    /// Whether the body of a response with status 400 says that the port is for https.
    ///
    /// These are the words of nginx, Apache and Go's net/http; HTTP has no status for it.
    static func isOfTLSServer(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self)
        return [
            "plain HTTP request was sent to HTTPS port",
            "speaking plain HTTP to an SSL-enabled server port",
            "Client sent an HTTP request to an HTTPS server",
        ].contains { text.contains($0) }
    }

    /// Whether the words of a failed TLS handshake are those for an answer that is not TLS: of
    /// OpenSSL from 1.1 and from 3.2 on, GnuTLS, and mbed TLS.
    static func isOfPlainServer(_ words: String) -> Bool {
        [
            "wrong version number", "packet length too long", "http request",
            "unexpected TLS packet", "invalid SSL record",
        ].contains { words.contains($0) }
    }
}

/// The times of one transfer, from which it follows when it exceeds a limit.
///
/// This is pure state. Times are milliseconds of any monotonic clock.
struct TransferClock: Sendable {
    let start: Int64
    /// The time of the last received bytes; nil if there were none.
    var lastActivity: Int64?

    /// When the transfer exceeds a limit if nothing happens until then.
    ///
    /// - Parameters:
    ///   - times: The limits of the transfer.
    ///   - total: What is left of the total limit in milliseconds; nil for none.
    ///   - quietSince: The time from which the server may be silent.
    /// - Returns: The deadline, which is in the past if a limit is exceeded.
    func deadline(
        _ times: DownloaderConfiguration.Times, total: Int64?, quietSince: Int64
    ) -> Deadline {
        let stall = quietSince + max(1, times.stall.milliseconds)
        guard let total, start + total < stall else { return Deadline(time: stall, times: times) }
        return Deadline(time: start + total, times: times, isOfTotal: true)
    }
}

/// The time at which a transfer exceeds a limit.
struct Deadline {
    /// In milliseconds of the clock of a ``TransferClock``.
    let time: Int64
    let times: DownloaderConfiguration.Times
    /// Whether the total limit is exceeded then, and not that of a silent server.
    var isOfTotal = false

    var reason: String {
        isOfTotal
            ? "not complete within \(times.total?.words ?? "")" : "no byte for \(times.stall.words)"
    }
}
