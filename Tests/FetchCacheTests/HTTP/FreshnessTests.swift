import Testing

@testable import FetchCache

struct FreshnessTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let now = Timestamp(milliseconds: 784_111_777_000)

    /// Seconds for which a response that arrives now is fresh.
    private func freshness(_ fields: [(String, String)], delay: Int64 = 0) -> Int64 {
        let freshness = Freshness(
            HeaderFields(fields.map { (name: $0.0, value: $0.1) }),
            requestTime: Self.now.advanced(bySeconds: -delay), responseTime: Self.now)
        return freshness.freshUntil.seconds(since: Self.now)
    }

    @Test(
        arguments: [
            ([("Cache-Control", "max-age=60")], 60),
            ([("cache-control", "Public, MAX-AGE=60")], 60),
            ([("Cache-Control", "max-age=\"60\"")], 60),
            ([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=30")], 30),
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
            ([("Pragma", "no-cache"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 0),
            ([("Date", date), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60),
            ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60),
            ([("Expires", "Sun, 06 Nov 1994 08:48:37 GMT")], 0),
            ([("Expires", "0")], 0), ([("Expires", "-1")], 0), ([("Expires", "soon")], 0),
            // A tenth of 1,000 s, and no more than a day.
            ([("Date", date), ("Last-Modified", "Sun, 06 Nov 1994 08:32:57 GMT")], 100),
            ([("Date", date), ("Last-Modified", "Sun, 06 Nov 1983 08:32:57 GMT")], 86_400),
            ([("Date", date), ("Last-Modified", "Sun, 06 Nov 1995 08:32:57 GMT")], 0),
            ([("Date", date), ("ETag", "\"a\"")], 0),
            ([], 0),
            // Time spent elsewhere counts.
            ([("Cache-Control", "max-age=60"), ("Age", "20")], 40),
            ([("Cache-Control", "max-age=60"), ("Age", "70")], 0),
            ([("Cache-Control", "max-age=60"), ("Age", "x")], 60),
            ([("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 08:49:27 GMT")], 50),
            ([("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 09:49:27 GMT")], 60),
            ([("Cache-Control", "max-age=99999999999999999999")], Int64(Int32.max)),
        ] as [([(String, String)], Int64)])
    func secondsOfFreshness(_ fields: [(String, String)], expected: Int64) {
        #expect(freshness(fields) == expected)
    }

    @Test func timeOnTheWayCounts() {
        #expect(freshness([("Cache-Control", "max-age=60")], delay: 5) == 55)
        #expect(freshness([("Cache-Control", "max-age=60"), ("Age", "10")], delay: 5) == 45)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "sun, 06 nov 1994 08:49:37 GMT",
    ])
    func datesInAllForms(_ text: String) {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(HTTPDate.parse(text, now: now) == Self.now)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800),
        ("Tue, 01 Mar 2050 12:00:00 GMT", 2_529_748_800),
    ])
    func datesAreCountedRight(_ text: String, seconds: Int64) {
        #expect(HTTPDate.parse(text)?.milliseconds == seconds * 1000)
    }

    @Test(arguments: [
        "", "0", "-1", "never", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 8:-9:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
    ])
    func noDate(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func twoDigitYearsAreNotFarInTheFuture() {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let past = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        let future = HTTPDate.parse("Sunday, 06-Nov-30 08:49:37 GMT", now: now)
        #expect(past.map { $0 < now } == true)
        #expect(future.map { $0 > now } == true)
    }
}
