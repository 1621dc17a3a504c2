internal import Files
internal import FoundationEssentials

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
func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Parses the three date formats of RFC 9110, section 5.6.7, and no others.
///
/// Letters are case-insensitive, as RFC 9111, section 4.2, requires of caches. Everything else must
/// match the grammar exactly: a date in another time zone, with an additional space or with a
/// two-digit year in the wrong format is invalid.
enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let days = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    /// The forms after the name of the day: capital letters stand for digits, `BBB` for a month, and
    /// `_` for a digit or a blank.
    private static let (fixed, rfc850, ascTime) = (
        ", DD BBB YYYY HH:MM:SS gmt", ", DD-BBB-YY HH:MM:SS gmt", " BBB _D HH:MM:SS YYYY"
    )

    /// Parses a date; nil if the text is not a date, as in `Expires: 0`.
    ///
    /// `now` determines the century of a two-digit year.
    static func parse(_ text: String, now: Timestamp = .now) -> Timestamp? {
        let text = text.utf8.map(HeaderFields.lowered)
        for form in [fixed, rfc850, ascTime] {
            let names = form == rfc850 ? days : days.map { String($0.prefix(3)) }
            guard let name = names.first(where: { text.starts(with: $0.utf8) }) else { continue }
            let rest = text.dropFirst(name.utf8.count)
            if let time = parse(rest, as: form, now: now) { return time }
        }
        return nil
    }

    private static func parse(
        _ text: ArraySlice<UInt8>, as form: String, now: Timestamp
    ) -> Timestamp? {
        guard text.count == form.utf8.count else { return nil }
        var month: [UInt8] = []
        var numbers: [UInt8: Int64] = [:]
        for (byte, slot) in zip(text, form.utf8) {
            switch slot {
            case UInt8(ascii: "B"): month.append(byte)
            case UInt8(ascii: "_") where byte == UInt8(ascii: " "): continue
            case UInt8(ascii: "_"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                guard (0x30...0x39).contains(byte) else { return nil }
                numbers[slot, default: 0] = numbers[slot, default: 0] * 10 + Int64(byte - 0x30)
            default: if byte != slot { return nil }
            }
        }
        func number(_ slot: Unicode.Scalar) -> Int64 { numbers[UInt8(ascii: slot)] ?? 0 }
        let (day, year) = (number("_") * 10 + number("D"), number("Y"))
        guard let month = months.firstIndex(where: { $0.utf8.elementsEqual(month) }),
            (1...31).contains(day), number("H") < 24, number("M") < 60, number("S") <= 60
        else { return nil }
        var time = tm()
        time.tm_year = Int32(form == rfc850 ? fullYear(year, now: now) : year) - 1900
        (time.tm_mon, time.tm_mday) = (Int32(month), Int32(day))
        let seconds = number("H") * 3_600 + number("M") * 60 + number("S")
        return Timestamp(milliseconds: 0).advanced(bySeconds: Int64(timegm(&time)) + seconds)
    }

    /// The full year of a two-digit year: the one nearest to now.
    ///
    /// A year more than 50 years in the future is in the past century.
    private static func fullYear(_ year: Int64, now: Timestamp) -> Int64 {
        let thisYear = 1970 + now.milliseconds / 31_556_952_000
        let candidate = thisYear / 100 * 100 + year
        if candidate > thisYear + 50 { return candidate - 100 }
        return candidate <= thisYear - 50 ? candidate + 100 : candidate
    }
}
