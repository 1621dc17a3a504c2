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
    public enum Method: String, Sendable, Hashable {
        /// The header and the body.
        case get = "GET"
        /// The header alone: the blob is empty.
        case head = "HEAD"
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
    /// Fields over those that the configuration gives, none by default.
    ///
    /// A redirect to another host takes only `Accept`, `Accept-Language` and `User-Agent` along.
    /// Requests with different fields share neither an entry nor a transfer.
    public var headers = HeaderFields()
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
