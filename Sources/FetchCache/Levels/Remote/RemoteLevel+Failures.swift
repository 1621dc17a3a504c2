import Locks

/// Failures of a store, and the decision to give it up.
extension RemoteLevel {
    /// The number of failed transfers after which the store is not asked any more.
    private static let mostFailures = 3
    /// The number of refusals, without any other answer, after which the store is not asked any
    /// more.
    private static let mostRefusals = 16
    /// The most damaged objects that are remembered; each further one counts as a failure.
    private static let mostDamaged = 256

    var isUsable: Bool { state.withLock { $0.failures < Self.mostFailures } }

    /// Tells the first failure, and gives the store up after several that count.
    ///
    /// Requests that wait for their turn or for an answer end at that moment.
    func fail(_ error: FetchError, counts: Bool = true) {
        if error.code == .cancelled, error.url != url { return }
        let (isFirst, isGivenUp) = state.withLock { state -> (Bool, Bool) in
            let wasUsable = state.failures < Self.mostFailures
            if counts { state.failures += 1 }
            // A store that has never answered would take the same time again.
            if counts, error.code == .timedOut, !state.hasAnswered {
                state.failures = max(state.failures, Self.mostFailures)
            }
            defer { state.hasWarned = true }
            return (!state.hasWarned, wasUsable && state.failures >= Self.mostFailures)
        }
        if isFirst { warn(error) }
        // A request may have been allowed a moment ago, and not be under way yet.
        if isGivenUp { downloader.refuseAll() }
    }

    /// Counts a refusal.
    ///
    /// Who may not list a bucket is not told that an object does not exist: S3 refuses to say it.
    func refuse() {
        let isRefused = state.withLock { state in
            state.refusals += 1
            if state.hasAnswered || state.refusals < Self.mostRefusals { return false }
            state.failures = max(state.failures, Self.mostFailures - 1)
            return true
        }
        if isRefused { fail(Self.refusal(url)) }
    }

    static func refusal(_ url: String) -> FetchError {
        FetchError(
            .status, url,
            "HTTP 403 (AccessDenied) for all objects; allow s3:GetObject, and s3:ListBucket so that "
                + "an object that does not exist can be told from one that is refused",
            status: 403)
    }

    /// Remembers an object that has wrong bytes, so that the right ones replace it.
    ///
    /// - Returns: Whether they will.
    @discardableResult
    func noteDamaged(_ name: String, _ reason: String) -> Bool {
        let isReplaced = state.withLock { state in
            guard mode != .read, state.damaged.count < Self.mostDamaged else { return false }
            state.damaged.insert(name)
            return true
        }
        // A store that mends must not be given up before it is mended.
        fail(
            FetchError(
                .badResponse, url + name, "\(name) \(reason)", subcode: .damagedObject),
            counts: !isReplaced)
        return isReplaced
    }

    /// Remembers an entry or a variant of a later version, which other machines may need.
    func noteLater(_ name: String) {
        state.withLock { state in
            if state.later.count >= Self.mostEntries { state.later = [] }
            state.later.insert(name)
        }
    }
}
