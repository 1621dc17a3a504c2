/// What one request asks for, worked out once.
struct Target: Sendable {
    var request: FetchRequest
    /// Normalized, with the user and password if the URL has them.
    var url: String
    /// Scheme, host and port, to which alone the request's own fields are sent.
    var origin: URLText.Parts
    /// What names the entries: the URL, and of a HEAD request its method.
    ///
    /// What else decides between several answers is in their `Vary` (RFC 9111, section 4.1).
    var key: String
    /// The directives of the request's own Cache-Control.
    var control: RequestControl
    /// The range of bytes that the request asks for; nil for the whole.
    var range: RangeRequest?
    /// The conditions that the request brings of its own; nil for none.
    var conditions: Preconditions?
    /// What names the work on a key, and its failures: requests with different fields, or of different
    /// users, may be answered differently.
    var workKey: String

    /// - Throws: ``FetchError/Code/invalidURL``.
    init(_ request: FetchRequest, keyFilter: KeyFilter?) throws(FetchError) {
        self.request = request
        (url, origin) = try URLText.read(request.url)
        let user = URLText.user(of: url)
        let plain = user == nil ? url : URLText.withoutUser(url)
        var key = keyFilter.map { $0.key(plain).replacing(" ", with: "%20") } ?? plain
        if request.method != .get { key += " \(request.method.rawValue)" }
        self.key = key
        control = RequestControl(request.headerFields)
        if request.method == .get, !request.headerFields.isEmpty {
            range = RangeRequest(request.headerFields)
        }
        if request.method.isStored, !request.headerFields.isEmpty {
            conditions = Preconditions(request.headerFields)
        }
        var workKey = key
        // Not the password, of which even a hash says something.
        if let name = user?.prefix(while: { $0 != ":" }) {
            workKey += " user:\(String(name).sha256.prefix(16))"
        }
        if !request.headerFields.isEmpty {
            workKey += " fields:\(request.headerFields.text.sha256.prefix(16))"
        }
        self.workKey = workKey
    }

    /// The URL as it may be shown and stored.
    var plainURL: String { URLText.withoutUser(url) }

    /// Whether no request may be made.
    var isOffline: Bool { request.mode == .offline || control.onlyIfCached }

    /// What names the work that callers share: an answer may suit one of two requests alone.
    var flightKey: String {
        if !request.acceptsAnyStatus, !request.acceptsAnyContent, !request.memoryOnly,
            !request.retryFailed, request.mode == .normal
        {
            return workKey
        }
        let mayRetry = request.retryFailed || request.mode == .refresh
        let flags = [
            request.acceptsAnyStatus, request.acceptsAnyContent, request.memoryOnly, mayRetry,
        ]
        return workKey + flags.map { $0 ? " 1" : " 0" }.joined()
    }

    /// Asks with GET and no content from now on, where a redirect of that status says so, and browsers
    /// and curl do (RFC 9110, section 15.4).
    mutating func follow(_ status: Int) {
        let becomesGet = status == 303 || [301, 302].contains(status) && request.method == .post
        guard becomesGet, request.method != .head else { return }
        request.method = .get
        request.body = nil
    }

    /// All keys that answers to the request may have.
    var allKeys: [String] { [key, refusalKey, partKey] }

    /// What names a part of the answer.
    var partKey: String { key + " part" }

    /// What names an answer whose status is no success; for those who take any.
    var refusalKey: String { key + " refusal" }
}
