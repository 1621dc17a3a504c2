internal import Files
internal import Secrets
internal import SystemPackage

/// Builds requests with fields, credential, certificate and proxy, or rejects forbidden URLs.
struct RequestBuilder: Sendable {
    let configuration: DownloaderConfiguration
    let hosts: HostTable
    let proxies: ProxyChoice
    /// A hash of the additional certificate authorities; nil if there are none.
    let authorities: String?
    /// A hash of all configured credentials: whether access is denied depends on them.
    let credentialHash: String
    /// Whether the configuration has credentials for any request.
    let mayHaveCredentials: Bool

    init(_ configuration: DownloaderConfiguration) {
        self.configuration = configuration
        hosts = HostTable(configuration)
        proxies = ProxyChoice(configuration.network.proxy)
        credentialHash = Self.credentialHash(of: configuration)
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

    /// Whether a closure of the caller changes the fields of requests, and may take long.
    var isWaiting: Bool { configuration.headersFilter != nil }

    private static func credentialHash(of configuration: DownloaderConfiguration) -> String {
        var parts = configuration.hosts.sorted { $0.key < $1.key }.map { name, options in
            let credential =
                switch options.credential {
                case .basic(let user, let password): "basic \(user):\(password)"
                case .bearer(let token): "bearer \(token)"
                case nil: ""
                }
            let certificate = options.clientCertificate?.file.string ?? ""
            return [name, credential, certificate, options.headerFields.text].joined(
                separator: "\n")
        }
        if let file = configuration.netrcFile?.string {
            let bytes = try? readFile(file, ofAnyKind: true).bytes
            parts.append(String(decoding: bytes ?? [], as: UTF8.self))
        }
        return String(parts.joined(separator: "\n\n").sha256.prefix(16))
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
    /// - Throws: ``FetchError/Code/forbidden``, about `url`; the error of the headers filter.
    func request(
        for url: String, of target: LoadTarget,
        adding conditions: [(name: String, value: String)] = []
    ) async throws(FetchError) -> (transport: TransportRequest, authority: String) {
        let parts = url == target.url ? target.origin : try URLText.parts(of: url)
        if let refusal = refusal(of: url, parts) { throw refusal }
        if let mayDownload = configuration.network.mayDownload {
            // The closure may take long, or load something itself.
            target.request.turn?.end()
            guard await mayDownload(withoutCredentials(url)) else {
                throw FetchError(.forbidden, url, "the policy does not allow it")
            }
        }
        let transport = try await request(for: url, parts, of: target, adding: conditions)
        return (transport, parts.authority)
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
    ) async throws(FetchError) -> TransportRequest {
        let host = hosts.options(for: parts)
        var request = TransportRequest(url: url, method: target.request.method)
        // Another origin gets no field of the caller that may tell who asks.
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
            // The closure may take long, or load something itself.
            target.request.turn?.end()
            let fields = request.fields
            do {
                request.headerFields = HeaderFields(
                    try await filter(withoutCredentials(url), fields))
            } catch let error as CancellationError {
                throw FetchError(error, url)
            } catch {
                // An error of another load says nothing about this URL.
                throw FetchError(.custom, url, (error as? FetchError)?.detail ?? "\(error)")
            }
        }
        // The user in the URL, or a field of the caller, is the credential.
        let isKnown = URLText.user(of: url) != nil || request.headerFields["Authorization"] != nil
        request.credential = isKnown ? nil : host.credential
        request.allowsInvalidCertificate = host.allowsInvalidCertificate ?? false
        request.clientCertificate = host.clientCertificate
        request.proxy = proxies.proxy(for: parts)
        request.times = configuration.times(of: target.request)
        request.priority = target.request.priority
        return request
    }
}

/// Distinguishes the responses of one key: by the fields that their Vary names (RFC 9111, section
/// 4.1), and by the user of the request (section 3.5).
extension RequestBuilder {
    /// The properties that a later request must share with this one to get the same response.
    ///
    /// The text is a hash of the fields that Vary names: `?` if the value of one of them is not
    /// known, and empty if there are none. A hash of the credentials follows, unless the response
    /// is for all users.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - control: The directives of the response.
    ///   - request: The request that led to the response, after all redirects.
    ///   - first: The first request.
    /// - Returns: The text that is stored in addition to the key.
    func selector(
        _ fields: HeaderFields, _ control: CacheControl, to request: TransportRequest,
        after first: TransportRequest
    ) -> String {
        let credentials = Self.isForAll(control) ? nil : credentialHash(of: request, first)
        let names = variedNames(fields)
        if names.isEmpty, credentials == nil { return "" }
        return varyHash(names, of: request) + (credentials.map { Self.mark + $0 } ?? "")
    }

    private static let mark = " auth:"

    private static func isForAll(_ control: CacheControl) -> Bool {
        !control.isPrivate
            && (control.isPublic || control.mustRevalidate || control.hasSharedMaxAge)
    }

    /// Whether a stored response matches this target's request.
    ///
    /// If a closure of the caller fails, none does.
    func matches(_ entry: Entry, _ target: LoadTarget) async -> Bool {
        if entry.response.vary.isEmpty, !mayHaveCredentials(target) { return true }
        guard let parts = try? URLText.parts(of: entry.finalURL) else { return false }
        let (own, url) = (target.url, entry.finalURL)
        let isOwn = url == target.plainURL
        guard
            let request = try? await request(for: isOwn ? own : url, parts, of: target),
            let first = isOwn
                ? request : try? await self.request(for: own, target.origin, of: target)
        else { return false }
        return matches(entry, request, after: first)
    }

    /// Whether a stored response is one to a request with the fields of this one.
    func matches(
        _ entry: Entry, _ request: TransportRequest, after first: TransportRequest
    ) -> Bool {
        let selector = entry.response.vary
        let mark = selector.firstRange(of: Self.mark)
        let credentials = mark.map { String(selector[$0.upperBound...]) }
        guard
            credentials == credentialHash(of: request, first)
                || credentials == nil && Self.isForAll(CacheControl(entry.fields))
        else { return false }
        let hash = selector[..<(mark?.lowerBound ?? selector.endIndex)]
        if hash.isEmpty { return true }
        if hash == "?" { return false }
        return varyHash(variedNames(entry.fields), of: request) == hash
    }

    private func mayHaveCredentials(_ target: LoadTarget) -> Bool {
        mayHaveCredentials || !target.request.headerFields.isEmpty || target.url.utf8.contains(0x40)
    }

    private func variedNames(_ fields: HeaderFields) -> [String] {
        Set(fields.values(for: "Vary").flatMap(FieldList.members).map { $0.lowercased() }).sorted()
    }

    private func varyHash(_ names: [String], of request: TransportRequest) -> String {
        if names.isEmpty { return "" }
        // The values of fields that libcurl adds itself are not known. Such a response is
        // revalidated each time.
        let isUnknown =
            names.contains("cookie") && configuration.keepsCookies
            || names.contains("authorization") && configuration.netrcFile != nil
        if isUnknown { return "?" }
        let lines = names.map { name in
            if name == "authorization" { return "\(name):\(credentials(of: request) ?? "")" }
            // Whitespace around commas, the number of lines and the case of a language are not
            // significant (RFC 5646, section 2.1.1).
            let members = request.headerFields.values(for: name).flatMap(FieldList.members)
            let value = members.joined(separator: ",")
            return "\(name):\(name == "accept-language" ? value.lowercased() : value)"
        }
        return String(lines.joined(separator: "\n").sha256.prefix(32))
    }

    /// A hash of the credentials that are sent for a target, at its own URL and at the targets of
    /// redirects; nil if there are none.
    private func credentialHash(
        of request: TransportRequest, _ first: TransportRequest
    ) -> String? {
        let all = Set([credentials(of: request), credentials(of: first)])
        let some = all.compactMap(\.self).sorted()
        return some.isEmpty ? nil : String(some.joined(separator: "\n").sha256.prefix(32))
    }

    private func credentials(of request: TransportRequest) -> String? {
        if let value = request.headerFields["Authorization"] { return value }
        switch request.credential {
        case .basic(let user, let password): return "\(user):\(password)"
        case .bearer(let token): return token
        case nil: return URLText.user(of: request.url) ?? configuration.netrcFile?.string
        }
    }
}
