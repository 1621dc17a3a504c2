internal import Secrets

/// The target of one request: its URL, its directives, and its keys.
///
/// | key | made of | names |
/// | --- | --- | --- |
/// | ``key`` | the URL and the method | the stored responses, which `Vary` tells apart |
/// | ``partKey``, ``errorStatusKey``, ``previousKey(of:)`` | ``key`` and a word | a part, a response without a success status, the last confirmed one before the present one |
/// | ``requestKey`` | ``key``, the user and the fields | the lock among processes, a remembered failure |
/// | ``shareKey`` | ``requestKey`` and what the caller accepts | the work that callers of this process share |
struct LoadTarget: Sendable {
    private(set) var request: FetchRequest
    /// The normalized URL, including user and password if there are any.
    let url: String
    /// The scheme, host and port.
    ///
    /// The request's own fields are sent only to them.
    let origin: URLText.Parts
    /// The key of the entries: the URL and, except for GET, the method.
    ///
    /// The fields in `Vary` distinguish several responses of the same key (RFC 9111, section 4.1).
    private(set) var key: String
    let control: RequestControl
    /// The requested byte range; nil for the complete resource.
    let range: RangeRequest?
    /// The request's own conditions; nil if there are none.
    let conditions: Preconditions?
    /// The key of the request: the key of the entries, the user and the fields, since the response
    /// can depend on each of them.
    let requestKey: String

    /// - Throws: ``FetchError/Code/invalidURL``.
    init(_ request: FetchRequest, keyFilter: KeyFilter?) throws(FetchError) {
        self.request = request
        (url, origin) = try URLText.read(request.url)
        let user = URLText.user(of: url)
        let plain = user == nil ? url : withoutCredentials(url)
        var key = (request.key ?? keyFilter?.key(plain))?.replacing(" ", with: "%20") ?? plain
        if request.method != .get { key += " \(request.method.rawValue)" }
        self.key = key
        control = RequestControl(request.headerFields)
        let fields = request.headerFields
        range = request.method == .get && !fields.isEmpty ? RangeRequest(fields) : nil
        conditions = request.method.isStored && !fields.isEmpty ? Preconditions(fields) : nil
        var requestKey = key
        // The password is left out: even its hash reveals information.
        if let name = user?.prefix(while: { $0 != ":" }) {
            requestKey += " user:\(String(name).sha256.prefix(16))"
        }
        if !fields.isEmpty { requestKey += " fields:\(fields.text.sha256.prefix(16))" }
        self.requestKey = requestKey
    }

    /// The URL in a form that can be displayed and stored.
    var plainURL: String { withoutCredentials(url) }

    /// Whether no request may be made.
    var isOffline: Bool { request.mode == .offline || control.onlyIfCached }

    /// Whether a stored response can answer the request as it is: no range, no conditions.
    var isPlain: Bool { request.method.isStored && range == nil && conditions == nil }

    /// The key of the work that callers in this process share: ``requestKey`` with all that
    /// determines which responses a caller accepts, since they share the result.
    var shareKey: String {
        let mayRetry = request.retryFailed || request.mode != .normal
        let flags = [
            request.acceptsAnyStatus, request.acceptsAnyContent, mayRetry,
            request.acceptsAbsentBody, request.isOptional,
        ]
        let reload = request.mode == .reload ? " reload" : ""
        let check = request.bodyCheck.map { " \($0.name)" } ?? ""
        let limit = request.bodyLimit.map { " \($0)" } ?? ""
        let times = request.times.map { " \($0)" } ?? ""
        return requestKey + flags.map { $0 ? " 1" : " 0" }.joined() + " \(request.storage)" + reload
            + check + limit + times
    }

    /// Changes the method to GET without content if a redirect of this status requires it, as
    /// browsers and curl do (RFC 9110, section 15.4).
    mutating func follow(_ status: Int) {
        let becomesGet = status == 303 || [301, 302].contains(status) && request.method == .post
        guard becomesGet, request.method != .head else { return }
        request.method = .get
        request.body = nil
    }

    /// The target of stored responses without a success status.
    var ofErrorStatus: LoadTarget {
        var target = self
        target.key = errorStatusKey
        return target
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
