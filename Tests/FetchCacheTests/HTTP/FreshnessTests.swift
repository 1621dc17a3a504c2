import Testing

@testable import FetchCache

struct FreshnessTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let now = Timestamp(milliseconds: 784_111_777_000)

    /// The time in seconds for which a response that arrives now is fresh.
    private func freshness(
        _ fields: [(String, String)], status: Int = 200, delay: Int64 = 0
    ) -> Int64 {
        let fields = HeaderFields(fields.map { (name: $0.0, value: $0.1) })
        let freshness = Freshness(
            ResponseHead(status: status, fields: fields),
            requestTime: Self.now.advanced(bySeconds: -delay), responseTime: Self.now)
        return freshness.freshUntil.seconds(since: Self.now)
    }

    @Test(
        arguments: [
            ([("Cache-Control", "max-age=60")], 60),
            ([("cache-control", "Public, MAX-AGE=60")], 60),
            ([("Cache-Control", "max-age=\"60\"")], 60),
            ([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=30")], 30),
            ([("Cache-Control", "max-age=30, max-age=60")], 30),
            ([("Cache-Control", "public"), ("Cache-Control", "max-age=60")], 60),
            ([("Cache-Control", "max-age=60, no-cache")], 0),
            ([("Cache-Control", "max-age=60, no-cache=\"Set-Cookie\"")], 0),
            ([("Cache-Control", "max-age=60, no-store")], 0),
            ([("Cache-Control", "max-age=x")], 0),
            ([("Cache-Control", "max-age=-1")], 0),
            ([("Cache-Control", "max-age")], 0),
            ([("Cache-Control", "s-maxage=60")], 0),
            ([("Cache-Control", "x=\"a, max-age=60\"")], 0),
            ([("Cache-Control", "max-age=60"), ("Expires", "0")], 60),
            ([("Cache-Control", "max-age=60"), ("Pragma", "no-cache")], 60),
            ([("Cache-Control", "max-age=60"), ("Vary", "*")], 0),
            ([("Cache-Control", "max-age=60"), ("Vary", "Accept")], 60),
            ([("Cache-Control", "max-age=60"), ("Vary", "Accept, *")], 0),
            ([("Pragma", "no-cache"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 0),
            ([("Date", date), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60),
            ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60),
            ([("Expires", "Sun, 06 Nov 1994 08:48:37 GMT")], 0),
            ([("Expires", "0")], 0), ([("Expires", "-1")], 0), ([("Expires", "soon")], 0),
            // A tenth of 1,000 s, limited to a day.
            ([("Date", date), ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")], 100),
            ([("Date", date), ("Last-Modified", "Sun, 06 Nov 1983 08:32:57 GMT")], 86_400),
            ([("Date", date), ("Last-Modified", "Sun, 06 Nov 1995 08:32:57 GMT")], 0),
            ([("Date", date), ("ETag", "\"a\"")], 0),
            ([], 0),
            // The time in other caches counts.
            ([("Cache-Control", "max-age=60"), ("Age", "20")], 40),
            ([("Cache-Control", "max-age=60"), ("Age", "70")], -10),
            ([("Cache-Control", "max-age=60"), ("Age", "x")], 60),
            ([("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 08:49:27 GMT")], 50),
            ([("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 09:49:27 GMT")], 60),
            ([("Cache-Control", "max-age=99999999999999999999")], Int64(Int32.max)),
            ([("Cache-Control", "max-age=2147483647"), ("Age", "2147483640")], 7),
            ([("Cache-Control", "max-age=2147483647"), ("Age", "99999999999")], -1),
        ] as [([(String, String)], Int64)])
    func calculatesFreshness(_ fields: [(String, String)], expected: Int64) {
        #expect(freshness(fields) == expected)
    }

    @Test func responseHasOnlyTheDirectivesOfItsServer() {
        func control(_ text: String) -> CacheControl {
            CacheControl(HeaderFields([(name: "Cache-Control", value: text)]))
        }
        func flags(_ control: CacheControl) -> [Bool] {
            [
                control.noCache, control.noStore, control.mustRevalidate, control.isPublic,
                control.isPrivate, control.hasSharedMaxAge,
            ]
        }
        let names = [
            "no-cache", "no-store", "must-revalidate", "public", "private", "s-maxage=1",
        ]
        for (index, name) in names.enumerated() {
            #expect(flags(control(name)) == names.indices.map { $0 == index })
        }
        #expect(control("no-cache").forbidsStale && control("must-revalidate").forbidsStale)
        #expect(!control("public").forbidsStale)
    }

    /// Each of these would be far in the future if it were a valid date (RFC 9111, section 5.3).
    @Test(
        arguments: [
            (["Thu, 18 Aug 2050 02:01:18 GMT"], true), (["THU, 18 AUG 2050 02:01:18 gmt"], true),
            (["Thursday, 18-Aug-30 02:01:18 GMT"], true), (["Thu Aug 18 02:01:18 2050"], true),
            (["Thu Aug  8 02:01:18 2050"], true),
            (["Thu, 18 Aug 2050 02:01:18 UTC"], false), (["Thu, 18 Aug 2050 02:01:18 AEST"], false),
            (["Thu, 18 Aug 2050 02:01:18 +0000"], false), (["Thu, 18 Aug 50 02:01:18 GMT"], false),
            (["Thu 18 Aug 2050 02:01:18 GMT"], false), (["Thu, 18  Aug  2050 02:01:18 GMT"], false),
            (["Thu, 18-Aug-2050 02:01:18 GMT"], false), (["Thu, 18 Aug 2050 02.01.18 GMT"], false),
            (["Thu, 18 Aug 2050 2:01:18 GMT"], false), (["Thu, 8 Aug 2050 02:01:18 GMT"], false),
            (["Xyz, 18 Aug 2050 02:01:18 GMT"], false), (["18 Aug 2050 02:01:18 GMT"], false),
            (["2050-08-18T02:01:18Z"], false), (["Thu, 18 Aug 2050 02:01:18 GMT, x"], false),
            (["Thu, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:19 GMT"], false),
        ])
    func acceptsOnlyValidExpires(_ lines: [String], isFresh: Bool) {
        #expect((freshness(lines.map { ("Expires", $0) }) > 0) == isFresh)
    }

    @Test(
        arguments: [
            (["20"], 40), (["20, 0"], 40), (["0, 20"], 60), (["20", "0"], 40), (["0", "20"], 60),
            (["20;foo=bar"], 40), (["20;foo=111"], 40), (["20 s"], 40), (["20.5"], 60),
            (["19"], 41), (["08"], 52), (["20:1"], 40),
            (["-20"], 60), (["abc"], 60), ([""], 60), (["2147483648"], -784_111_777),
            (["99999999999999999999"], -784_111_777),
        ] as [([String], Int64)])
    func usesFirstAge(_ ages: [String], expected: Int64) {
        let fields = [("Cache-Control", "max-age=60")] + ages.map { ("Age", $0) }
        #expect(freshness(fields) == expected)
    }

    @Test(arguments: [
        (200, true), (201, false), (202, false), (203, true), (204, true), (206, true),
        (300, true), (301, true), (302, false), (307, false), (308, true), (400, false),
        (401, false), (403, false), (404, true), (405, true), (410, true), (414, true),
        (429, false), (500, false), (501, true), (502, false), (503, false), (599, false),
    ])
    func appliesHeuristicToListedStatusesOnly(_ status: Int, isFresh: Bool) {
        let fields = [("Date", Self.date), ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")]
        #expect(freshness(fields, status: status) == (isFresh ? 100 : 0))
        #expect(freshness(fields + [("Cache-Control", "public")], status: status) == 100)
        #expect(freshness(fields + [("Cache-Control", "max-age=7")], status: status) == 7)
    }

    @Test func subtractsResponseDelay() {
        #expect(freshness([("Cache-Control", "max-age=60")], delay: 5) == 55)
        #expect(freshness([("Cache-Control", "max-age=60"), ("Age", "10")], delay: 5) == 45)
        // The clock was set back.
        #expect(freshness([("Cache-Control", "max-age=60")], delay: -5) == 60)
    }

    @Test(
        arguments: [
            ("max-age=60, stale-while-revalidate=30", 90), ("stale-while-revalidate=30", nil),
            ("max-age=60, stale-while-revalidate=30, must-revalidate", nil),
            ("max-age=60, stale-while-revalidate=30, no-cache", nil), ("max-age=60", nil),
        ] as [(String, Int64?)])
    func staleTimeFollowsFreshTime(control: String, expected: Int64?) {
        let head = ResponseHead(
            status: 200, fields: HeaderFields([(name: "Cache-Control", value: control)]))
        let freshness = Freshness(head, requestTime: Self.now, responseTime: Self.now)
        let end = expected.map { Self.now.advanced(bySeconds: $0) } ?? .distantPast
        #expect(freshness.revalidateUntil == end)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "sun, 06 nov 1994 08:49:37 GMT",
    ])
    func parsesAllDateForms(_ text: String) {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(HTTPDate.parse(text, now: now) == Self.now)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800),
        ("Tue, 01 Mar 2050 12:00:00 GMT", 2_529_748_800),
        ("Sun, 28 Feb 2100 00:00:00 GMT", 4_107_456_000),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ("Fri, 31 Dec 2399 00:00:00 GMT", 13_569_379_200),
        ("Tue, 29 Feb 2400 00:00:00 GMT", 13_574_563_200),
        ("Mon, 01 Jan 2401 00:00:00 GMT", 13_601_088_000),
        ("Fri, 31 Dec 9999 00:00:00 GMT", 253_402_214_400),
        ("Wed, 31 Dec 1969 23:59:59 GMT", 0), ("Sat, 01 Jan 0000 00:00:00 GMT", 0),
    ])
    func convertsDates(_ text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text)?.milliseconds == seconds * 1000)
    }

    @Test(arguments: [
        "", "0", "-1", "never", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:-9:37 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun", "Sun, ",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 06 08:49:37 1994 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:3\u{661} GMT",
        "Sun, 06 Nov 1994 08:49:2: GMT",
    ])
    func refusesInvalidDates(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func acceptsTheLastSecondOfADay() {
        let last = HTTPDate.parse("Sun, 31 Dec 1995 23:59:59 GMT")
        #expect(last?.milliseconds == 820_454_399_000)
    }

    /// A year is at most 50 years in the future, and less than 50 years in the past.
    @Test(arguments: [
        (2026, 26, 2026), (2026, 0, 2000), (2026, 75, 2075), (2026, 76, 2076), (2026, 77, 1977),
        (2026, 94, 1994), (2080, 80, 2080), (2080, 29, 2129), (2080, 30, 2130), (2080, 31, 2031),
        (2000, 50, 2050), (2000, 51, 1951), (2000, 99, 1999),
    ])
    func twoDigitYearIsTheNearestOne(now: Int, year: Int, expected: Int) throws {
        let today = try #require(HTTPDate.parse("Mon, 01 Jul \(now) 00:00:00 GMT"))
        let digits = (year < 10 ? "0" : "") + "\(year)"
        let date = HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: today)
        #expect(date == HTTPDate.parse("Sun, 06 Nov \(expected) 08:49:37 GMT"))
    }
}
