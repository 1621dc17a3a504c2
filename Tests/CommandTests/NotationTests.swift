import Testing

@testable import Reports
@testable import imgbake

/// The syntax of times, sizes and header fields, and suggestions for misspelled names.
@Suite struct NotationTests {
    @Test(
        arguments: [
            ("90", .seconds(90)), ("0", .zero), ("0.7", .milliseconds(700)),
            ("300ms", .milliseconds(300)), ("30s", .seconds(30)), ("15m", .seconds(900)),
            ("12h", .seconds(43_200)), ("7d", .seconds(604_800)), ("1.5h", .seconds(5_400)),
            ("36500d", .seconds(36_500 * 86_400)),
        ] as [(String, Duration)])
    func parsesTimes(text: String, duration: Duration) throws {
        #expect(try #require(TimeSpan(text)).duration == duration)
    }

    @Test(arguments: [
        "", "s", "1 h", "-1", "1w", "1.", ".5", "1e3", "soon", "99999999999d", "1hm",
    ])
    func refusesInvalidTimes(text: String) {
        #expect(TimeSpan(text) == nil)
    }

    @Test(arguments: [
        ("1", 1), ("50000000", 50_000_000), ("50MB", 50_000_000), ("2GB", 2_000_000_000),
        ("512kB", 512_000), ("512KB", 512_000), ("1.5MB", 1_500_000), ("64MiB", 67_108_864),
        ("7B", 7), ("1000000TB", 1_000_000_000_000_000_000),
    ])
    func parsesSizes(text: String, bytes: Int) throws {
        #expect(try #require(ByteSize(text)).bytes == bytes)
    }

    @Test(arguments: ["", "MB", "1 MB", "-1", "1M", "1.MB", "9e9", "1000001TB"])
    func refusesInvalidSizes(text: String) {
        #expect(ByteSize(text) == nil)
    }

    @Test(arguments: [
        ("X-Key: a b", "X-Key", "a b"), ("X-Key:a", "X-Key", "a"), ("X-Key:", "X-Key", ""),
        ("Cookie:  a=b:c \t", "Cookie", "a=b:c"),
    ])
    func parsesHeaderFields(text: String, name: String, value: String) throws {
        let header = try #require(HeaderArgument(argument: text))
        #expect("\(header.name)" == name)
        #expect(header.value == value)
    }

    @Test(arguments: [
        "", ":", "X-Key", "X Key: a", ": a", "X-Key: a\r\nY: b", "X-Kéy: a", "X: \u{7F}",
    ])
    func refusesInvalidHeaderFields(text: String) {
        #expect(HeaderArgument(argument: text) == nil)
    }

    @Test(
        arguments: [
            ("max-widht", "max-width"), ("maxwidth", "max-width"), ("fetsh", "fetch"),
            ("jbos", "jobs"), ("quality", "quality"), ("color", nil), ("x", nil), ("", nil),
        ] as [(String, String?)])
    func suggestsNearestName(name: String, nearest: String?) {
        let names = ["max-width", "jobs", "quality", "fetch", "cache"]
        #expect(nearestName(to: name, in: names) == nearest)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("abc", "abc", 0),
    ])
    func countsEdits(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }
}
