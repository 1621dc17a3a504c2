/// What to do with a stored response: functions of the response, the request and the time.
struct FreshnessRules: Sendable {
    /// What to do with a stored response that matches a request.
    enum Action: Sendable {
        /// Use it without a request.
        case use
        /// Use it, and revalidate it in the background (RFC 5861, section 3).
        case useAndRevalidate
        /// Send a request.
        case ask
        /// Fail: it must not be used, and a new response would be refused too.
        case fail(FetchError)
    }

    /// The time for which all responses count as fresh; nil to follow the server.
    private let timeToLive: Duration?
    /// Whether a response whose server no longer has the resource is used, with a warning.
    private let keepsGone: Bool

    init(_ configuration: FetchConfiguration) {
        timeToLive = configuration.timeToLive
        keepsGone = configuration.onGone == .keep
    }

    /// What to do with a stored response.
    func action(on match: StoredMatch, for target: LoadTarget, at now: Timestamp) -> Action {
        if isUsable(match.entry, target, at: now) {
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
            && match.entry.mayBeUsedWhileRevalidated(at: now)
        return mayBeLate ? .useAndRevalidate : .ask
    }

    /// Whether the age of an entry, and the mode of a request, allow to use it without a request.
    func isUsable(_ entry: Entry, _ target: LoadTarget, at now: Timestamp) -> Bool {
        if target.request.mode == .offline { return true }
        if isGone(entry, target) { return false }
        let lifetime = timeToLive(of: target.request)
        guard let freshness = entry.remainingFreshness(at: now, timeToLive: lifetime),
            target.control.isSatisfied(by: entry, freshness: freshness, at: now)
        else { return false }
        switch target.request.mode {
        case .normal, .offline: return true
        case .refresh: return entry.isImmutable && freshness > 0
        case .reload: return false
        }
    }

    /// Whether an entry must not be used without a warning.
    func isGone(_ entry: Entry, _ target: LoadTarget) -> Bool {
        entry.gone != nil && (keepsGone || target.isOffline)
    }

    /// The time in milliseconds for which a response counts as fresh, overriding the server; nil to
    /// follow the server.
    func timeToLive(of request: FetchRequest) -> Int64? {
        (request.timeToLive ?? timeToLive)?.milliseconds
    }
}
