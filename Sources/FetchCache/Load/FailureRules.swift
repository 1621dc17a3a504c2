/// What a failure means for later requests: functions of the failure and the request.
struct FailureRules: Sendable {
    private let configuration: FetchConfiguration

    init(_ configuration: FetchConfiguration) { self.configuration = configuration }

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
    func isCurrent(_ stored: StoredFailure, _ builder: RequestBuilder) -> Bool {
        let error = stored.failure.error
        if error.code == .refused, stored.bodyCheck != configuration.bodyCheckName { return false }
        if let age = error.age, age > lifetime(of: error) { return false }
        return ![401, 403].contains(error.status) || builder.isUnchanged(stored.credentials)
    }

    /// The time for which a failure is remembered; nil if it is not.
    func lifetime(of error: FetchError, for target: LoadTarget) -> Duration? {
        let lifetime = lifetime(of: error)
        guard error.isPermanent || bodyCheck(of: error) != nil, lifetime > .zero,
            !target.request.acceptsAnyStatus, !error.isNoStore, !target.control.noStore
        else { return nil }
        return lifetime
    }

    /// The name of the check that refused the body; nil for another failure.
    func bodyCheck(of error: FetchError) -> String? {
        error.code == .refused ? configuration.bodyCheckName : nil
    }

    /// Whether a stale response may be used because of an error.
    func allowsStale(_ match: StoredMatch, after error: FetchError, at now: Timestamp) -> Bool {
        guard error.isOfServer, match.verdict.isUsable else { return false }
        switch configuration.staleOnError {
        case .always: return true
        case .rfc:
            // A 4xx status is a valid response of the server. Only a 5xx counts as no response (RFC
            // 9111, section 4.3.3).
            let isAnswer = error.status.map { $0 < 500 } ?? false
            return !isAnswer && match.mayBeUsedOnError(at: now)
        }
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
        configuration.onGone == .keep && target.request.method == .get
            && !target.request.acceptsAnyStatus && target.range == nil && target.conditions == nil
            && !target.control.noStore
    }

    private func lifetime(of error: FetchError) -> Duration {
        configuration.failureLifetime * (error.status == 410 ? 24 : 1)
    }
}
