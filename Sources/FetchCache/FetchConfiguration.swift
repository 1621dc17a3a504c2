internal import CCurl
public import HTTPTypes
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
    /// The fewest bytes a second that an answer may arrive with, over ``minimumSpeedTime``; 1,000 by
    /// default, nil for any speed.
    ///
    /// A slower one fails with ``FetchError/Code/timedOut``. Counted from its first byte on.
    public var minimumSpeed: Int? = 1_000
    /// Over how long the speed is measured, 30 s by default.
    public var minimumSpeedTime: Duration = .seconds(30)
    /// How long one load may take in all: its transfers, redirects and retries included, and the waits
    /// between them, but not the time in the queue; 2 min by default, nil for any time.
    public var totalTimeout: Duration? = .seconds(120)
    /// After how many failures in a row of one kind, such as time-outs, a host and port is given up: all
    /// else that is asked of it fails at once; 5 by default, nil never gives up.
    public var maximumHostFailures: Int? = 5
    /// How often a host that was given up is tried again, by one request; every 10 s by default.
    ///
    /// If it answers, all is as before.
    public var hostProbeInterval: Duration = .seconds(10)
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
    /// Which stale resources are used where the server cannot be asked or fails.
    public enum StaleOnError: String, Sendable, Hashable, CaseIterable {
        /// Those that their servers do not forbid to use (RFC 9111, section 4.2.4, and RFC 5861,
        /// section 4): none that came with `must-revalidate` or `no-cache`, none for longer than its
        /// `stale-if-error`.
        case rfc
        /// All: a build may be better off with yesterday's image than with none.
        case always
    }

    /// Which stale resources are used where the server cannot be asked, or answers 5xx; those that RFC
    /// 9111 allows by default.
    public var staleOnError = StaleOnError.rfc
    /// Which of two waiting transfers of one priority begins first.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// The one that was asked for first: nobody starves.
        case firstInFirstOut
        /// The one that was asked for last.
        case lastInFirstOut
    }

    /// The order of transfers within a priority, first-in-first-out by default.
    public var order = Order.firstInFirstOut
    /// How long it is remembered that a URL failed for good, one hour by default; zero forgets at
    /// once.
    ///
    /// What is gone (HTTP 410) is remembered 24 times as long. Failures that may pass, such as
    /// time-outs and HTTP 5xx, are never remembered.
    public var failureLifetime: Duration = .seconds(3_600)
    /// A part of the cache folder with entries of its own; empty, the default, for the folder itself.
    ///
    /// Letters, digits, `-`, `_` and `.`, not beginning with a `.`.
    public var namespace = ""
    /// Cache folders that are only read: what is not in the cache's own folder is looked for in
    /// these, in their order.
    ///
    /// Nothing in them is changed, and they may lie in a file system that cannot be written to.
    public var readOnlyCaches: [String] = []
    /// How long what is not used stays in the cache, a week by default; nil keeps it for ever.
    public var maximumAge: Duration? = .seconds(7 * 86_400)
    /// How many bytes of blobs the folder may hold, 10 GB by default; nil for any number.
    ///
    /// Over it, what was used least lately goes until half of it is left.
    public var maximumBytes: Int? = 10_000_000_000
    /// Whether the cache is cleaned by itself: in the background a little after it was opened, if
    /// that was not done within a day, and when it is closed over its limit; true by default.
    public var cleansByItself = true
    /// The most entries that are kept in memory, 4,096 by default; 0 keeps none.
    public var memoryCountLimit = 4_096
    /// The most bytes that entries in memory may take, bodies of ``FetchRequest/memoryOnly``
    /// included; 64 MB by default, and 0 keeps none.
    public var memoryCostLimit = 64_000_000

    /// What is particular about hosts: fields, credentials, certificates.
    ///
    /// A key is a host (`example.org`), a host and port (`example.org:8443`), or all hosts below
    /// one (`*.example.org`), or all (`*`). Of several that fit, the more particular one adds to and
    /// overrides the others. None of it is ever sent to a host that it is not for, whatever the redirects.
    public var hosts: [String: HostOptions] = [:]
    /// The only hosts that may be asked, with patterns as in ``hosts``; none, the default, for all.
    public var allowedHosts: [String] = []
    /// Hosts that may not be asked, with patterns as in ``hosts``, even if they are allowed.
    public var deniedHosts: [String] = []
    /// Decides for each URL, redirects included, whether it may be requested; nil allows all.
    public var mayDownload: (@Sendable (_ url: String) -> Bool)?
    /// Which URLs share an entry; nil, the default, for one entry each.
    public var keyFilter: KeyFilter?
    /// Sees all fields of each request before it is sent, those of conditions and ranges included, and
    /// gives those that are sent; nil, the default, changes none.
    ///
    /// A field that it leaves out is not sent. Fields that libcurl makes of its own accord are those of
    /// credentials, cookies and the length of the content, and `Host`. It must give the same for the
    /// same.
    public var headersFilter: (@Sendable (_ url: String, _ fields: HTTPFields) -> HTTPFields)?
    /// The path of a `.netrc` file with credentials by host; nil, the default, for none.
    public var netrcFile: String?
    /// Whether cookies are taken, sent back and kept in the cache folder; false by default.
    public var keepsCookies = false
    /// Which proxy requests go through; by default the one that the environment names.
    public var proxy = Proxy.environment
    /// A PEM file of certificate authorities that are trusted besides those of the system; nil, the
    /// default, for none.
    public var certificateAuthorityFile: String?
    /// What makes requests instead of libcurl; nil, the default, for libcurl.
    public var transport: (any Transport)?
    /// How long ``FetchCache/close()`` waits for refreshes that run in the background, 5 s by default.
    public var closeTimeout: Duration = .seconds(5)

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
