/// Why a URL could not be fetched, or why the cache could not be used.
public struct FetchError: Error, Sendable, Hashable {
    /// The kind of failure.
    public struct Code: Sendable, Hashable {
        enum Value: String, CaseIterable {
            case invalidURL, forbidden, unresolved, unreachable, timedOut, tls, interrupted
            case status, redirect, badResponse, empty, tooLarge, notAnImage
            case offline, storage, damaged, closed, cancelled, custom
        }

        let value: Value

        /// The URL cannot be read, or is not http or https.
        public static var invalidURL: Self { Self(value: .invalidURL) }
        /// The network policy does not allow the address, or the step from https to http.
        public static var forbidden: Self { Self(value: .forbidden) }
        /// The name of the host does not resolve.
        public static var unresolved: Self { Self(value: .unresolved) }
        /// No connection could be made.
        public static var unreachable: Self { Self(value: .unreachable) }
        /// No connection, or no byte, within the time allowed.
        public static var timedOut: Self { Self(value: .timedOut) }
        /// The server's certificate, or the TLS hand-shake, is not in order.
        public static var tls: Self { Self(value: .tls) }
        /// The connection ended before the answer did.
        public static var interrupted: Self { Self(value: .interrupted) }
        /// The server answered with a status outside 200–299; ``FetchError/status`` has it.
        public static var status: Self { Self(value: .status) }
        /// A redirect leads nowhere, in a circle, or on for too long.
        public static var redirect: Self { Self(value: .redirect) }
        /// The answer breaks the rules of HTTP.
        public static var badResponse: Self { Self(value: .badResponse) }
        /// The answer has no bytes.
        public static var empty: Self { Self(value: .empty) }
        /// The body is longer than ``FetchConfiguration/maximumBodyBytes``.
        public static var tooLarge: Self { Self(value: .tooLarge) }
        /// The body is not an image, by its first bytes.
        public static var notAnImage: Self { Self(value: .notAnImage) }
        /// Nothing is stored, and no request was allowed.
        public static var offline: Self { Self(value: .offline) }
        /// The cache's folder or index cannot be read or written.
        public static var storage: Self { Self(value: .storage) }
        /// The bytes of a blob are not those of its digest; it was thrown out: load again.
        public static var damaged: Self { Self(value: .damaged) }
        /// The caller's task was cancelled, or all loads were.
        public static var cancelled: Self { Self(value: .cancelled) }
        /// A ``Transform`` or a ``Transport`` has thrown an error of its own, whose description is the
        /// detail.
        public static var custom: Self { Self(value: .custom) }
        /// The cache has been closed.
        public static var closed: Self { Self(value: .closed) }
    }

    /// A closer reason than a ``Code``.
    package enum Subcode: Sendable, Hashable {
        /// The address is not public, and private ones are not allowed.
        case privateAddress
        /// The host is denied, or is not among those that are allowed.
        case deniedHost
        /// A redirect leads from https to http.
        case downgrade
        /// The file system is full, or the quota used up.
        case noSpace
    }

    /// The kind of failure.
    public let code: Code
    /// The URL that was asked for, without a password and without signatures; of ``Code/storage`` and
    /// ``Code/damaged`` the path concerned.
    public let url: String
    /// The cause: one clause without a period, fit to follow the URL and a colon.
    public let detail: String
    /// The status code of the server's answer, if there was one.
    public let status: Int?
    /// How long the server asked to wait before the next request, if it did.
    public let retryAfter: Duration?
    /// How long ago the server was asked, of a failure that is remembered; nil of one that has come
    /// up just now.
    public internal(set) var age: Duration?
    /// A closer reason than ``code``, where what helps depends on it; nil where there is none.
    package private(set) var subcode: Subcode?
    /// Whether a limit of the configuration was reached, which another one may not have.
    var isOfLimits = false
    /// Whether nothing was asked, because the host has failed so often.
    var isOfHost = false
    /// Whether the content has a coding that nobody here knows.
    var isOfCoding = false
    /// Whether the index was found damaged.
    var isOfDamage = false
    /// The URLs that were asked, redirects included.
    var askedURLs: Set<String> = []

    init(
        _ code: Code, _ url: String, _ detail: String, subcode: Subcode? = nil,
        status: Int? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.subcode = subcode
        self.url = Self.withoutSecrets(url)
        self.detail = detail
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The one place where other errors become one of this library, as public functions throw it.
    ///
    /// - Parameters:
    ///   - url: Of what was asked for, or the path of the cache.
    ///   - isolation: Where `body` runs: where the caller does.
    ///   - body: Does the work.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, as one of this library.
    static func typed<Value>(
        _ url: String, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws(FetchError) -> Value {
        do {
            return try await body()
        } catch let error as FetchError {
            throw error
        } catch is CancellationError {
            throw FetchError(.cancelled, url, "it was cancelled")
        } catch {
            throw FetchError(.custom, url, "\(error)")
        }
    }

    /// Whether the same request may well succeed a little later: the network or the server failed,
    /// and nothing was said of what was asked for.
    public var isTransient: Bool {
        switch code {
        case .unresolved, .unreachable, .timedOut, .tls, .interrupted: true
        case .status: status.map { $0 >= 500 || [408, 425, 429].contains($0) } ?? false
        default: false
        }
    }

    /// The same error, said of another URL: the one that was asked for, before redirects.
    ///
    /// An error of the cache stays that of its path.
    func about(_ url: String, detail: String? = nil) -> FetchError {
        if code == .storage || code == .damaged { return self }
        var error = FetchError(
            code, url, detail ?? self.detail, subcode: subcode, status: status,
            retryAfter: retryAfter)
        error.isOfCoding = isOfCoding
        error.isOfLimits = isOfLimits
        error.isOfHost = isOfHost
        error.askedURLs = askedURLs
        return error
    }

    /// Whether the URL will fail again: the server has said something of what was asked for, and
    /// not of itself.
    var isPermanent: Bool {
        switch code {
        case .redirect: !isOfLimits
        case .badResponse, .empty, .notAnImage: true
        // 407 is the word of the proxy.
        case .status: !isTransient && status != 407
        default: false
        }
    }

    /// A URL as it may be shown: without a user and password, and without the values of query parameters
    /// that sign it or say who asks.
    static func withoutSecrets(_ url: String) -> String {
        let url = withoutPassword(url)
        guard let mark = url.firstIndex(of: "?"), url.contains("://") else { return url }
        let parameters = url[url.index(after: mark)...].split(
            separator: "&", omittingEmptySubsequences: false)
        let shown = parameters.map { parameter in
            guard let equals = parameter.firstIndex(of: "="),
                secretParameters.contains(parameter[..<equals].lowercased())
            else { return String(parameter) }
            return parameter[...equals] + "…"
        }
        return url[...mark] + shown.joined(separator: "&")
    }

    /// Of S3, Google Cloud, CloudFront, Azure and others, in lower case.
    private static let secretParameters: Set<String> = [
        "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature",
        "x-goog-credential", "signature", "sig", "hmac", "policy", "key-pair-id", "awsaccesskeyid",
        "googleaccessid", "token", "access_token", "auth", "auth_token", "authorization", "key",
        "api_key", "apikey", "api-key", "password", "secret", "jwt",
    ]

    static func withoutPassword(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://"),
            let at = url[scheme.upperBound...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
        else { return url }
        return url[..<scheme.upperBound] + "…" + url[at...]
    }
}

extension FetchError: CustomStringConvertible {
    /// One sentence that names the URL and the cause.
    public var description: String {
        code == .storage || code == .damaged
            ? "could not use the cache at \(url): \(detail)" : "could not fetch \(url): \(detail)"
    }
}
