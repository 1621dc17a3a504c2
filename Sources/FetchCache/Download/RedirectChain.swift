internal import Secrets

/// The redirects of one download, and the rules for following another.
struct RedirectChain {
    /// The current URL of the download.
    private(set) var url: String
    private let start: String
    private let configuration: DownloaderConfiguration
    /// The URLs that were requested since the last new cookie: a request with one is another request.
    private var seen: Set<String>
    private var cookies: Set<String> = []
    private var freshUntil = Timestamp.distantFuture
    /// Whether a redirect must not be stored, and so neither that its target answers for its URL.
    private(set) var isNoStore = false
    /// The requests that were answered with a redirect.
    private var steps: [RouteStep] = []

    init(_ url: String, _ configuration: DownloaderConfiguration) {
        self.url = url
        self.configuration = configuration
        start = url
        seen = [url]
    }

    /// Follows a redirect to its target.
    mutating func follow(_ response: TransferResponse) async throws(FetchError) {
        let status = response.head.status
        if CacheControl(response.head.fields).noStore { isNoStore = true }
        guard let location = response.head.fields["Location"], !location.isEmpty else {
            throw described(
                FetchError(.redirect, url, "HTTP \(status) without a Location", status: status))
        }
        let next: String
        do {
            next = try URLText.resolved(location, against: url)
        } catch {
            throw described(
                FetchError(
                    .redirect, url,
                    "a redirect to '\(withoutSecrets(location))': \(error.detail)"))
        }
        if let refusal = Self.downgrade(from: url, to: next, configuration) {
            throw described(refusal)
        }
        let redirect = DownloaderConfiguration.Redirect(
            url: withoutCredentials(url), target: next, status: status)
        let shown = withoutSecrets(next)
        if await configuration.network.mayFollow?(redirect) == false {
            throw described(
                FetchError(
                    .forbidden, url, "the policy does not allow the redirect to \(shown)",
                    status: status))
        }
        if setsNewCookie(response.head.fields) { seen = [] }
        guard seen.insert(next).inserted else {
            throw described(FetchError(.redirect, url, "a redirect in a circle, to \(shown)"))
        }
        guard steps.count < configuration.limits.redirects else {
            let most = configuration.limits.redirects
            var error = described(FetchError(.redirect, url, "more than \(most) redirects"))
            error.isOfLimits = true
            throw error
        }
        freshUntil = min(freshUntil, Self.freshUntil(response))
        steps.append(RouteStep(url: withoutCredentials(url), facts: response.connection))
        url = next
    }

    /// Whether a response sets a cookie that no earlier one has set, and cookies are kept.
    private mutating func setsNewCookie(_ fields: HeaderFields) -> Bool {
        guard configuration.keepsCookies else { return false }
        let set = fields.values(for: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
        return set.count { cookies.insert($0).inserted } > 0
    }

    /// The error of a redirect from https to http; nil if the redirect is another one or is
    /// allowed.
    static func downgrade(
        from url: String, to next: String, _ configuration: DownloaderConfiguration
    ) -> FetchError? {
        guard url.hasPrefix("https:"), next.hasPrefix("http:"),
            !configuration.network.allowsDowngrade
        else { return nil }
        return FetchError(
            .forbidden, url, "a redirect from https to http, to \(withoutSecrets(next))",
            subcode: .downgrade)
    }

    /// The result of a download whose last response is this one.
    func result(
        _ response: TransferResponse, to request: TransportRequest, after first: TransportRequest,
        changed: [String]
    ) -> Download {
        let finalURL = withoutCredentials(url)
        return Download(
            response: response, finalURL: finalURL,
            steps: steps + [RouteStep(url: finalURL, facts: response.connection)],
            redirectsFreshUntil: freshUntil, isNoStore: isNoStore, firstRequest: first,
            request: request, changed: changed)
    }

    /// A copy of the error with the requested URL.
    func described(_ error: FetchError) -> FetchError {
        let error = error.unstored(if: isNoStore)
        if url == start { return error.about(start) }
        let detail = "\(error.detail) (redirected to \(withoutSecrets(url)))"
        return error.about(start, detail: detail)
    }

    /// The time until which a redirect is fresh.
    ///
    /// A permanent redirect without freshness information is fresh as long as its target. A
    /// temporary one must be requested again (RFC 9110, section 15.4, and RFC 9111, section 4.2.2).
    private static func freshUntil(_ response: TransferResponse) -> Timestamp {
        let fields = response.head.fields
        let saysNothing = fields["Cache-Control"] == nil && fields["Expires"] == nil
        if saysNothing {
            let isPermanent = [301, 308].contains(response.head.status)
            return isPermanent ? .distantFuture : response.responseTime
        }
        return Freshness(
            response.head, requestTime: response.requestTime, responseTime: response.responseTime
        ).freshUntil
    }
}
