/// The redirects that one download has come by, and whether it may follow another.
struct RedirectChain {
    /// Where the download is now.
    private(set) var url: String
    private let start: String
    private let configuration: FetchConfiguration
    private var seen: Set<String>
    private var freshUntil = Timestamp.distantFuture

    init(_ url: String, _ configuration: FetchConfiguration) {
        self.url = url
        self.configuration = configuration
        start = url
        seen = [url]
    }

    /// Goes on to where a redirect leads.
    mutating func follow(_ response: HopResponse) throws(FetchError) {
        let status = response.head.status
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
                    "a redirect to '\(FetchError.withoutSecrets(location))': \(error.detail)"))
        }
        if url.hasPrefix("https:"), next.hasPrefix("http:"), !configuration.allowsDowngrade {
            throw described(
                FetchError(
                    .forbidden, url,
                    "a redirect from https to http, to \(FetchError.withoutSecrets(next))",
                    subcode: .downgrade))
        }
        let shown = FetchError.withoutSecrets(next)
        guard seen.insert(next).inserted else {
            throw described(FetchError(.redirect, url, "a redirect in a circle, to \(shown)"))
        }
        guard seen.count <= configuration.maximumRedirects + 1 else {
            let most = configuration.maximumRedirects
            var error = described(FetchError(.redirect, url, "more than \(most) redirects"))
            error.isOfLimits = true
            throw error
        }
        freshUntil = min(freshUntil, Self.freshUntil(response))
        url = next
    }

    func download(
        _ response: HopResponse, to request: TransportRequest, changed: [String]
    ) -> Download {
        Download(
            response: response, finalURL: URLText.withoutUser(url),
            redirectsFreshUntil: freshUntil, request: request, changed: changed)
    }

    /// The error as said of the URL that was asked for.
    func described(_ error: FetchError) -> FetchError {
        var error = error
        error.askedURLs = seen
        if url == start { return error.about(start) }
        let detail = "\(error.detail) (redirected to \(FetchError.withoutSecrets(url)))"
        return error.about(start, detail: detail)
    }

    /// A permanent redirect that says nothing of its freshness holds as long as what it leads to;
    /// a temporary one must be asked again (RFC 9110, section 15.4, and RFC 9111, section 4.2.2).
    private static func freshUntil(_ response: HopResponse) -> Timestamp {
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
