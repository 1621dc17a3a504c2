internal import Files
internal import Secrets

/// The reason why a URL could not be fetched, or why the cache could not be used.
public struct FetchError: Error, Sendable, Hashable {
    /// The kind of failure.
    public struct Code: Sendable, Hashable {
        enum Value: String, CaseIterable {
            case invalidURL, forbidden, unresolved, unreachable, timedOut, tls, interrupted
            case status, redirect, badResponse, empty, tooLarge, notAnImage, refused, rejected
            case offline, storage, damaged, closed, cancelled, custom, configuration
        }

        let value: Value

        /// The URL cannot be parsed, or is not http or https.
        public static var invalidURL: Self { Self(value: .invalidURL) }
        /// The network policy does not allow the address, or the redirect from https to http.
        public static var forbidden: Self { Self(value: .forbidden) }
        /// The host name cannot be resolved.
        public static var unresolved: Self { Self(value: .unresolved) }
        /// No connection could be made.
        public static var unreachable: Self { Self(value: .unreachable) }
        /// A time limit was exceeded: for the connection, for the next byte, for the speed or in
        /// total.
        public static var timedOut: Self { Self(value: .timedOut) }
        /// The TLS handshake failed, or the server's certificate is not valid.
        public static var tls: Self { Self(value: .tls) }
        /// The connection ended before the response was complete.
        public static var interrupted: Self { Self(value: .interrupted) }
        /// The server answered with a status outside 200–299; see ``FetchError/status``.
        public static var status: Self { Self(value: .status) }
        /// A redirect has no valid target, is part of a loop, or exceeds the maximum number.
        public static var redirect: Self { Self(value: .redirect) }
        /// The response violates HTTP.
        public static var badResponse: Self { Self(value: .badResponse) }
        /// The response has no content.
        public static var empty: Self { Self(value: .empty) }
        /// The body is longer than ``DownloaderConfiguration/Limits-swift.struct/bodyBytes``.
        public static var tooLarge: Self { Self(value: .tooLarge) }
        /// The body is not an image according to its first bytes.
        public static var notAnImage: Self { Self(value: .notAnImage) }
        /// A ``BodyCheck`` refused the body by its first bytes.
        public static var refused: Self { Self(value: .refused) }
        /// A caller has rejected the body with ``FetchManager/reject(_:of:because:)``.
        public static var rejected: Self { Self(value: .rejected) }
        /// No response is stored, and no request was allowed.
        public static var offline: Self { Self(value: .offline) }
        /// The cache's folder or index cannot be read or written.
        public static var storage: Self { Self(value: .storage) }
        /// The bytes of a blob do not match its digest.
        ///
        /// The blob was removed, or is not used any more if its folder is only read; load it again.
        public static var damaged: Self { Self(value: .damaged) }
        /// The caller's task was cancelled, or all loads were cancelled.
        public static var cancelled: Self { Self(value: .cancelled) }
        /// A ``Transform`` or a ``Transport`` has thrown an error of another type.
        ///
        /// Its description is the detail.
        public static var custom: Self { Self(value: .custom) }
        /// The configuration is not valid, or the levels of a cache do not fit together.
        public static var configuration: Self { Self(value: .configuration) }
        /// The cache has been closed.
        public static var closed: Self { Self(value: .closed) }
    }

    /// A more specific reason than a ``Code``.
    ///
    /// Later versions may add cases.
    public enum Subcode: Sendable, Hashable {
        /// The address is not public, and private addresses are not allowed.
        case privateAddress
        /// The host is denied, or is not one of the allowed hosts.
        case deniedHost
        /// A redirect leads from https to http.
        case downgrade
        /// The file system is full, or the quota is exhausted.
        case noSpace
        /// The URL begins with http, and the port is for https.
        case needsTLS
        /// The URL begins with https, and the port has no TLS.
        case hasNoTLS
        /// The credentials of the host are not known.
        case missingCredential
        /// No connection to the proxy could be made.
        case proxyUnreachable
        /// The proxy did not make a connection to the host.
        case proxyRefused
        /// An object of a store has other bytes than its name says.
        case damagedObject
    }

    /// The kind of failure.
    public let code: Code
    /// The requested URL, without a password and without signatures.
    ///
    /// For ``Code/storage`` and ``Code/damaged`` it is the path of the file or folder.
    public private(set) var url: String
    /// The cause as one clause without a period, which can follow the URL and a colon.
    public private(set) var detail: String
    /// The status code of the server's response, if there was one.
    public let status: Int?
    /// The time that the server asked to wait before the next request; nil if it did not ask.
    public let retryAfter: Duration?
    /// The time since the request, if the failure was remembered; nil for a new failure.
    public internal(set) var age: Duration?
    /// A more specific reason than ``code``, if the remedy depends on it; nil otherwise.
    public private(set) var subcode: Subcode?
    /// The code in the answer of S3 or of a service like it, such as `AccessDenied`; nil if there is
    /// none.
    package internal(set) var serviceCode: String?
    /// Whether a limit of this configuration was exceeded.
    ///
    /// Another configuration may not have that limit.
    var isOfLimits = false
    /// Whether no request was made because the host had failed too often.
    var isOfGivenUpHost = false
    /// Whether the content has an unknown content coding.
    var isOfCoding = false
    /// Whether the index was found damaged.
    var isOfDamage = false
    /// Whether the failure must not be remembered, because a response has `no-store`.
    var isNoStore = false

    /// Creates an error, for instance in a ``Transport`` or a ``ResourceCache`` of your own.
    ///
    /// - Parameters:
    ///   - code: The kind of failure. Codes of the network, such as ``Code/unreachable``, count as
    ///     failures of the host.
    ///   - url: The requested URL; passwords and signatures in it are removed.
    ///   - detail: The cause as one clause without a period.
    ///   - status: The status code of the server's response; nil if there was none.
    ///   - retryAfter: The time that the server asked to wait; nil if it did not ask.
    public init(
        _ code: Code, url: String, detail: String, status: Int? = nil, retryAfter: Duration? = nil
    ) {
        self.init(code, url, detail, status: status, retryAfter: retryAfter)
    }

    package init(
        _ code: Code, _ url: String, _ detail: String, subcode: Subcode? = nil,
        status: Int? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.subcode = subcode
        self.url = withoutSecrets(url)
        self.detail = detail
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The error of a file or folder of the cache.
    init(_ error: FileError) {
        self.init(
            .storage, error.path,
            "cannot \(error.operation): \(error.isFull ? "no space left" : error.reason)",
            subcode: error.isFull ? .noSpace : nil)
    }

    /// Converts any error; `url` is the requested URL, or the path of the cache.
    init(_ error: any Error, _ url: String) {
        self =
            switch error {
            case let error as FetchError: error
            case let error as FileError: FetchError(error)
            case is CancellationError: FetchError(.cancelled, url, "it was cancelled")
            default: FetchError(.custom, url, "\(error)")
            }
    }

    /// Runs operations on files; their ``FileError`` becomes an error of the code ``Code/storage``.
    static func ofFiles<Value: ~Copyable>(
        _ body: () throws -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw FetchError(error, "") }
    }

    /// Converts every error to a ``FetchError``, for the typed throws of public functions.
    ///
    /// - Parameters:
    ///   - url: The requested URL, or the path of the cache.
    ///   - isolation: The isolation of `body`; that of the caller by default.
    ///   - body: The work to do.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body` as a ``FetchError``.
    static func typed<Value>(
        _ url: String, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws(FetchError) -> Value {
        do { return try await body() } catch { throw FetchError(error, url) }
    }

    /// Whether the same request may succeed a little later, so that a retry is worthwhile.
    ///
    /// The network or the server failed. A failure of TLS, the refusal of a proxy, a method that the server does not
    /// implement (501) and a version of HTTP that it does not support (505) are not transient (RFC
    /// 9110, sections 15.6.2 and 15.6.6).
    public var isTransient: Bool {
        isOfServer && code != .tls && subcode != .proxyRefused && ![501, 505].contains(status)
    }

    /// Whether the network or the server failed: there is no response that concerns the requested
    /// resource.
    var isOfServer: Bool {
        if code.isOfNetwork { return true }
        guard code == .status, let status else { return false }
        return status >= 500 || [408, 425, 429].contains(status)
    }

    /// A copy of the error with the URL that was requested originally, before redirects.
    ///
    /// An error of the cache keeps its path.
    func about(_ url: String, detail: String? = nil) -> FetchError {
        if code == .storage || code == .damaged { return self }
        var error = self
        error.url = withoutSecrets(url)
        error.detail = detail ?? self.detail
        return error
    }

    /// A copy that is not remembered if `isNoStore` is true.
    func unstored(if isNoStore: Bool) -> FetchError {
        var error = self
        error.isNoStore = error.isNoStore || isNoStore
        return error
    }

    /// Whether a stored response is missing or must not be used, in a load without a request.
    var isOfStored: Bool {
        [.offline, .forbidden, .tooLarge, .refused, .redirect, .tls].contains(code)
    }

    /// Whether the URL is expected to fail again: the server's response concerned the requested
    /// resource, and not the server itself.
    var isPermanent: Bool {
        switch code {
        case .redirect: !isOfLimits
        case .badResponse, .empty, .notAnImage, .rejected: true
        // 407 comes from the proxy.
        case .status: !isOfServer && status != 407
        default: false
        }
    }
}

extension FetchError {
    /// Whether the server answered, but no longer with the resource.
    ///
    /// An old https address often leads to the home page of a new owner without https.
    var isOfGoneResource: Bool { isPermanent || subcode == .downgrade }
}

extension FetchError.Code: CustomStringConvertible {
    /// The name of the code, such as `tooLarge`.
    public var description: String { value.rawValue }
}

extension FetchError: CustomStringConvertible {
    /// One sentence with the URL and the cause.
    public var description: String {
        if url.isEmpty { return detail }
        return code == .storage || code == .damaged
            ? "could not use the cache at \(url): \(detail)" : "could not fetch \(url): \(detail)"
    }
}

extension FetchError.Code {
    /// Whether the host could not be reached, or its response was not complete.
    var isOfNetwork: Bool {
        switch value {
        case .unresolved, .unreachable, .timedOut, .tls, .interrupted: true
        default: false
        }
    }
}

extension Int {
    /// The number as a number of bytes, in the decimal units of the SI.
    package var asBytes: String {
        if self < 1000 { return "\(self) B" }
        let units = ["kB", "MB", "GB", "TB"]
        // A tenth of the unit, in bytes; each number is rounded once.
        var tenth = 100
        var unit = 0
        while self >= 10_000 * tenth - tenth / 2 && unit < units.count - 1 {
            tenth *= 1000
            unit += 1
        }
        let tenths = self / tenth + (self % tenth >= tenth / 2 ? 1 : 0)
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
