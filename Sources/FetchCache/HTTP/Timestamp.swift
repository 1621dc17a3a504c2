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

    /// Parses a date; nil if the text is not a date, as in `Expires: 0`.
    ///
    /// `now` determines the century of a two-digit year.
    static func parse(_ text: String, now: Timestamp = .now) -> Timestamp? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = Reader(bytes: bytes)
            // Sun, 06 Nov 1994 08:49:37 GMT
            if bytes.count == 29, bytes[3] == UInt8(ascii: ",") { return reader.fixedDate() }
            // Sun Nov  6 08:49:37 1994
            if bytes.count == 24, bytes[3] == UInt8(ascii: " ") { return reader.ascTime() }
            // Sunday, 06-Nov-94 08:49:37 GMT
            return reader.rfc850Date(now: now)
        }
    }

    /// Reads a date from its beginning.
    ///
    /// Any mismatch makes the result nil.
    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var place = 0

        mutating func fixedDate() -> Timestamp? {
            guard dayName(isLong: false), skip(", "), let day = number(2), skip(" "),
                let month = month(), skip(" "), let year = number(4), skip(" "),
                let time = time(), skip(" gmt"), place == bytes.count
            else { return nil }
            return timestamp(year, month, day, time)
        }

        mutating func rfc850Date(now: Timestamp) -> Timestamp? {
            guard dayName(isLong: true), skip(", "), let day = number(2), skip("-"),
                let month = month(), skip("-"), let year = number(2), skip(" "),
                let time = time(), skip(" gmt"), place == bytes.count
            else { return nil }
            return timestamp(fullYear(year, now: now), month, day, time)
        }

        mutating func ascTime() -> Timestamp? {
            guard dayName(isLong: false), skip(" "), let month = month(), skip(" "),
                let day = skip(" ") ? number(1) : number(2), skip(" "),
                let time = time(), skip(" "), let year = number(4), place == bytes.count
            else { return nil }
            return timestamp(year, month, day, time)
        }

        /// Skips a text, which is given in lower case.
        private mutating func skip(_ text: StaticString) -> Bool {
            text.withUTF8Buffer { skip($0) }
        }

        private mutating func skip(_ text: some Collection<UInt8>) -> Bool {
            guard bytes[place...].count >= text.count,
                zip(bytes[place...], text).allSatisfy({ HeaderFields.lowered($0) == $1 })
            else { return false }
            place += text.count
            return true
        }

        private mutating func dayName(isLong: Bool) -> Bool {
            days.contains { skip(isLong ? $0.utf8[...] : $0.utf8.prefix(3)) }
        }

        private mutating func month() -> Int? {
            months.firstIndex { skip($0.utf8) }.map { $0 + 1 }
        }

        private mutating func number(_ digits: Int) -> Int64? {
            guard place + digits <= bytes.count else { return nil }
            var number: Int64 = 0
            for byte in bytes[place..<(place + digits)] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            }
            place += digits
            return number
        }

        /// The time in seconds since midnight.
        private mutating func time() -> Int64? {
            guard let hour = number(2), skip(":"), let minute = number(2), skip(":"),
                let second = number(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3_600 + minute * 60 + second
        }
    }

    private static func timestamp(
        _ year: Int64, _ month: Int, _ day: Int64, _ time: Int64
    ) -> Timestamp? {
        guard (1...31).contains(day) else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Timestamp(milliseconds: 0).advanced(bySeconds: days * 86_400 + time)
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

    /// The number of days in the Gregorian calendar, by Howard Hinnant's `days_from_civil`.
    private static func daysSince1970(year: Int64, month: Int, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        // Years before 1970 are clamped, so this may round up.
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5) + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
