/// Decides whether a load uses a stored response, and what a failure means.
///
/// The decisions are functions of the response or the failure, the request and the time.
struct LoadRules: Sendable {
    /// The use of a stored response that matches a request.
    enum Action: Sendable {
        /// Use it without a request.
        case use
        /// Use it, and revalidate it in the background (RFC 5861, section 3).
        case useAndRevalidate
        /// Send a request.
        case ask
        /// Fail: it must not be used, and a new response would be refused too or must not be
        /// requested.
        case fail(FetchError)
    }

    private let configuration: FetchConfiguration

    init(_ configuration: FetchConfiguration) { self.configuration = configuration }

    // MARK: - Stored responses

    /// Decides how a stored response is used.
    func action(on match: StoredMatch, for target: LoadTarget, at now: Timestamp) -> Action {
        if isFreshEnough(match.entry, for: target, at: now) {
            switch match.verdict {
            case .usable: return .use
            case .refused(let error): return .fail(error)
            case .mustAsk(let error): if target.isOffline { return .fail(error) }
            }
        }
        let mayBeLate =
            target.request.mode == .normal && timeToLive(of: target.request) == nil
            && target.control == RequestControl(HeaderFields())
            && match.verdict.isUsable && !isGone(match.entry, target)
            && now < match.entry.response.backgroundLimit
        return mayBeLate ? .useAndRevalidate : .ask
    }

    /// Whether the age of an entry, and the mode of a request, allow to use it without a request.
    func isFreshEnough(_ entry: Entry, for target: LoadTarget, at now: Timestamp) -> Bool {
        if target.request.mode == .offline { return true }
        if isGone(entry, target) { return false }
        let lifetime = timeToLive(of: target.request)
        guard let freshness = entry.remainingFreshness(at: now, timeToLive: lifetime),
            target.control.isSatisfied(by: entry, freshness: freshness, at: now)
        else { return false }
        switch target.request.mode {
        case .normal, .offline: return true
        case .refresh, .reload: return false
        }
    }

    /// Whether an entry must not be used without a warning.
    func isGone(_ entry: Entry, _ target: LoadTarget) -> Bool {
        entry.gone != nil && (configuration.policy.onGone == .keep || target.isOffline)
    }

    /// The time in milliseconds for which a response counts as fresh, overriding the server; nil to
    /// follow the server.
    func timeToLive(of request: FetchRequest) -> Int64? {
        (request.timeToLive ?? configuration.policy.timeToLive)?.milliseconds
    }

    /// Whether a stale response may be used because of an error.
    func allowsStale(_ match: StoredMatch, after error: FetchError, at now: Timestamp) -> Bool {
        guard error.isOfServer, match.verdict.isUsable else { return false }
        switch configuration.policy.staleOnError {
        case .always: return true
        case .rfc:
            // A 4xx status is a valid response of the server. Only a 5xx counts as no response (RFC
            // 9111, section 4.3.3).
            let isAnswer = error.status.map { $0 < 500 } ?? false
            return !isAnswer && match.mayBeUsedOnError(at: now)
        }
    }

    // MARK: - Failures

    /// Whether a remembered failure prevents a request.
    func prevents(_ failure: RememberedFailure, _ request: FetchRequest) -> Bool {
        let isOfContent = [.notAnImage, .empty, .refused, .rejected].contains(failure.error.code)
        if isOfContent, request.acceptsAnyContent { return false }
        return request.mode == .normal && !request.retryFailed && !request.acceptsAnyStatus
    }

    /// Whether a remembered failure still counts.
    ///
    /// A request that was denied access is tried again with other credentials, and a refused body
    /// with another check. The lifetime of failures may have become shorter since then.
    func isCurrent(
        _ stored: StoredFailure, _ request: FetchRequest, _ builder: RequestBuilder
    ) -> Bool {
        let error = stored.failure.error
        if error.code == .refused,
            stored.bodyCheck != configuration.downloader.bodyCheck(of: request)?.identity
        {
            return false
        }
        if let age = error.age, age > lifetime(of: error) { return false }
        if ![401, 403].contains(error.status) { return true }
        // The credentials of a closure are not known before the request.
        return stored.credentials == builder.credentialHash && !builder.isWaiting
    }

    /// The time for which a failure is remembered; nil if it is not.
    func lifetime(of error: FetchError, for target: LoadTarget) -> Duration? {
        let lifetime = lifetime(of: error)
        guard error.isPermanent || bodyCheck(of: error, target) != nil, lifetime > .zero,
            !target.request.acceptsAnyStatus, target.request.storage != .memory, !error.isNoStore,
            !target.control.noStore
        else { return nil }
        return lifetime
    }

    /// The identity of the check that refused the body; nil for another failure.
    func bodyCheck(of error: FetchError, _ target: LoadTarget) -> String? {
        error.code == .refused
            ? configuration.downloader.bodyCheck(of: target.request)?.identity : nil
    }

    /// Whether the stored response of a target may be kept because of an error: the server no longer
    /// has the resource.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - wasGone: Whether the server had said so before.
    ///   - error: The answer of the server.
    /// - Returns: Whether the configuration and the request allow it.
    func keeps(_ target: LoadTarget, wasGone: Bool, after error: FetchError) -> Bool {
        mayKeep(target) && (error.isOfGoneResource || wasGone && error.isOfServer)
    }

    /// Whether a response to a target may be kept after its server has lost the resource.
    func mayKeep(_ target: LoadTarget) -> Bool {
        configuration.policy.onGone == .keep && target.request.method == .get
            && !target.request.acceptsAnyStatus && target.range == nil && target.conditions == nil
            && !target.control.noStore
    }

    private func lifetime(of error: FetchError) -> Duration {
        configuration.policy.failureLifetime * (error.status == 410 ? 24 : 1)
    }
}
