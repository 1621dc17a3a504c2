/// What one request asks for, worked out once.
struct Target: Sendable {
    var request: FetchRequest
    /// Normalized, with the user and password if the URL has them.
    var url: String
    /// Scheme, host and port, to which alone the request's own fields are sent.
    var origin: URLText.Parts
    /// What names the entry.
    var key: String

    /// - Throws: ``FetchError/Code/invalidURL``.
    init(_ request: FetchRequest, keyFilter: KeyFilter?) throws(FetchError) {
        self.request = request
        (url, origin) = try URLText.read(request.url)
        let user = URLText.user(of: url)
        let plain = user == nil ? url : URLText.withoutUser(url)
        var key = keyFilter.map { $0.key(plain).replacing(" ", with: "%20") } ?? plain
        if request.method == .head { key += " HEAD" }
        if request.acceptsAnyContent { key += " any" }
        // Not the password, of which even a hash says something.
        if let name = user?.prefix(while: { $0 != ":" }) {
            key += " user:\(String(name).sha256.prefix(16))"
        }
        if !request.headers.isEmpty { key += " fields:\(request.headers.text.sha256.prefix(16))" }
        self.key = key
    }

    /// The URL as it may be shown and stored.
    var plainURL: String { URLText.withoutUser(url) }

    /// What names the work: requests of one key that an answer may suit differently do not share it.
    var flightKey: String {
        if !request.acceptsAnyStatus, !request.memoryOnly, !request.retryFailed,
            request.mode == .normal
        {
            return key
        }
        let mayRetry = request.retryFailed || request.mode == .refresh
        return "\(key) \(request.acceptsAnyStatus) \(request.memoryOnly) \(mayRetry)"
    }

    /// What names an answer whose status is no success; for those who take any.
    var refusalKey: String { key + " refusal" }
}
