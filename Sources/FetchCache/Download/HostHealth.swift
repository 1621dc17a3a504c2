/// Counts consecutive failures of hosts, and blocks requests to hosts that have failed too often.
///
/// This is pure state without side effects. Times are milliseconds of any monotonic clock.
struct HostHealth {
    private struct Host {
        var code: FetchError.Code
        var failures: Int
        /// The time at which the next request may try the host; nil if the host is not given up.
        var nextProbe: Int64?
    }

    /// The maximum number of consecutive failures of one kind; nil for no limit.
    let maximumFailures: Int?
    /// The interval in milliseconds between requests that try a host that was given up.
    let probeInterval: Int64
    private var hosts: [String: Host] = [:]

    init(maximumFailures: Int?, probeInterval: Int64) {
        self.maximumFailures = maximumFailures
        self.probeInterval = probeInterval
    }

    /// Whether no request to a host is allowed now, not even to try it.
    func isGivenUp(_ host: String, now: Int64) -> Bool {
        guard let next = hosts[host]?.nextProbe else { return false }
        return now < next
    }

    /// Whether a request may start.
    ///
    /// If the host was given up, this request is the only one until the next interval has passed.
    mutating func mayBegin(_ host: String, now: Int64) -> Bool {
        if isGivenUp(host, now: now) { return false }
        if hosts[host]?.nextProbe != nil { hosts[host]?.nextProbe = now + probeInterval }
        return true
    }

    /// Records that a host has responded.
    mutating func succeeded(_ host: String) {
        if !hosts.isEmpty { hosts[host] = nil }
    }

    /// Records that a request has failed.
    ///
    /// - Returns: Whether the host is now given up.
    mutating func failed(_ host: String, _ code: FetchError.Code, now: Int64) -> Bool {
        guard let maximumFailures, code.isOfNetwork else { return false }
        var entry = hosts[host] ?? Host(code: code, failures: 0)
        if entry.code != code { entry = Host(code: code, failures: 0, nextProbe: entry.nextProbe) }
        entry.failures += 1
        let isNew = entry.nextProbe == nil && entry.failures >= maximumFailures
        if isNew || entry.nextProbe != nil { entry.nextProbe = now + probeInterval }
        hosts[host] = entry
        return isNew
    }
}
