internal import Files
internal import Secrets

/// Decides whether a stored response may be used with the present limits and policies.
///
/// They may be stricter than those with which the response was stored, perhaps by another program.
/// The decision depends on the index alone, and needs no request. Only a ``BodyCheck`` that the
/// response has not passed yet reads the blob.
struct UsePolicy: Sendable {
    /// The decision on a stored response.
    enum Verdict: Sendable {
        case usable
        /// The response must not be used.
        ///
        /// A new request for the same resource would be refused too, unless the resource or its
        /// redirects have changed.
        case refused(FetchError)
        /// The connection that the response came from would not be made now, but a new connection
        /// may be allowed: nothing of the response is used, and it is requested again.
        ///
        /// The error is for the case that no request is allowed.
        ///
        /// That includes the validators: a server that an attacker controls could otherwise confirm
        /// bytes that came from the private network.
        case mustAsk(FetchError)

        var isUsable: Bool { if case .usable = self { true } else { false } }
    }

    let builder: RequestBuilder

    private var configuration: DownloaderConfiguration { builder.configuration }

    /// The reason why a target must not be requested, nor a response to it be used; nil if it may.
    func refusal(of target: LoadTarget) -> FetchError? {
        builder.refusal(of: target.url, target.origin)
            .map { $0.about(target.plainURL) }
    }

    /// The decision on a stored response to a target's request.
    func verdict(on entry: Entry, for target: LoadTarget) -> Verdict {
        if let refusal = refusal(of: target) { return .refused(refusal) }
        let most = target.request.bodyLimit ?? configuration.limits.bodyBytes
        if entry.byteCount > most {
            return .refused(
                FetchError(
                    .tooLarge, target.plainURL,
                    "\(entry.byteCount.asBytes) are more than the limit of \(most.asBytes)",
                    status: entry.response.status))
        }
        let isDirect = entry.url == entry.finalURL && entry.url == target.plainURL
        if isDirect, entry.route == .direct { return .usable }
        return verdict(on: entry.steps, for: target)
    }

    private func verdict(on steps: [RouteStep], for target: LoadTarget) -> Verdict {
        let most = configuration.limits.redirects
        if steps.count - 1 > most {
            var error = FetchError(.redirect, target.plainURL, "more than \(most) redirects")
            error.isOfLimits = true
            return .refused(error)
        }
        var verdict = Verdict.usable
        var last: RouteStep?
        for step in steps {
            defer { last = step }
            guard let parts = try? URLText.parts(of: step.url) else {
                return .mustAsk(FetchError(.offline, target.plainURL, Self.unknown))
            }
            let refusal =
                builder.refusal(of: step.url, parts)
                ?? last.flatMap {
                    RedirectChain.downgrade(from: $0.url, to: step.url, configuration)
                }
            if let refusal { return .refused(described(refusal, step, target)) }
            guard case .usable = verdict, let objection = objection(to: step, parts) else {
                continue
            }
            verdict = .mustAsk(described(objection, step, target))
        }
        return verdict
    }

    private static let unknown =
        "the stored response may come from the private network, and no request is allowed"

    /// The reason why a connection would not be made now; nil if it would.
    private func objection(to step: RouteStep, _ parts: URLText.Parts) -> FetchError? {
        let allowsAnyCertificate =
            parts.scheme != "https" || hosts(parts).allowsInvalidCertificate == true
        if !allowsAnyCertificate, step.facts.isUnverified {
            return FetchError(
                .tls, step.url, "the stored response came from a server with any certificate")
        }
        if !allowsAnyCertificate, let trusted = step.facts.authorities,
            trusted != builder.authorities
        {
            return FetchError(
                .tls, step.url,
                "the stored response came from a server whose certificate authority may not be "
                    + "trusted any more")
        }
        // Another transport, or a proxy, chooses the address itself.
        if configuration.network.allowsPrivateNetwork || configuration.transport != nil
            || builder.proxies.proxy(for: parts) != nil
        {
            return nil
        }
        guard let address = step.facts.address else {
            return FetchError(.offline, step.url, Self.unknown)
        }
        if address == ConnectionFacts.publicAddress { return nil }
        return FetchError(
            .forbidden, step.url,
            "the stored response came from a \(address) address, and the private network is not "
                + "allowed",
            subcode: .privateAddress)
    }

    private func hosts(_ parts: URLText.Parts) -> HostOptions { builder.hosts.options(for: parts) }

    private func described(_ error: FetchError, _ step: RouteStep, _ target: LoadTarget)
        -> FetchError
    {
        if step.url == target.plainURL { return error.about(target.plainURL) }
        return error.about(
            target.plainURL, detail: "\(error.detail) (redirected to \(withoutSecrets(step.url)))")
    }
}

extension UsePolicy {
    /// Decides whether a stored response may be used for a target.
    ///
    /// The ``BodyCheck`` of the request is applied to the first bytes of the blob, unless the check
    /// of the same identity has accepted them before; its identity is then recorded in the entry.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - path: The path of its blob.
    ///   - target: The requested target.
    /// - Returns: The decision.
    func verdict(on entry: inout Entry, at path: String, for target: LoadTarget) -> Verdict {
        let verdict = verdict(on: entry, for: target)
        guard case .usable = verdict, entry.isImage, !target.request.acceptsAnyContent,
            let check = builder.configuration.bodyCheck(of: target.request)
        else { return verdict }
        if check.identity != nil, entry.bodyCheck == check.identity { return verdict }
        let status = entry.response.status
        let beginning = BodyCheck.Beginning(
            url: entry.url, finalURL: entry.finalURL, status: status, fields: entry.fields)
        if let reason = check.refusal(of: beginning, inFileAt: path) {
            return .refused(FetchError(.refused, target.plainURL, reason, status: status))
        }
        if let identity = check.identity { entry.bodyCheck = identity }
        return verdict
    }
}

extension DownloaderConfiguration {
    /// The check of a request: its own, or else that of the configuration.
    func bodyCheck(of request: FetchRequest) -> BodyCheck? { request.bodyCheck ?? bodyCheck }

    /// The times of a request: its own, or else those of the configuration.
    func times(of request: FetchRequest) -> Times { request.times ?? times }
}

extension BodyCheck {
    /// The reason why the check refuses a stored body; nil if it does not.
    ///
    /// A file that cannot be read is not refused: its reader reports it.
    ///
    /// - Parameters:
    ///   - beginning: The response; its bytes are read from the file.
    ///   - path: The path of the file.
    /// - Returns: The reason.
    func refusal(of beginning: Beginning, inFileAt path: String) -> String? {
        var beginning = beginning
        beginning.length = FileStatus(path)?.byteCount
        guard let file = try? OpenFile(reading: path, ofAnyKind: true),
            let bytes = try? file.read(atMost: MediaTypeSniffer.longestPrefix)
        else { return nil }
        beginning.bytes = bytes
        guard case .refused(let reason) = verdict(beginning) else { return nil }
        return reason
    }
}

/// What a configuration forbids; no cache is opened.
package struct RequestPolicy: Sendable {
    private let policy: UsePolicy

    package init(_ configuration: FetchConfiguration) {
        policy = UsePolicy(builder: RequestBuilder(configuration.downloader))
    }

    /// The error of a URL that would not be requested; nil for others.
    package func refusal(of url: String) -> FetchError? {
        do throws(FetchError) {
            return policy.refusal(of: try LoadTarget(FetchRequest(url), keyFilter: nil))
        } catch {
            return error
        }
    }

    /// The hosts with options of which no URL was judged.
    package var unusedHosts: [String] { policy.builder.hosts.unused }
}
