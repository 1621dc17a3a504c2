public import HTTPTypes

/// What to load, and how much of the network to use for it.
public struct FetchRequest: Sendable {
    /// How stored resources are used.
    public enum Mode: Sendable, Hashable {
        /// A fresh one is used as it is, a stale one after the server has been asked.
        case normal
        /// The server is asked even about a fresh one, unless that is marked `immutable` (RFC 8246),
        /// and about a URL that failed.
        case refresh
        /// No request is made: what is stored is used, fresh or stale.
        case offline
    }

    /// Which of the waiting transfers begins first.
    public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// After all others.
        case low
        /// The default.
        case normal
        /// Before all others, even those that wait already.
        case high

        /// Whether the left begins after the right.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The method of the request.
    ///
    /// Answers to ``get`` and ``head`` are stored. A request of any other method goes to the server,
    /// its answer is not stored, and if it may have changed something there, what is stored of its URL
    /// is dropped (RFC 9111, section 4.4).
    public struct Method: Sendable, Hashable, RawRepresentable {
        /// As it is sent, in its own case.
        public let rawValue: String

        /// Takes a method as it is sent: letters, digits and the marks of a token (RFC 9110, section
        /// 5.6.2).
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The header and the body.
        public static let get = Self(rawValue: "GET")
        /// The header alone: the blob is empty.
        public static let head = Self(rawValue: "HEAD")
        /// The method `POST`.
        public static let post = Self(rawValue: "POST")
        /// The method `PUT`.
        public static let put = Self(rawValue: "PUT")
        /// The method `DELETE`.
        public static let delete = Self(rawValue: "DELETE")

        /// Whether answers are stored.
        var isStored: Bool { self == .get || self == .head }
        /// Whether it changes nothing on the server (RFC 9110, section 9.2.1).
        var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }
        /// Whether it may be sent twice (RFC 9110, section 9.2.2).
        var isIdempotent: Bool { isSafe || self == .put || self == .delete }
    }

    /// An http or https URL, as it stands in a document: spaces, letters beyond ASCII and a
    /// fragment are taken care of.
    ///
    /// A user and password in it are sent to its host, and stored nowhere.
    public var url: String
    /// How stored resources are used, ``Mode/normal`` by default.
    public var mode: Mode
    /// When the transfer begins, ``Priority/normal`` by default.
    ///
    /// Callers that share a transfer raise it to the highest of theirs.
    public var priority: Priority
    /// GET by default.
    public var method = Method.get
    /// What is sent as the content of the request; nil, the default, for nothing.
    ///
    /// Without a field `Content-Type` it is sent as `application/x-www-form-urlencoded`.
    public var body: [UInt8]?
    /// Fields over those that the configuration gives, none by default.
    ///
    /// A redirect to another host takes only `Accept`, `Accept-Language` and `User-Agent` along.
    /// Requests with different fields share no transfer. They share an entry unless its field `Vary`
    /// names one of them. The directives of a `Cache-Control` are obeyed (RFC 9111, section 5.2.1).
    public var headers: HTTPFields {
        get { HTTPFields(headerFields) }
        set { headerFields = HeaderFields(newValue) }
    }
    var headerFields = HeaderFields()
    /// Whether a body that is no image will do; false by default.
    public var acceptsAnyContent = false
    /// Whether an answer of any status will do, such as 404; false by default, which is a
    /// ``FetchError`` of the code ``FetchError/Code/status``.
    public var acceptsAnyStatus = false
    /// Whether a URL is tried that is remembered as failed; false by default.
    public var retryFailed = false
    /// Whether what is downloaded stays out of the folder's index: it is found again by this cache
    /// alone, until its memory is needed or it is closed; false by default.
    public var memoryOnly = false
    /// How long the answer counts as fresh, whatever the server says and
    /// ``FetchConfiguration/timeToLive`` is; nil, the default, for what they say.
    public var timeToLive: Duration?
    /// What is made of the download, and given instead; nil, the default, for nothing.
    public var transform: Transform?

    /// Makes a request.
    public init(_ url: String, mode: Mode = .normal, priority: Priority = .normal) {
        self.url = url
        self.mode = mode
        self.priority = priority
    }
}
