public import FoundationEssentials
public import HTTPTypes
public import SystemPackage

/// A resource to load, and how to use cache and network for it.
public struct FetchRequest: Sendable {
    /// How stored resources are used.
    public enum Mode: Sendable, Hashable {
        /// A fresh resource is used as it is; a stale one is revalidated with the server.
        case normal
        /// A request is sent even if the stored resource is fresh, also if that is marked
        /// `immutable` (RFC 8246), and even if the URL is remembered as failed.
        case refresh
        /// A request for the complete resource is sent, without the validators of the stored one.
        ///
        /// For a server whose validators are wrong. The new response replaces the stored one.
        case reload
        /// No request is made: a stored resource is used, fresh or stale.
        case offline
    }

    /// The priority of a transfer in the queue.
    public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Starts after all others.
        case low
        /// Starts after high and before low priority; the default.
        case normal
        /// Starts before all others, including those that wait already.
        case high

        /// Whether the left priority is lower than the right one.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Where a response is stored.
    public enum Storage: Sendable, Hashable {
        /// In all levels that may have it.
        case everywhere
        /// In no level of another machine.
        case thisMachine
        /// Only in memory: only this cache finds it again, until its memory is needed or it is
        /// closed.
        case memory
    }

    /// The method of the request.
    ///
    /// Responses to ``get`` and ``head`` are stored. A request of any other method is always sent
    /// to the server, and its response is not stored. If it may have changed the resource, the
    /// stored responses of its URL are removed (RFC 9111, section 4.4).
    public struct Method: Sendable, Hashable, RawRepresentable {
        /// The method as it is sent; case matters.
        public let rawValue: String

        /// Creates a method from a token (RFC 9110, section 5.6.2).
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The method `GET`: header and body.
        public static let get = Self(rawValue: "GET")
        /// The method `HEAD`: header only; the blob is empty.
        public static let head = Self(rawValue: "HEAD")
        /// The method `POST`.
        public static let post = Self(rawValue: "POST")
        /// The method `PUT`.
        public static let put = Self(rawValue: "PUT")
        /// The method `DELETE`.
        public static let delete = Self(rawValue: "DELETE")

        /// Whether responses are stored.
        var isStored: Bool { self == .get || self == .head }
        /// Whether the method changes nothing on the server (RFC 9110, section 9.2.1).
        var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }
        /// Whether the method may be sent twice (RFC 9110, section 9.2.2).
        var isIdempotent: Bool { isSafe || self == .put || self == .delete }
    }

    /// An http or https URL as written in a document.
    ///
    /// Spaces and non-ASCII characters are encoded and a fragment is removed. A user and password
    /// in the URL are sent to its host and never stored.
    public var url: String
    /// The use of stored resources, ``Mode/normal`` by default.
    public var mode: Mode
    /// The priority of the transfer, ``Priority/normal`` by default.
    ///
    /// A transfer that several callers share has the highest of their priorities.
    public var priority: Priority
    /// The method of the request, GET by default.
    public var method = Method.get
    /// The content of the request; nil, the default, for none.
    ///
    /// Without a field `Content-Type`, the type is `application/x-www-form-urlencoded`.
    public var body: [UInt8]?
    /// Fields that add to and override those of the configuration, none by default.
    ///
    /// After a redirect to another host, only `Accept`, `Accept-Language` and `User-Agent` are
    /// sent. Requests with different fields do not share a transfer. They share an entry unless its
    /// field `Vary` names one of the different fields. The directives of `Cache-Control` are
    /// respected (RFC 9111, section 5.2.1).
    public var headers: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields = HeaderFields()
    /// Whether a body that is not an image is accepted; false by default.
    public var acceptsAnyContent = false
    /// The size of the largest body in bytes; nil, the default, for
    /// ``DownloaderConfiguration/Limits-swift.struct/bodyBytes``.
    ///
    /// Requests with different limits do not share a transfer.
    public var bodyLimit: Int?
    /// A check of the first bytes of the image; nil, the default, for
    /// ``DownloaderConfiguration/bodyCheck``.
    ///
    /// Requests with different checks do not share a transfer.
    public var bodyCheck: BodyCheck?
    /// Whether a response of any status is accepted, such as 404; false by default, which makes it
    /// a ``FetchError`` of the code ``FetchError/Code/status``.
    public var acceptsAnyStatus = false
    /// Whether to retry a URL that failed in an earlier load; false by default.
    public var retryFailed = false
    /// Where the response is stored, ``Storage-swift.enum/everywhere`` by default.
    public var storage = Storage.everywhere
    /// The cache key instead of the URL; nil, the default, for none.
    ///
    /// It replaces the result of ``CachePolicy/keyFilter``. The caller ensures that all requests
    /// with one key are for the same resource. Spaces in it are percent-encoded.
    public var key: String?
    /// The time limits and waits of this load; nil, the default, for
    /// ``DownloaderConfiguration/times-swift.property``.
    ///
    /// Requests with different times do not share a transfer; one waits for the other, and no limit
    /// counts that wait. ``DownloaderConfiguration/Times-swift.struct/hostProbe`` is that of the
    /// configuration.
    public var times: DownloaderConfiguration.Times?
    /// Whether a response can be used whose bytes are in no level on this machine; false by default.
    ///
    /// Such a resource has no file: see ``Resource/hasBody``.
    package var acceptsAbsentBody = false
    /// Whether the load goes on without the resource if it fails; false by default.
    ///
    /// Nothing is tried again then, and no redirect is followed.
    package var isOptional = false
    /// The flight that needs the resource, whose priority counts now and later; nil, the default, for
    /// ``priority``.
    package var flight: Flight?
    /// The turn of the call; nil if it is taken when the load begins.
    var turn: CallTurn?
    /// The time for which the response counts as fresh, overriding the server and
    /// ``CachePolicy/timeToLive``; nil, the default, for no override.
    public var timeToLive: Duration?
    /// A transform whose result is returned instead of the download; nil, the default, for none.
    public var transform: Transform?

    /// Creates a request.
    public init(_ url: String, mode: Mode = .normal, priority: Priority = .normal) {
        self.url = url
        self.mode = mode
        self.priority = priority
    }
}

/// What can be loaded: a ``FetchRequest``, or a URL as a `String` or as Foundation's `URL`.
public protocol FetchRequestConvertible: Sendable {
    /// The request; that of a URL has the defaults.
    var fetchRequest: FetchRequest { get }
}

extension FetchRequest: FetchRequestConvertible {
    /// The request itself.
    public var fetchRequest: FetchRequest { self }
}

extension String: FetchRequestConvertible {
    /// A request of this URL.
    public var fetchRequest: FetchRequest { FetchRequest(self) }
}

extension URL: FetchRequestConvertible {
    /// A request of this URL.
    public var fetchRequest: FetchRequest { FetchRequest(absoluteString) }
}

/// Makes another resource of a download, for instance scales or re-encodes it; both are stored.
public struct Transform: Sendable {
    /// Everything that determines the result except the source: the operation, its parameters and
    /// the version of the software.
    ///
    /// The result is stored under this text and the digest of the source. It is never computed
    /// again for the same two.
    public var identity: String
    /// Reads the file of a source and writes the result to a new file.
    public var apply: @Sendable (_ source: Resource, _ output: FilePath) async throws -> Void

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - identity: See ``identity``.
    ///   - apply: See ``apply``. An error that it throws becomes ``FetchError/Code/custom`` in
    ///     ``FetchManager/load(_:progress:)``.
    public init(
        identity: String,
        apply: @escaping @Sendable (_ source: Resource, _ output: FilePath) async throws -> Void
    ) {
        self.identity = identity
        self.apply = apply
    }
}
