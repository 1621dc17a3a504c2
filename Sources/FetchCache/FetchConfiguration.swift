internal import CCurl
import Glibc
public import HTTPTypes
public import Logging
public import SystemPackage

/// The settings of a ``FetchManager``.
public struct FetchConfiguration: Sendable {
    /// Selects the stale resources that can be used if the server cannot be reached or fails.
    public enum StaleOnError: String, Sendable, Hashable, CaseIterable {
        /// Stale resources whose use the server does not forbid (RFC 9111, section 4.2.4, and RFC
        /// 5861, section 4).
        ///
        /// Responses with `must-revalidate` or `no-cache` are not used, and none for longer than
        /// its `stale-if-error`.
        case rfc
        /// All stale resources: for a build, an old image may be better than none.
        case always
    }

    /// Selects what happens if a server no longer has a resource that is stored.
    public enum OnGone: String, Sendable, Hashable, CaseIterable {
        /// The load fails.
        case fail
        /// The stored resource is used, fresh or stale, and ``Resource/gone-swift.property`` is the
        /// answer of the server: a build should not lose an image that was deleted elsewhere.
        case keep
    }

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

    /// The path of the cache's folder, which is created if it does not exist.
    ///
    /// A relative path starts at the current folder of the process at the time when a cache or a
    /// downloader is opened.
    public var cacheDirectory: FilePath
    /// The User-Agent of every request.
    ///
    /// By default it names this library and libcurl.
    public var userAgent: String
    /// The maximum number of concurrent transfers, 24 by default.
    public var maximumTransfers = 24
    /// The maximum number of concurrent transfers per host and port, 6 by default.
    public var maximumTransfersPerHost = 6
    /// The time limit for making a connection, name lookup and TLS included; 5 s by default.
    public var connectTimeout: Duration = .seconds(5)
    /// The time limit without any data from a connected server, including the wait for the first
    /// byte; 15 s by default.
    public var stallTimeout: Duration = .seconds(15)
    /// The minimum speed of a response in bytes per second, measured over ``minimumSpeedTime``;
    /// 1,000 by default, nil for no minimum.
    ///
    /// A slower response fails with ``FetchError/Code/timedOut``. The measurement starts with its
    /// first byte.
    public var minimumSpeed: Int? = 1_000
    /// The time over which the speed is measured, 30 s by default.
    public var minimumSpeedTime: Duration = .seconds(30)
    /// The total time limit of one load; 2 min by default, nil for no limit.
    ///
    /// It includes transfers, redirects, retries and the waits between them, but not the time in
    /// the queue.
    public var totalTimeout: Duration? = .seconds(120)
    /// The number of consecutive failures of one kind, such as timeouts, after which all other
    /// requests to a host and port fail at once; 5 by default, nil for no limit.
    public var maximumHostFailures: Int? = 5
    /// The interval at which one request tests a host whose other requests fail at once; 10 s by
    /// default.
    ///
    /// If the host answers, requests to it are allowed again.
    public var hostProbeInterval: Duration = .seconds(10)
    /// The maximum length of a body, 50 MB by default.
    ///
    /// A longer body fails with ``FetchError/Code/tooLarge``, also if it is stored already.
    public var maximumBodyBytes = 50_000_000
    /// A check of the first bytes of each image, before the rest is downloaded; nil, the default,
    /// for none.
    ///
    /// ``FetchRequest/bodyCheck`` replaces it for one request.
    public var bodyCheck: BodyCheck?
    /// The maximum number of redirects for one URL, 10 by default; also of those that led to a
    /// stored response.
    public var maximumRedirects = 10
    /// The maximum number of retries of a download after a temporary failure, 3 by default.
    ///
    /// Temporary failures are broken and refused connections, timeouts, and HTTP 408, 425, 429 and
    /// 5xx except 501 and 505.
    public var maximumRetries = 3
    /// The wait before the first retry, 300 ms by default; it doubles with each further one.
    ///
    /// The actual wait is random, between half of it and all of it.
    public var retryDelay: Duration = .milliseconds(300)
    /// The longest Retry-After to wait for, 60 s by default.
    ///
    /// If a server asks for more, the request fails.
    public var maximumRetryAfter: Duration = .seconds(60)
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
    /// The time for which every downloaded or revalidated response stays fresh, overriding the
    /// server; nil, the default, follows the server (RFC 9111).
    public var timeToLive: Duration?
    /// Selects the stale resources that can be used if the server cannot be reached or answers 5xx.
    ///
    /// By default they are those that RFC 9111 allows.
    public var staleOnError = StaleOnError.rfc
    /// Selects what happens if a server answers that it no longer has a stored resource, or answers
    /// with something else; ``OnGone-swift.enum/fail`` by default.
    ///
    /// Such answers are HTTP 4xx except 407, 408, 425 and 429; an empty body; a body that is not an
    /// image; an invalid response; redirects that lead nowhere, or from https to http; and a body
    /// that a caller has rejected with ``FetchManager/reject(_:of:because:)``. A body that is too
    /// long or that ``bodyCheck`` refuses is none: the load fails. Limits and policies apply to the
    /// stored resource as always. Requests for a range, with conditions, with `no-store` or with
    /// ``FetchRequest/acceptsAnyStatus`` are not affected.
    ///
    /// The answer is remembered for ``failureLifetime``, and the stored resource is used without a
    /// request until then. After that, the server is asked again, even if the stored response is
    /// fresh.
    public var onGone = OnGone.fail
    /// The order of transfers within a priority, first in, first out by default.
    public var order = Order.firstInFirstOut
    /// The time for which a permanent failure of a URL is remembered, one hour by default; zero
    /// disables it.
    ///
    /// HTTP 410 (gone) is remembered 24 times as long. Temporary failures, such as timeouts and
    /// HTTP 5xx, are never remembered. A refusal by ``bodyCheck`` is, if the check has a name.
    public var failureLifetime: Duration = .seconds(3_600)
    /// The name of a part of the cache folder with its own entries; empty, the default, for the
    /// folder itself.
    ///
    /// Letters, digits, `-`, `_` and `.` are allowed; the first character must not be a `.`.
    public var namespace = ""
    /// Cache folders that are only read, in the order of lookup; none by default.
    ///
    /// They are searched for responses that the cache's own folder lacks. Nothing in them is
    /// changed, and their file system may be read-only.
    public var readOnlyCaches: [FilePath] = []
    /// The time for which unused contents stay in the cache, a week by default; nil to keep them
    /// forever.
    public var maximumAge: Duration? = .seconds(7 * 86_400)
    /// The maximum total size of the blobs in bytes, 10 GB by default; nil for no limit.
    ///
    /// If the size is exceeded, the least recently used blobs are removed until half of it is left.
    public var maximumBytes: Int? = 10_000_000_000
    /// Whether the cache cleans itself; true by default.
    ///
    /// It cleans in the background shortly after it was opened, at most once a day, and on closing
    /// if it exceeds its size limit.
    public var cleansByItself = true
    /// The maximum number of entries in memory, 4,096 by default; 0 keeps none.
    public var memoryCountLimit = 4_096
    /// The maximum size of the entries in memory in bytes, including the bodies of
    /// ``FetchRequest/memoryOnly`` requests; 64 MB by default, 0 keeps none.
    public var memoryCostLimit = 64_000_000

    /// Options for single hosts: fields, credentials and certificates.
    ///
    /// A key is a host (`example.org`), a host and port (`example.org:8443`), all hosts below one
    /// (`*.example.org`), or all hosts (`*`). If several keys match, the more specific one adds to
    /// the others and overrides them. Options are never sent to a host that their key does not
    /// match, even after redirects.
    public var hosts: [String: HostOptions] = [:]
    /// The only hosts that may be requested, and whose stored responses may be used, as patterns
    /// like those of ``hosts``; none, the default, allows all.
    ///
    /// The host of the URL counts, and that of each redirect.
    public var allowedHosts: [String] = []
    /// Hosts that must not be requested, and whose stored responses must not be used, as patterns
    /// like those of ``hosts``.
    ///
    /// They override ``allowedHosts``.
    public var deniedHosts: [String] = []
    /// Decides for each URL, including redirects, whether it may be requested; nil allows all.
    ///
    /// It is about requests only: what is stored is used without a call of this closure.
    public var mayDownload: (@Sendable (_ url: String) -> Bool)?
    /// Determines which URLs share an entry; nil, the default, gives each URL its own.
    public var keyFilter: KeyFilter?
    /// Changes the fields of each request before it is sent; nil, the default, changes none.
    ///
    /// The closure gets all fields, including those of conditions and ranges, and returns the
    /// fields to send. A field that it leaves out is not sent. libcurl itself adds the fields of
    /// credentials, cookies and the content length, and `Host`. The closure must return the same
    /// result for the same arguments.
    public var headersFilter: (@Sendable (_ url: String, _ fields: HTTPFields) -> HTTPFields)?
    /// The path of a `.netrc` file with credentials per host; nil, the default, for none.
    public var netrcFile: FilePath?
    /// Whether cookies are accepted, sent and stored in the cache folder; false by default.
    public var keepsCookies = false
    /// The proxy for requests; by default the one that environment variables name.
    public var proxy = Proxy.environment
    /// A PEM file of certificate authorities that are trusted in addition to those of the system;
    /// nil, the default, for none.
    ///
    /// Responses that came from an https server while another file was set are requested again.
    public var certificateAuthorityFile: FilePath?
    /// The transport that makes requests; nil, the default, for libcurl.
    public var transport: (any Transport)?
    /// The time for which ``FetchManager/close()`` waits for background refreshes, 5 s by default.
    public var closeTimeout: Duration = .seconds(5)

    /// The logger for diagnostics; by default they are discarded.
    public var logger = Logger(label: "FetchCache") { _ in SwiftLogNoOpLogHandler() }

    /// Addresses that replace name resolution for hosts, as `HOST:PORT:ADDRESS`.
    package var hostAddresses: [String] = []
    /// The wall clock, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { Timestamp.now.milliseconds }

    /// Creates a configuration with the defaults.
    ///
    /// - Parameter cacheDirectory: As in ``cacheDirectory``; by default the folder `fetchcache` in
    ///   `$XDG_CACHE_HOME`, or else in `.cache` in the home folder.
    public init(cacheDirectory: FilePath = Self.defaultDirectory) {
        self.cacheDirectory = cacheDirectory
        self.userAgent = "FetchCache/1.0 (libcurl/\(LIBCURL_VERSION))"
    }
}

extension FetchConfiguration {
    /// The folder of caches whose folder is not chosen: `fetchcache` in `$XDG_CACHE_HOME`, or else in
    /// `.cache` in the home folder; empty, which is an error on opening, if neither is known.
    public static var defaultDirectory: FilePath {
        // A relative path in the variable is invalid (XDG Base Directory Specification).
        if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") {
            return FilePath("\(cache)/fetchcache")
        }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return "" }
        return FilePath("\(home)/.cache/fetchcache")
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
