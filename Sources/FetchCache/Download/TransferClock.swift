/// The times of one transfer, from which it follows when it exceeds a limit.
///
/// This is pure state. Times are milliseconds of any monotonic clock.
struct TransferClock: Sendable {
    let start: Int64
    /// The time of the last received bytes; that of the start if there were none.
    private(set) var lastActivity: Int64
    /// The time from which bytes are counted for the speed; nil before the first byte.
    private var countingSince: Int64?
    private var countedBytes = 0

    init(start: Int64) {
        self.start = start
        lastActivity = start
    }

    /// Whether any byte has arrived.
    var hasBegun: Bool { countingSince != nil }

    /// Records received bytes.
    mutating func receive(_ count: Int, at now: Int64) {
        lastActivity = now
        if countingSince == nil { countingSince = now }
        countedBytes += count
    }

    /// The time at which the transfer exceeds a limit if nothing happens until then, and the
    /// reason.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limits: The limits of all transfers.
    ///   - total: The time limit of this transfer; nil for none.
    ///   - quietSince: The time from which the server may be silent; nil if it is not connected
    ///     yet.
    /// - Returns: A time in the past if a limit is exceeded.
    mutating func deadline(
        now: Int64, _ limits: TimeLimits, total: Int64?, quietSince: Int64?
    ) -> (time: Int64, reason: String) {
        var first = (
            time: (quietSince ?? now) + limits.stall, reason: "no byte for \(limits.stallWords)"
        )
        if let time = speedDeadline(now: now, limits), time < first.time {
            let words = "\((limits.minimumSpeed ?? 0).asBytes)/s over \(limits.speedWords)"
            first = (time, "slower than \(words)")
        }
        if let total, start + total < first.time {
            first = (start + total, "not complete within \(limits.totalWords)")
        }
        return first
    }

    /// The time of the next check of the speed, or a time in the past if the speed was too low.
    private mutating func speedDeadline(now: Int64, _ limits: TimeLimits) -> Int64? {
        guard let speed = limits.minimumSpeed, let since = countingSince else { return nil }
        if now < since + limits.speedTime { return since + limits.speedTime }
        // The complete response may be shorter than that.
        if Double(countedBytes) * 1000 < Double(speed) * Double(now - since) { return now }
        (countingSince, countedBytes) = (now, 0)
        return now + limits.speedTime
    }
}

/// The time limits of a transfer in milliseconds.
struct TimeLimits {
    /// The maximum time to make a connection.
    let connect: Int64
    /// The maximum time without a byte.
    let stall: Int64
    /// The minimum speed in bytes per second, measured over ``speedTime``; nil for none.
    let minimumSpeed: Int?
    let speedTime: Int64
    let stallWords: String
    let speedWords: String
    let totalWords: String

    init(_ configuration: DownloaderConfiguration) {
        connect = configuration.times.connect.milliseconds
        stall = max(1, configuration.times.stall.milliseconds)
        minimumSpeed = configuration.limits.minimumSpeed
        speedTime = max(1, configuration.times.speed.milliseconds)
        stallWords = configuration.times.stall.words
        speedWords = configuration.times.speed.words
        totalWords = configuration.times.total?.words ?? ""
    }
}
