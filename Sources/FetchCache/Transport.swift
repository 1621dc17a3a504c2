public import HTTPTypes

/// What makes requests: libcurl, unless a configuration names another.
///
/// A transport does what it is asked and no more: it follows no redirect, tries nothing twice and
/// keeps nothing. Connections, TLS and the addresses that may be connected to are its own affair.
public protocol Transport: Sendable {
    /// Makes one request, and hands the answer over as it arrives: the head, then the body.
    ///
    /// - Parameters:
    ///   - request: What to ask.
    ///   - receiver: Where the answer goes. What it throws ends the transfer.
    /// - Throws: What the receiver throws, ``FetchError`` for what fails, `CancellationError` when the
    ///   task is cancelled.
    func perform(_ request: TransportRequest, receiver: TransportReceiver) async throws
}

/// One request, without the redirects that may follow.
public struct TransportRequest: Sendable {
    /// The normalized URL.
    public var url: String
    /// The method.
    public var method = FetchRequest.Method.get
    /// The content of the request; nil for none.
    public var body: [UInt8]?
    /// Whether the content of the answer is to be decoded, whatever its Content-Encoding is; where the
    /// coding is unknown, that is an error.
    public var decodesContent = true
    /// All fields, but for those of the credential.
    public var fields: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields = HeaderFields()
    /// Who is asking; nil for nobody.
    public var credential: HostOptions.Credential?
    /// The certificate to show to a server that asks for one; nil for none.
    public var clientCertificate: HostOptions.ClientCertificate?
    /// Whether any TLS certificate will do.
    public var allowsInvalidCertificate = false
    /// The proxy to go through; nil for none.
    public var proxy: String?
    /// What the first caller asked for; that of libcurl takes the highest of all callers.
    public var priority = FetchRequest.Priority.normal
}

/// Takes the answer to one request.
///
/// Its methods are to be called one after the other.
public final class TransportReceiver: Sendable {
    // @unchecked Sendable: touched only under the lock.
    private struct Box: @unchecked Sendable {
        let reader: ResponseReader
    }

    private let box: Locked<Box>

    init(_ reader: ResponseReader) {
        box = Locked(Box(reader: reader))
    }

    /// Takes the head of the answer; one of status 100 to 199 is left out.
    ///
    /// - Throws: ``FetchError`` if the answer is of no use: the transfer is to be ended.
    public func receive(
        status: Int, version: String = "HTTP/1.1", fields: HTTPFields
    ) throws(FetchError) {
        try box.withLock { box throws(FetchError) in
            if !box.reader.receiveHead(
                ResponseHead(
                    version: version, status: status, fields: HeaderFields(fields)))
            {
                try box.reader.check()
            }
        }
    }

    /// Takes the next bytes of the body.
    ///
    /// - Throws: ``FetchError`` if the answer is of no use: the transfer is to be ended.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        try box.withLock { box throws(FetchError) in
            if !box.reader.receiveBody(bytes) { try box.reader.check() }
        }
    }

    func finish() throws(FetchError) -> HopResponse {
        try box.withLock { box throws(FetchError) in try box.reader.finish() }
    }

    /// Whether the rest of an answer whose body is of no use was cut off.
    var isCutShort: Bool { box.withLock { $0.reader.isCutShort } }

    /// What is worth keeping of an answer that was cut.
    func suspend() -> PartialBody? { box.withLock { $0.reader.suspend() } }
}
