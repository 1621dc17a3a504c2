internal import Files
internal import Secrets
internal import SystemPackage

/// Builds requests with fields, credential, certificate and proxy, or rejects forbidden URLs.
struct RequestBuilder: Sendable {
    let configuration: DownloaderConfiguration
    let hosts: HostTable
    let proxies: ProxyChoice
    let netrc: Netrc?
    /// A hash of the additional certificate authorities; nil if there are none.
    let authorities: String?
    /// Whether the configuration has credentials for any request.
    let mayHaveCredentials: Bool

    init(_ configuration: DownloaderConfiguration) {
        self.configuration = configuration
        hosts = HostTable(configuration)
        proxies = ProxyChoice(configuration.network.proxy)
        netrc = configuration.netrcFile.flatMap { Netrc(fileAt: $0.string) }
        authorities = configuration.network.certificateAuthorityFile.flatMap { file in
            let bytes = try? readFile(file.string, ofAnyKind: true).bytes
            return bytes.map { String(BlobDigest(hashing: $0).hex.prefix(16)) }
        }
        mayHaveCredentials =
            configuration.netrcFile != nil || configuration.headersFilter != nil
            || configuration.hosts.values.contains {
                $0.credential != nil || $0.headerFields["Authorization"] != nil
            }
    }

    /// The request fields that are also sent to other hosts.
    private static let travelling: Set<String> = [
        "accept", "accept-language", "content-type", "user-agent",
    ]

    /// The request for one URL of a target, and the authority under which its transfer is counted.
    ///
    /// - Parameters:
    ///   - url: The URL to request.
    ///   - target: The requested target.
    ///   - conditions: Additional fields.
    /// - Returns: The request, and the host and port.
    /// - Throws: ``FetchError/Code/forbidden``, about `url`.
    func request(
        for url: String, of target: LoadTarget,
        adding conditions: [(name: String, value: String)] = []
    ) throws(FetchError) -> (transport: TransportRequest, authority: String) {
        let parts = url == target.url ? target.origin : try URLText.parts(of: url)
        if let refusal = refusal(of: url, parts) { throw refusal }
        if configuration.network.mayDownload?(withoutCredentials(url)) == false {
            throw FetchError(.forbidden, url, "the policy does not allow it")
        }
        return (request(for: url, parts, of: target, adding: conditions), parts.authority)
    }

    /// The reason why a URL must not be requested, nor a stored response to it be used; nil if it
    /// may.
    func refusal(of url: String, _ parts: URLText.Parts) -> FetchError? {
        if let refusal = hosts.refusal(of: parts) {
            return FetchError(.forbidden, url, refusal, subcode: .deniedHost)
        }
        if let reason = hosts.options(for: parts).missingCredential {
            return FetchError(.forbidden, url, reason, subcode: .missingCredential)
        }
        guard !configuration.network.allowsPrivateNetwork, let address = parts.address,
            let kind = address.specialKind
        else { return nil }
        return FetchError(
            .forbidden, url,
            "\(parts.isLocalhost ? parts.host : "\(address)") is a \(kind) address, and the private network is not allowed",
            subcode: .privateAddress)
    }

    /// Adds how the server of a request was authenticated.
    func addTrust(in request: TransportRequest, to facts: inout ConnectionFacts) {
        guard request.url.hasPrefix("https:") else { return }
        facts.isUnverified = request.allowsInvalidCertificate
        facts.authorities = request.allowsInvalidCertificate ? nil : authorities
    }

    func request(
        for url: String, _ parts: URLText.Parts, of target: LoadTarget,
        adding conditions: [(name: String, value: String)] = []
    ) -> TransportRequest {
        let host = hosts.options(for: parts)
        var request = TransportRequest(url: url, method: target.request.method)
        let own =
            parts == target.origin
            ? target.request.headerFields : target.request.headerFields.only(Self.travelling)
        let accepted = target.request.acceptsAnyContent ? "*/*" : "image/*,*/*;q=0.5"
        var fields = HeaderFields([
            ("Accept", accepted), ("Accept-Encoding", "identity"),
            ("User-Agent", configuration.userAgent),
        ])
        fields = fields.replacing(with: host.headerFields)
        request.headerFields = fields.replacing(with: own)
        request.body = target.request.body
        if request.body == nil {
            request.headerFields.removeAll(named: "Content-Type")
        } else if request.headerFields["Content-Type"] == nil {
            request.headerFields.append(
                name: "Content-Type", value: "application/x-www-form-urlencoded")
        }
        request.headerFields.add(conditions)
        if let filter = configuration.headersFilter {
            request.headerFields = HeaderFields(
                filter(withoutCredentials(url), request.fields))
        }
        // The user in the URL, or a field of the caller, is the credential.
        let isKnown = URLText.user(of: url) != nil || request.headerFields["Authorization"] != nil
        request.credential = isKnown ? nil : host.credential
        request.allowsInvalidCertificate = host.allowsInvalidCertificate ?? false
        request.clientCertificate = host.clientCertificate
        request.proxy = proxies.proxy(for: parts)
        request.priority = target.request.priority
        return request
    }
}
