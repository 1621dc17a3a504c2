internal import CCurl
public import Logging

/// Everything that a ``FetchCache`` is told at its making.
public struct FetchConfiguration: Sendable {
    /// The absolute path of the cache's folder, made if it is not there.
    public var cacheDirectory: String
    /// The User-Agent of every request; names this library and libcurl by default.
    public var userAgent: String
    /// The most transfers at one time, 24 by default.
    public var maximumTransfers = 24
    /// The most transfers at one time with one host and port, 6 by default.
    public var maximumTransfersPerHost = 6
    /// How long a connection may take to make, name look-up and TLS included; 5 s by default.
    public var connectTimeout: Duration = .seconds(5)
    /// How long a connected server may send nothing, also before the first byte; 15 s by default.
    public var stallTimeout: Duration = .seconds(15)
    /// The longest body that is kept, 50 MB by default.
    ///
    /// A longer one fails with ``FetchError/Code/tooLarge``.
    public var maximumBodyBytes = 50_000_000
    /// How many redirects are followed for one URL, 10 by default.
    public var maximumRedirects = 10
    /// How often a download is tried again that failed for what may pass: a broken or refused
    /// connection, a time-out, HTTP 408, 425, 429 or 5xx; 3 by default.
    public var maximumRetries = 3
    /// How long to wait before the first retry, 300 ms by default; doubled with each further one.
    ///
    /// The wait is spread at random between half of it and the whole.
    public var retryDelay: Duration = .milliseconds(300)
    /// The longest Retry-After that is obeyed, 60 s by default; a server that asks for more has
    /// failed.
    public var maximumRetryAfter: Duration = .seconds(60)
    /// Whether loopback, private, link-local and other addresses that are not public may be
    /// connected to; false by default.
    public var allowsPrivateNetwork = false
    /// Whether a redirect may lead from https to http; false by default.
    public var allowsDowngrade = false
    /// How long whatever is downloaded or revalidated stays fresh, whatever the server says of it;
    /// nil, the default, goes by the server's word (RFC 9111).
    public var timeToLive: Duration?
    /// Whether a stale resource is used, where the server fails, even if it came with
    /// `must-revalidate` or `no-cache`, which forbid it; false by default.
    public var usesForbiddenStale = false
    /// Where diagnostics go; nowhere by default.
    public var logger = Logger(label: "FetchCache") { _ in SwiftLogNoOpLogHandler() }

    /// Addresses to use for hosts instead of asking the resolver, as `HOST:PORT:ADDRESS`.
    package var hostAddresses: [String] = []
    /// The wall clock, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { Timestamp.now.milliseconds }

    /// Makes a configuration with the defaults.
    public init(cacheDirectory: String) {
        self.cacheDirectory = cacheDirectory
        self.userAgent = "FetchCache/1.0 (libcurl/\(LIBCURL_VERSION))"
    }
}
