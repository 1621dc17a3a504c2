internal import CCurl
public import HTTPTypes
public import Logging
public import SystemPackage

/// The settings of a ``FetchDownloader``.
public struct DownloaderConfiguration: Sendable {
    /// The order of waiting transfers that have the same priority.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// The oldest request starts first, so no request waits forever.
        case firstInFirstOut
        /// The newest request starts first.
        case lastInFirstOut
    }

    /// The proxy that requests use.
    public enum Proxy: Sendable, Hashable {
        /// No proxy.
        case none
        /// The proxy that environment variables name, as in curl: `http_proxy`, `https_proxy`,
        /// `all_proxy`, and `no_proxy` for hosts without a proxy.
        ///
        /// `http_proxy` is read in lower case only, because the client of a CGI script can set the
        /// other.
        case environment
        /// The given proxy, except for the hosts of `except`.
        ///
        /// - Parameters:
        ///   - url: `http://`, `https://`, `socks5://` or `socks5h://`, with or without a user and
        ///     password.
        ///   - except: Hosts (subdomains included), addresses, networks such as `10.0.0.0/8`, or `*`
        ///     for all.
        case server(url: String, except: [String])
    }

    /// Limits of transfers and bodies.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of concurrent transfers, 24 by default.
        public var transfers = 24
        /// The maximum number of concurrent transfers per host and port, 6 by default.
        public var transfersPerHost = 6
        /// The maximum length of a body, 50 MB by default.
        ///
        /// A longer body fails with ``FetchError/Code/tooLarge``, also if it is stored already.
        public var bodyBytes = 50_000_000
        /// The maximum number of redirects for one URL, 10 by default; also of those that led to a
        /// stored response.
        public var redirects = 10
        /// The maximum number of retries of a download after a temporary failure, 3 by default.
        ///
        /// Temporary failures are broken and refused connections, timeouts, and HTTP 408, 425, 429
        /// and 5xx except 501 and 505.
        public var retries = 3
        /// The number of consecutive failures of one kind, such as timeouts, after which all other
        /// requests to a host and port fail at once; 5 by default, nil for no limit.
        public var hostFailures: Int? = 5

        /// Creates the default limits.
        public init() {}
    }

    /// Time limits and waits.
    public struct Times: Sendable, Hashable {
        /// The time limit for making a connection, name lookup and TLS included; 5 s by default.
        public var connect: Duration = .seconds(5)
        /// The time limit without any data from a connected server, including the wait for the first
        /// byte; 15 s by default.
        public var stall: Duration = .seconds(15)
        /// The total time limit of one load; 2 min by default, nil for no limit.
        ///
        /// It includes transfers, redirects, retries and the waits between them, but not the time in
        /// the queue.
        public var total: Duration? = .seconds(120)
        /// The wait before the first retry, 300 ms by default; it doubles with each further one.
        ///
        /// The actual wait is random, between half of it and all of it.
        public var retryDelay: Duration = .milliseconds(300)
        /// The longest Retry-After to wait for, 60 s by default.
        ///
        /// If a server asks for more, the request fails.
        public var longestRetryAfter: Duration = .seconds(60)
        /// The interval at which one request tests a host whose other requests fail at once; 10 s by
        /// default.
        ///
        /// If the host answers, requests to it are allowed again.
        public var hostProbe: Duration = .seconds(10)

        /// Creates the default times.
        public init() {}
    }

    /// A redirect of one URL to another.
    public struct Redirect: Sendable, Hashable {
        /// The URL that was requested, without a user and password.
        public var url: String
        /// The normalized URL that its server names.
        public var target: String
        /// The status of the response, such as 302.
        public var status: Int
    }

    /// Which hosts and addresses may be requested, and the way to them.
    public struct Network: Sendable {
        /// Whether connections to loopback, private, link-local and other non-public addresses are
        /// allowed; false by default.
        ///
        /// If not, a stored response that came from such an address, or from an unknown one, is not
        /// used either: it is requested again.
        public var allowsPrivateNetwork = false
        /// Whether a redirect may lead from https to http; false by default.
        ///
        /// It counts for the redirects of a stored response too.
        public var allowsDowngrade = false
        /// The only hosts that may be requested, and whose stored responses may be used, as
        /// patterns like those of ``DownloaderConfiguration/hosts``; none, the default, allows all.
        ///
        /// The host of the URL counts, and that of each redirect.
        public var allowedHosts: [String] = []
        /// Hosts that must not be requested, and whose stored responses must not be used, as
        /// patterns like those of ``DownloaderConfiguration/hosts``.
        ///
        /// They override ``allowedHosts``.
        public var deniedHosts: [String] = []
        /// Decides for each URL, including redirects, whether it may be requested; nil allows all.
        ///
        /// It is about requests only: what is stored is used without a call of this closure.
        public var mayDownload: (@Sendable (_ url: String) async -> Bool)?
        /// Decides for each redirect whether it is followed; nil, the default, follows all that the
        /// other settings allow.
        ///
        /// It is asked before ``mayDownload``, and about requests only. A redirect that is not
        /// followed is a ``FetchError`` of the code ``FetchError/Code/forbidden``.
        public var mayFollow: (@Sendable (_ redirect: Redirect) async -> Bool)?
        /// The proxy for requests; by default the one that environment variables name.
        public var proxy = Proxy.environment
        /// A PEM file of certificate authorities that are trusted in addition to those of the
        /// system; nil, the default, for none.
        ///
        /// Responses that came from an https server while another file was set are requested again.
        public var certificateAuthorityFile: FilePath?
        /// Addresses that replace name resolution for hosts, as `HOST:PORT:ADDRESS`.
        package var hostAddresses: [String] = []

        /// Creates the default settings of the network.
        public init() {}
    }

    /// Limits of transfers and bodies.
    public var limits = Limits()
    /// Time limits and waits.
    public var times = Times()
    /// Which hosts and addresses may be requested, and the way to them.
    public var network = Network()
    /// The User-Agent of every request.
    ///
    /// By default it names this library and libcurl.
    public var userAgent: String
    /// Options for single hosts: fields, credentials and certificates.
    ///
    /// A key is a host (`example.org`), a host and port (`example.org:8443`), all hosts below one
    /// (`*.example.org`), or all hosts (`*`). If several keys match, the more specific one adds to
    /// the others and overrides them. Options are never sent to a host that their key does not
    /// match, even after redirects.
    public var hosts: [String: HostOptions] = [:]
    /// Changes the fields of each request before it is sent; nil, the default, changes none.
    ///
    /// The closure gets all fields, including those of conditions and ranges, and returns the
    /// fields to send. A field that it leaves out is not sent. libcurl itself adds the fields of
    /// credentials, cookies and the content length, and `Host`.
    ///
    /// It is also asked whether a stored response fits a request, so it should answer at once while
    /// it can, for instance with a token that is still valid. A stored response is used only for the
    /// value of `Authorization` that it was given for, unless it is for all users, so a closure that
    /// signs each request anew turns this off. Other fields count if the response names them in
    /// `Vary`. Callers that request the same at one time share the transfer: the closure must not
    /// depend on the caller. An error that it throws fails the load with
    /// ``FetchError/Code/custom``; no stored response fits then.
    public var headersFilter:
        (@Sendable (_ url: String, _ fields: HTTPFields) async throws -> HTTPFields)?
    /// Decides after a failed attempt whether and when another follows; nil, the default, leaves it
    /// to ``Limits-swift.struct/retries`` and ``Times-swift.struct/retryDelay``.
    ///
    /// The closure gets the failure, the number of attempts so far, and the delay before the next
    /// one that these settings give, which is nil if they give up. It returns the delay, or nil to
    /// give up. So it can get another token after a 401 and return zero. It is not asked if no
    /// request was made, or if the request must not be sent twice. The time of transfers and delays
    /// is limited by ``Times-swift.struct/total``.
    public var retryDelay:
        (@Sendable (_ failure: FetchError, _ attempts: Int, _ delay: Duration?) async -> Duration?)?
    /// The path of a `.netrc` file with credentials per host; nil, the default, for none.
    public var netrcFile: FilePath?
    /// Whether cookies are accepted, sent and stored in the folder of the cache or the downloader;
    /// false by default.
    public var keepsCookies = false
    /// A check of the first bytes of each image, before the rest is downloaded; nil, the default,
    /// for none.
    ///
    /// ``FetchRequest/bodyCheck`` replaces it for one request.
    public var bodyCheck: BodyCheck?
    /// The order of transfers within a priority, first in, first out by default.
    public var order = Order.firstInFirstOut
    /// The transport that makes requests; nil, the default, for libcurl.
    public var transport: (any Transport)?
    /// The logger for diagnostics; by default they are discarded.
    public var logger = Logger(label: "FetchCache") { _ in SwiftLogNoOpLogHandler() }
    /// The wall clock, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { Timestamp.now.milliseconds }

    /// Creates a configuration with the defaults.
    public init() { userAgent = "FetchCache/1.0 (libcurl/\(LIBCURL_VERSION))" }
}

/// Options for the requests to one host or to several.
public struct HostOptions: Sendable, Hashable {
    /// The credential of a request.
    public enum Credential: Sendable, Hashable {
        /// A name and a password, sent as RFC 7617 specifies.
        case basic(user: String, password: String)
        /// A token, sent as RFC 6750 specifies.
        case bearer(token: String)
    }

    /// A certificate that identifies the client (RFC 8446, section 4.4.2).
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of a PEM file with the certificate and usually the chain of its issuers.
        public var file: FilePath
        /// The path of a PEM file with the private key; nil if the key is in ``file``.
        public var keyFile: FilePath?
        /// The password of the key; nil if it has none.
        public var password: String?

        /// Creates a certificate from its files.
        public init(file: FilePath, keyFile: FilePath? = nil, password: String? = nil) {
            self.file = file
            self.keyFile = keyFile
            self.password = password
        }
    }

    /// Fields of each request, which override the fields of all requests.
    public var headers: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields: HeaderFields
    /// The credential that is sent with each request without a challenge; nil, the default, for
    /// none.
    public var credential: Credential?
    /// The certificate that is sent if a server asks for one; nil, the default, for none.
    public var clientCertificate: ClientCertificate?
    /// Whether any TLS certificate of the server is accepted, valid or not; nil, the default, uses
    /// the setting of a less specific pattern, and false if there is none.
    ///
    /// Allowed for named hosts only: with `*` or a pattern such as `*.example.org`, opening a cache
    /// fails.
    public var allowsInvalidCertificate: Bool?
    /// Why the credentials of the host are not known; nil if they are, or if there are none.
    ///
    /// Requests to the host fail with this reason.
    package var missingCredential: String?

    /// Creates options; without arguments they change nothing.
    public init(
        headers: HTTPFields = HTTPFields(), credential: Credential? = nil,
        clientCertificate: ClientCertificate? = nil, allowsInvalidCertificate: Bool? = nil
    ) {
        headerFields = HeaderFields(headers)
        self.credential = credential
        self.clientCertificate = clientCertificate
        self.allowsInvalidCertificate = allowsInvalidCertificate
    }

    /// These options, overridden by those of a more specific pattern.
    func overridden(by other: HostOptions) -> HostOptions {
        var options = HostOptions(
            headers: HTTPFields(headerFields.replacing(with: other.headerFields)),
            credential: other.credential ?? credential,
            clientCertificate: other.clientCertificate ?? clientCertificate,
            allowsInvalidCertificate: other.allowsInvalidCertificate ?? allowsInvalidCertificate)
        options.missingCredential = other.missingCredential ?? missingCredential
        return options
    }
}

extension HostOptions.Credential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of credential only: a description never contains a secret.
    public var description: String {
        switch self {
        case .basic: "basic credential"
        case .bearer: "bearer credential"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension HostOptions.ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible {
    /// The file of the certificate only: a description never contains a secret.
    public var description: String { "client certificate \(file)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
