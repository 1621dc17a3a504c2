/// Which hosts have failed so often in a row that nothing more is asked of them for a while.
///
/// Does nothing itself. Times are milliseconds of any one clock.
struct HostHealth {
    private struct Host {
        var code: FetchError.Code
        var failures: Int
        /// When the next request may try the host; nil while it is not given up.
        var nextProbe: Int64?
    }

    /// How many failures of one kind in a row are borne; nil for any number.
    let maximumFailures: Int?
    /// Milliseconds between two requests to a host that was given up.
    let probeInterval: Int64
    private var hosts: [String: Host] = [:]

    init(maximumFailures: Int?, probeInterval: Int64) {
        self.maximumFailures = maximumFailures
        self.probeInterval = probeInterval
    }

    /// Whether nothing may be asked of a host now, not even as a trial.
    func isGivenUp(_ host: String, now: Int64) -> Bool {
        guard let next = hosts[host]?.nextProbe else { return false }
        return now < next
    }

    /// Whether a request may begin; one that begins at a host that was given up is the only one until
    /// the next trial.
    mutating func mayBegin(_ host: String, now: Int64) -> Bool {
        if isGivenUp(host, now: now) { return false }
        if hosts[host]?.nextProbe != nil { hosts[host]?.nextProbe = now + probeInterval }
        return true
    }

    /// Notes that a host has answered.
    mutating func succeeded(_ host: String) {
        if !hosts.isEmpty { hosts[host] = nil }
    }

    /// Notes that a request has failed.
    ///
    /// - Returns: Whether the host is given up because of it.
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

extension FetchError.Code {
    /// Whether the host could not be reached, or did not answer to the end.
    var isOfNetwork: Bool {
        switch value {
        case .unresolved, .unreachable, .timedOut, .tls, .interrupted: true
        default: false
        }
    }
}
