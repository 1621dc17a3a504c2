/// Reads the three forms of date that RFC 9110, section 5.6.7, knows.
enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The moment that a date tells; nil if the text is no date, as in `Expires: 0`.
    ///
    /// `now` decides the century of a year that is written with two digits.
    static func parse(_ text: String, now: Timestamp = .now) -> Timestamp? {
        if let date = fixed(text) { return date }
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        if words.count == 6, words[4].count == 8 || words[4].contains(":") {
            // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT
            guard words[5] == "GMT" || words[5] == "UTC" else { return nil }
            return timestamp(
                day: words[1], month: words[2], year: words[3], time: words[4], now: now)
        }
        if words.count == 5 {
            // Sun Nov  6 08:49:37 1994
            return timestamp(
                day: words[2], month: words[1], year: words[4], time: words[3], now: now)
        }
        return nil
    }

    /// Reads the one form that servers are to write, `Sun, 06 Nov 1994 08:49:37 GMT`, in its places;
    /// nil if anything is elsewhere.
    private static func fixed(_ text: String) -> Timestamp? {
        text.utf8.withContiguousStorageIfAvailable { bytes -> Timestamp? in
            guard bytes.count == 29, bytes[3] == 0x2C, bytes[26...].elementsEqual("GMT".utf8),
                [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == 0x20 }),
                bytes[19] == 0x3A, bytes[22] == 0x3A
            else { return nil }
            func number(_ range: Range<Int>) -> Int64? {
                bytes[range].reduce(0 as Int64?) { sum, byte in
                    guard let sum, (0x30...0x39).contains(byte) else { return nil }
                    return sum * 10 + Int64(byte - 0x30)
                }
            }
            let name = bytes[8..<11]
            guard let day = number(5..<7), (1...31).contains(day), let year = number(12..<16),
                let hour = number(17..<19), let minute = number(20..<22),
                let second = number(23..<25), hour < 24, minute < 60, second <= 60,
                let month = months.firstIndex(where: { month in
                    name.elementsEqual(month.utf8) { $0 | 0x20 == $1 }
                })
            else { return nil }
            let days = daysSince1970(year: year, month: month + 1, day: day)
            return Timestamp(milliseconds: 0).advanced(
                bySeconds: days * 86_400 + hour * 3_600 + minute * 60 + second)
        } ?? nil
    }

    private static func timestamp(
        day: String, month: String, year: String, time: String, now: Timestamp
    ) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60,
            let day = number(day[...]), (1...31).contains(day),
            let month = months.firstIndex(of: month.lowercased()),
            let year = fullYear(year, now: now)
        else { return nil }
        let days = daysSince1970(year: year, month: month + 1, day: day)
        return Timestamp(milliseconds: 0).advanced(
            bySeconds: days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }

    /// A year of two digits that would be more than 50 years from now belongs to the past.
    private static func fullYear(_ text: String, now: Timestamp) -> Int64? {
        guard let year = number(text[...]) else { return nil }
        if text.count == 4 { return year }
        guard text.count == 2 else { return nil }
        let thisYear = 1970 + now.milliseconds / 31_556_952_000
        let candidate = thisYear / 100 * 100 + year
        return candidate > thisYear + 50 ? candidate - 100 : candidate
    }

    /// Days of the Gregorian calendar; Howard Hinnant's `days_from_civil`.
    private static func daysSince1970(year: Int64, month: Int, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5) + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
