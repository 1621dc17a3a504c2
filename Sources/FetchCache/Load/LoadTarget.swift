internal import Secrets

/// The target of one request: its URL, its directives, and the keys under which parts of it are kept.
struct LoadTarget: Sendable {
    var request: FetchRequest
    /// The normalized URL, including user and password if there are any.
    var url: String
    /// The scheme, host and port.
    ///
    /// The request's own fields are sent only to them.
    var origin: URLText.Parts
    /// The key of the entries: the URL and, except for GET, the method.
    ///
    /// The fields in `Vary` distinguish several responses of the same key (RFC 9111, section 4.1).
    var key: String
    var control: RequestControl
    /// The requested byte range; nil for the complete resource.
    var range: RangeRequest?
    /// The request's own conditions; nil if there are none.
    var conditions: Preconditions?
    /// The name of the request: the key, the user and the fields.
    ///
    /// The response can depend on each of them. It is the name of the lock among processes, of a
    /// remembered failure, and of the first part of an interrupted download.
    var requestKey: String

    /// - Throws: ``FetchError/Code/invalidURL``.
    init(_ request: FetchRequest, keyFilter: KeyFilter?) throws(FetchError) {
        self.request = request
        (url, origin) = try URLText.read(request.url)
        let user = URLText.user(of: url)
        let plain = user == nil ? url : withoutCredentials(url)
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
        var requestKey = key
        // The password is left out: even its hash reveals information.
        if let name = user?.prefix(while: { $0 != ":" }) {
            requestKey += " user:\(String(name).sha256.prefix(16))"
        }
        if !request.headerFields.isEmpty {
            requestKey += " fields:\(request.headerFields.text.sha256.prefix(16))"
        }
        self.requestKey = requestKey
    }

    /// The URL in a form that can be displayed and stored.
    var plainURL: String { withoutCredentials(url) }

    /// Whether no request may be made.
    var isOffline: Bool { request.mode == .offline || control.onlyIfCached }

    /// Whether a stored response can answer the request as it is: no range, no conditions.
    var isPlain: Bool { request.method.isStored && range == nil && conditions == nil }

    /// The name of the work that callers in this process share.
    ///
    /// It is ``requestKey`` with all that determines which responses a caller accepts, because
    /// callers share the result of their work.
    var shareKey: String {
        if !request.acceptsAnyStatus, !request.acceptsAnyContent, !request.memoryOnly,
            !request.retryFailed, request.mode == .normal, request.bodyCheck == nil,
            !request.acceptsAbsentBody, !request.isOptional
        {
            return requestKey
        }
        let mayRetry = request.retryFailed || request.mode != .normal
        let flags = [
            request.acceptsAnyStatus, request.acceptsAnyContent, request.memoryOnly, mayRetry,
            request.acceptsAbsentBody, request.isOptional,
        ]
        let reload = request.mode == .reload ? " reload" : ""
        let check = request.bodyCheck.map { " \($0.name)" } ?? ""
        return requestKey + flags.map { $0 ? " 1" : " 0" }.joined() + reload + check
    }

    /// Changes the method to GET without content if a redirect of this status requires it, as
    /// browsers and curl do (RFC 9110, section 15.4).
    mutating func follow(_ status: Int) {
        let becomesGet = status == 303 || [301, 302].contains(status) && request.method == .post
        guard becomesGet, request.method != .head else { return }
        request.method = .get
        request.body = nil
    }

    /// All keys under which responses to the request can be stored.
    var allKeys: [String] { [key, errorStatusKey, partKey, Self.previousKey(of: key)] }

    /// The key of a part of the response.
    var partKey: String { key + " part" }

    /// The key of a response without a success status, for requests that accept any status.
    var errorStatusKey: String { key + " refusal" }

    /// The key of the last response with confirmed bytes, after another one has replaced it.
    static func previousKey(of key: String) -> String { key + " previous" }
}
