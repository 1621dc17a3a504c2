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

    init(_ configuration: DownloaderConfiguration, _ times: DownloaderConfiguration.Times) {
        maximumRetries = configuration.limits.retries
        baseDelay = times.retryDelay.milliseconds
        maximumRetryAfter = times.longestRetryAfter.milliseconds
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

/// Counts consecutive failures of hosts, and blocks requests to hosts that have failed too often.
///
/// One event can end all transfers of a host, for instance a restart of its server. It counts once: a
/// failure says nothing new if its transfer had begun before the last one. And a host is not given up
/// before the retries of the first failed transfer could tell.
///
/// This is pure state without side effects. Times are milliseconds of any monotonic clock.
struct HostHealth {
    private struct Host {
        /// The last of them.
        var error: FetchError
        var failures: Int
        /// The time of the first of them.
        var start: Int64
        /// ``failureCount`` after the last of them.
        var lastCount = 0
        /// The time at which the next request may try the host; nil if the host is not given up.
        var nextProbe: Int64?
    }

    /// The maximum number of consecutive failures of one kind; nil for no limit.
    let maximumFailures: Int?
    /// The interval in milliseconds between requests that try a host that was given up.
    let probeInterval: Int64
    /// The time in milliseconds that the retries of one download take.
    let retryTime: Int64
    private var hosts: [String: Host] = [:]
    /// The number of counted failures of all hosts.
    private(set) var failureCount = 0

    init(maximumFailures: Int?, probeInterval: Int64, retryTime: Int64) {
        self.maximumFailures = maximumFailures
        self.probeInterval = probeInterval
        self.retryTime = retryTime
    }

    /// The failure of a host to which no request is allowed now, not even to try it; nil for others.
    func refusal(by host: String, now: Int64) -> FetchError? {
        guard let host = hosts[host], let next = host.nextProbe, now < next else { return nil }
        return host.error
    }

    /// Begins a request, unless this returns the reason why it must not start.
    ///
    /// If the host was given up, this request is the only one until the next interval has passed.
    mutating func begin(_ host: String, now: Int64) -> FetchError? {
        if let refusal = refusal(by: host, now: now) { return refusal }
        if hosts[host]?.nextProbe != nil { hosts[host]?.nextProbe = now + probeInterval }
        return nil
    }

    /// Records that a host has responded.
    mutating func succeeded(_ host: String) {
        if !hosts.isEmpty { hosts[host] = nil }
    }

    /// Records that a transfer has failed.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - error: The failure.
    ///   - start: The time at which the transfer began.
    ///   - count: ``failureCount`` at that time.
    ///   - now: The present time.
    /// - Returns: Whether the host is now given up.
    mutating func failed(
        _ host: String, _ error: FetchError, start: Int64, count: Int, now: Int64
    ) -> Bool {
        guard let maximumFailures, error.code.isOfNetwork else { return false }
        // A server that restarts ends transfers, and lets none of them wait until a time limit.
        let isTimeout = error.code == .timedOut
        var entry = hosts[host] ?? Host(error: error, failures: 0, start: 0)
        if entry.failures > 0, entry.lastCount > count, !isTimeout { return false }
        if entry.failures == 0 || entry.error.code != error.code {
            entry = Host(
                error: error, failures: 0, start: isTimeout ? start : now,
                nextProbe: entry.nextProbe)
        }
        failureCount += 1
        entry.failures += 1
        entry.error = error
        entry.lastCount = failureCount
        let isNew =
            entry.nextProbe == nil && entry.failures >= maximumFailures
            && now - entry.start >= retryTime
        if isNew || entry.nextProbe != nil { entry.nextProbe = now + probeInterval }
        hosts[host] = entry
        return isNew
    }
}
