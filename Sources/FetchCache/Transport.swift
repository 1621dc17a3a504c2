public import HTTPTypes
import Locks

/// Makes requests.
///
/// The default is libcurl; a configuration can name another transport.
///
/// A transport makes exactly one request per call: it does not follow redirects, retry or store
/// anything. It is responsible for connections, TLS and the choice of addresses to connect to. The
/// queue, the limits, the priorities and the time limits of a configuration hold for every
/// transport: a call that takes too long fails, even if the transport never returns.
public protocol Transport: Sendable {
    /// Makes one request and passes on the response as it arrives: the head, then the body.
    ///
    /// - Parameters:
    ///   - request: The request to make.
    ///   - receiver: The receiver of the response. An error that it throws ends the transfer.
    /// - Throws: The error of the receiver; ``FetchError`` for failures; `CancellationError` if the
    ///   task is cancelled.
    func perform(_ request: TransportRequest, receiver: TransportReceiver) async throws
}

/// One request without the redirects that may follow it.
public struct TransportRequest: Sendable {
    /// The normalized URL.
    public var url: String
    /// The method.
    public var method = FetchRequest.Method.get
    /// The content of the request; nil for none.
    public var body: [UInt8]?
    /// Whether to decode the content of the response by its Content-Encoding.
    ///
    /// If the coding is unknown, this is an error.
    public var decodesContent = true
    /// All fields except those of the credential.
    public var fields: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields = HeaderFields()
    /// The credential to send; nil for none.
    public var credential: HostOptions.Credential?
    /// The certificate to send if a server asks for one; nil for none.
    public var clientCertificate: HostOptions.ClientCertificate?
    /// Whether any TLS certificate is accepted.
    public var allowsInvalidCertificate = false
    /// The proxy to use; nil for none.
    public var proxy: String?
    /// The time limits, to which the queue holds the transport.
    public var times = DownloaderConfiguration.Times()
    /// The priority of the first caller.
    ///
    /// The queue uses the highest priority of all callers.
    public var priority = FetchRequest.Priority.normal
}

/// Receives the response to one request.
///
/// Its methods must not be called concurrently.
public final class TransportReceiver: Sendable {
    // @unchecked Sendable: accessed only while the lock is held.
    private struct Box: @unchecked Sendable {
        let reader: ResponseReader
        var clock = TransferClock(start: monotonicMilliseconds())
        var isClosed = false
    }

    private let box: Locked<Box>
    private let onBytes: @Sendable (Int) -> Void

    init(_ reader: ResponseReader, onBytes: @escaping @Sendable (Int) -> Void) {
        box = Locked(Box(reader: reader))
        self.onBytes = onBytes
    }

    /// Receives the head of the response; a head of status 100 to 199 is ignored.
    ///
    /// - Throws: ``FetchError`` if the response cannot be used, or is not wanted any more; the
    ///   transport must then end the transfer.
    public func receive(
        status: Int, version: String = "HTTP/1.1", fields: HTTPFields
    ) throws(FetchError) {
        try open { box throws(FetchError) in
            box.clock.lastActivity = monotonicMilliseconds()
            if status < 200 { return }
            if !box.reader.receiveHead(
                ResponseHead(version: version, status: status, fields: HeaderFields(fields)))
            {
                try box.reader.check()
            }
        }
    }

    /// Receives the next bytes of the body.
    ///
    /// - Throws: ``FetchError`` if the response cannot be used, or is not wanted any more; the
    ///   transport must then end the transfer.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        try open { box throws(FetchError) in
            box.clock.lastActivity = monotonicMilliseconds()
            if !box.reader.receiveBody(bytes) { try box.reader.check() }
        }
        onBytes(bytes.count)
    }

    func finish() throws(FetchError) -> TransferResponse {
        try open { box throws(FetchError) in try box.reader.finish() }
    }

    /// Whether the transfer was stopped early because the body of the response is not needed.
    var isCutShort: Bool { box.withLock { $0.reader.isCutShort } }

    /// Refuses all that the transport passes on later.
    ///
    /// - Returns: The part of an incomplete response that can be resumed later; nil if there is none.
    func close() -> PartialBody? {
        box.withLock { box in
            defer { box.isClosed = true }
            return box.isClosed ? nil : box.reader.suspend()
        }
    }

    /// When the transfer exceeds a limit.
    ///
    /// Only the transport knows when it is connected, so the first byte may take the time for the
    /// connection and that for the response.
    func deadline(_ times: DownloaderConfiguration.Times, total: Int64?) -> Deadline {
        let clock = box.withLock(\.clock)
        let connected = clock.start + times.connect.milliseconds
        return clock.deadline(times, total: total, quietSince: clock.lastActivity ?? connected)
    }

    private func open<Value>(
        _ body: (inout Box) throws(FetchError) -> Value
    ) throws(FetchError) -> Value {
        try box.withLock { box throws(FetchError) in
            if box.isClosed { throw FetchError(.cancelled, "", "the transfer has ended") }
            return try body(&box)
        }
    }
}
