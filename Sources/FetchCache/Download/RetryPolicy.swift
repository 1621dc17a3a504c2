/// Decides whether and when to retry a failed download.
///
/// The policy only computes the delay; the caller waits.
struct RetryPolicy: Sendable {
    var maximumRetries: Int
    /// The delay before the first retry in milliseconds; it doubles with each further one.
    var baseDelay: Int64
    /// The longest Retry-After to wait for, in milliseconds.
    var maximumRetryAfter: Int64

    /// The maximum delay of this policy's own, in milliseconds.
    static let longestDelay: Int64 = 30_000
    /// The total time in milliseconds after which no retry starts.
    ///
    /// It avoids four attempts at a server with which each attempt times out.
    static let patience: Int64 = 30_000

    init(_ configuration: DownloaderConfiguration) {
        maximumRetries = configuration.limits.retries
        baseDelay = configuration.times.retryDelay.milliseconds
        maximumRetryAfter = configuration.times.longestRetryAfter.milliseconds
    }

    /// The longest total of this policy's own delays before all retries, in milliseconds.
    var longestTotalDelay: Int64 {
        (0..<max(0, maximumRetries)).reduce(0) { min(Self.patience, $0 + longestDelay($1)) }
    }

    private func longestDelay(_ retry: Int) -> Int64 {
        min(baseDelay << min(retry, 20), Self.longestDelay)
    }

    /// The milliseconds to wait before the next attempt; nil to give up.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - attempts: The number of attempts so far, at least 1.
    ///   - spent: Milliseconds of transfers and of this policy's own delays. The time in the queue
    ///     and waits that the server requested are not included.
    ///   - random: A number from 0 to 1 that spreads retries of simultaneous failures.
    /// - Returns: At least the time that the server requested, and at least half of this policy's
    ///   own delay.
    func delay(
        after error: FetchError, attempts: Int, spent: Int64, random: Double
    ) -> Int64? {
        guard error.isTransient, !error.isOfGivenUpHost, attempts <= maximumRetries,
            spent <= Self.patience
        else { return nil }
        let own = longestDelay(attempts - 1)
        let spread = own / 2 + Int64(Double(own) / 2 * random)
        guard let asked = error.retryAfter?.milliseconds else { return spread }
        return asked > maximumRetryAfter ? nil : asked + spread / 4
    }

    /// The wait of a Retry-After field: a number of seconds or a date.
    static func retryAfter(_ fields: HeaderFields, now: Timestamp) -> Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        if FieldList.isNumber(text) {
            return .seconds(min(Int64(text) ?? .max, 1 << 32))
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return .milliseconds(max(0, date.milliseconds - now.milliseconds))
    }
}
