internal import Files
internal import FoundationEssentials
import Glibc

/// A time of the wall clock, in milliseconds since 1970.
struct Timestamp: Comparable, Hashable, Sendable {
    var milliseconds: Int64

    static let distantPast = Timestamp(milliseconds: 0)
    /// A time later than any other that is small enough for arithmetic without overflow.
    static let distantFuture = Timestamp(milliseconds: 1 << 53)

    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp((time.tv_sec, time.tv_nsec))
    }

    /// A time of a clock or of a ``FileStatus``.
    init(_ time: (seconds: Int, nanoseconds: Int)) {
        milliseconds = Int64(time.seconds) * 1000 + Int64(time.nanoseconds) / 1_000_000
    }

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// A later or earlier time, clamped to the representable range.
    func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (span, spanOverflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflows) = milliseconds.addingReportingOverflow(span)
        if spanOverflows || sumOverflows { return seconds < 0 ? .distantPast : .distantFuture }
        return min(max(Timestamp(milliseconds: sum), .distantPast), .distantFuture)
    }

    /// The whole seconds from another time to this one.
    func seconds(since other: Timestamp) -> Int64 {
        let (difference, overflows) = milliseconds.subtractingReportingOverflow(other.milliseconds)
        return overflows ? .max : difference / 1000
    }
}

extension Timestamp {
    /// Converts a date, clamped to the representable range.
    init(_ date: Date) {
        let limits = Double(Self.distantPast.milliseconds)...Double(Self.distantFuture.milliseconds)
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(
            milliseconds: Int64(min(max(milliseconds, limits.lowerBound), limits.upperBound)))
    }
}

extension Duration {
    /// The duration in whole milliseconds; at least 1 if it is not zero.
    var milliseconds: Int64 {
        // Half of the range, so that the sum with a timestamp does not overflow.
        let limit = Duration.milliseconds(Int64.max / 2)
        let (seconds, attoseconds) = min(max(self, .zero - limit), limit).components
        let whole = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return whole == 0 && self > .zero ? 1 : whole
    }

    /// The duration as text, such as `15 s` or `250 ms`.
    var words: String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

/// Milliseconds of a monotonic clock, for timeouts.
///
/// The value can be a few milliseconds late: a coarse clock is used, because every header line
/// reads it.
func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
