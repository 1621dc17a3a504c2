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
