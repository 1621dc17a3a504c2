/// Makes requests of URLs: fields, credential, certificate, proxy; or finds that they may not be
/// made.
struct RequestBuilder: Sendable {
    let configuration: FetchConfiguration
    let hosts: HostTable
    let proxies: ProxyChoice

    init(_ configuration: FetchConfiguration) {
        self.configuration = configuration
        hosts = HostTable(configuration)
        proxies = ProxyChoice(configuration.proxy)
    }

    /// The fields of a request that go with it to other hosts.
    private static let travelling: Set<String> = ["accept", "accept-language", "user-agent"]

    /// The request for one URL on the way of a target, and what its transfer is counted under.
    ///
    /// - Throws: ``FetchError/Code/forbidden``, about `url`.
    func request(
        for url: String, of target: Target
    ) throws(FetchError) -> (transport: TransportRequest, authority: String) {
        let parts = url == target.url ? target.origin : try URLText.parts(of: url)
        if let refusal = refusal(of: url, parts) { throw FetchError(.forbidden, url, refusal) }
        return (request(for: url, parts, of: target), parts.authority)
    }

    private func refusal(of url: String, _ parts: URLText.Parts) -> String? {
        if let refusal = hosts.refusal(of: parts) { return refusal }
        if configuration.mayDownload?(URLText.withoutUser(url)) == false {
            return "the policy does not allow it"
        }
        guard !configuration.allowsPrivateNetwork, let address = IPAddress(parts.host),
            let kind = address.specialKind
        else { return nil }
        return "\(address) is a \(kind) address, and the private network is not allowed"
    }

    private func request(
        for url: String, _ parts: URLText.Parts, of target: Target
    ) -> TransportRequest {
        let host = hosts.options(for: parts)
        var request = TransportRequest(url: url, method: target.request.method)
        let own =
            parts == target.origin
            ? target.request.headers : target.request.headers.only(Self.travelling)
        let accepted = target.request.acceptsAnyContent ? "*/*" : "image/*,*/*;q=0.5"
        var fields = HeaderFields([
            ("Accept", accepted), ("User-Agent", configuration.userAgent),
        ])
        fields = fields.replacing(with: host.headers)
        if let filter = configuration.headersFilter {
            fields = fields.replacing(with: filter(URLText.withoutUser(url)))
        }
        request.fields = fields.replacing(with: own)
        // A user in the URL, or a field of the caller's, says who is asking.
        let isKnown = URLText.user(of: url) != nil || request.fields["Authorization"] != nil
        request.credential = isKnown ? nil : host.credential
        request.allowsInvalidCertificate = host.allowsInvalidCertificate
        request.proxy = proxies.proxy(for: parts)
        request.priority = target.request.priority
        return request
    }

    /// A hash of the fields that an answer depends on by its Vary field (RFC 9111, section 4.1);
    /// empty if it depends on none.
    func varyHash(_ answer: HeaderFields, to request: TransportRequest) -> String {
        let names = answer.values(for: "Vary").flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed.lowercased() }
        if names.isEmpty { return "" }
        // What libcurl sends of its own accord is not known here: such an answer is asked for each time.
        let isUnknown =
            names.contains("cookie") && configuration.keepsCookies
            || names.contains("authorization") && configuration.netrcFile != nil
        if isUnknown { return "?" }
        let lines = Set(names).sorted().map { name in
            var values = request.fields.values(for: name)
            if name == "authorization" {
                switch request.credential {
                case .basic(let user, let password): values.append("\(user):\(password)")
                case .bearer(let token): values.append(token)
                case nil: break
                }
            }
            return "\(name):\(values.joined(separator: ","))"
        }
        return String(lines.joined(separator: "\n").sha256.prefix(32))
    }

    /// Whether a stored answer is one to this target's request, as far as its Vary field tells.
    func matches(_ entry: Entry, _ target: Target) -> Bool {
        if entry.response.vary.isEmpty { return true }
        if entry.response.vary == "?" { return false }
        guard let parts = try? URLText.parts(of: entry.finalURL) else { return false }
        let request = request(for: entry.finalURL, parts, of: target)
        return varyHash(entry.fields, to: request) == entry.response.vary
    }
}
