/// When a failed download is tried again.
///
/// Decides only; whoever asks does the waiting.
struct RetryPolicy: Sendable {
    var maximumRetries: Int
    /// Milliseconds before the first retry, doubled with each further one.
    var baseDelay: Int64
    /// The longest wait, in milliseconds, that a server may ask for.
    var maximumRetryAfter: Int64

    /// The longest wait of this policy's own, in milliseconds.
    static let longestDelay: Int64 = 30_000
    /// Milliseconds of trying after which no retry begins: a server that takes the whole of each
    /// time-out is not asked four times.
    static let patience: Int64 = 30_000

    init(_ configuration: FetchConfiguration) {
        maximumRetries = configuration.maximumRetries
        baseDelay = configuration.retryDelay.milliseconds
        maximumRetryAfter = configuration.maximumRetryAfter.milliseconds
    }

    /// Milliseconds to wait before the next attempt; nil to give up.
    ///
    /// - Parameters:
    ///   - error: What the last attempt failed with.
    ///   - attempts: How many attempts there were, at least 1.
    ///   - spent: Milliseconds of transfers and of waits of this policy's own; the time in the queue and
    ///     waits that the server asked for are left out.
    ///   - random: From 0 to 1: spreads those who failed together.
    /// - Returns: At least what the server asked for. Of the delay of this policy's own, at least
    ///   half.
    func delay(
        after error: FetchError, attempts: Int, spent: Int64, random: Double
    ) -> Int64? {
        guard error.isTransient, error.code != .tls, !error.isOfHost, attempts <= maximumRetries,
            spent <= Self.patience, ![501, 505].contains(error.status)
        else { return nil }
        let doubled = baseDelay << min(attempts - 1, 20)
        let own = min(doubled, Self.longestDelay)
        let spread = own / 2 + Int64(Double(own) / 2 * random)
        guard let asked = error.retryAfter?.milliseconds else { return spread }
        return asked > maximumRetryAfter ? nil : asked + spread / 4
    }

    /// What a Retry-After field asks for: a number of seconds or a date.
    static func retryAfter(_ fields: HeaderFields, now: Timestamp) -> Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 1 << 32)) }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return .milliseconds(max(0, date.milliseconds - now.milliseconds))
    }
}
