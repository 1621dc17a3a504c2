import TestSupport
import Testing

@testable import FetchCache

/// Numbers in header fields that are too large, or are not numbers.
@Suite("Numbers in header fields", .timeLimit(.minutes(10)))
struct NumberTests {
    private func answer(_ fields: String, _ body: [UInt8] = png(count: 100)) throws -> RawServer {
        try RawServer(
            answer: Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\(fields)\r\n\r\n".utf8) + body)
    }

    private func load(_ fields: String) async throws -> Result<Resource, FetchError> {
        let server = try answer(fields)
        let folder = try TestFolder()
        let cache = try FetchManager(folder.configuration())
        let result: Result<Resource, FetchError>
        do {
            result = .success(try await cache.load(FetchRequest(server.url + "/a.png")))
        } catch {
            result = .failure(error)
        }
        await cache.close()
        return result
    }

    @Test(arguments: [
        "9223372036854775808", "18446744073709551616", "99999999999999999999999999", "-1", "+100",
        "100, 101", "0x64", "", "100 100", "100;", "1e2", "100.0", "١٠٠", "100,",
    ])
    func invalidContentLengthIsAnError(_ value: String) async throws {
        // An empty member of a list is ignored (RFC 9110, section 5.6.1).
        if value == "100," {
            #expect(try await load("Content-Length: \(value)").get().byteCount == 100)
            return
        }
        let result = try await load("Content-Length: \(value)")
        guard case .failure(let error) = result else {
            Issue.record("no error for \(value)")
            return
        }
        #expect([.badResponse, .interrupted].contains(error.code), "\(error)")
    }

    @Test(arguments: ["Content-Length: 100, 100", "Content-Length:  100  "])
    func equalLengthsCountAsOne(_ fields: String) async throws {
        #expect(try await load(fields).get().byteCount == 100)
    }

    @Test func differentLengthsInTwoFieldsAreAnError() async throws {
        let result = try await load("Content-Length: 100\r\nContent-Length: 50")
        guard case .failure(let error) = result else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .badResponse)
    }

    /// The length in bytes is over the limit, however large it is.
    @Test func largestLengthIsOverTheLimit() async throws {
        guard case .failure(let error) = try await load("Content-Length: 9223372036854775807")
        else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .tooLarge)
    }

    @Test(arguments: [
        "Age", "Retry-After", "Cache-Control: max-age", "Cache-Control: stale-while-revalidate",
        "Cache-Control: stale-if-error", "Content-Range: bytes",
    ])
    func hugeNumbersDoNotTrap(_ field: String) async throws {
        let separator = field.contains("=") || field.contains(":") ? "=" : ": "
        for number in [
            "9223372036854775807", "9223372036854775808", "-9223372036854775808",
            String(repeating: "9", count: 5000), "", "-1", "+5", "1.5", "0x10", "5 5",
        ] {
            let separator = field.hasSuffix("bytes") ? " " : separator
            let text = "Content-Length: 100\r\n\(field)\(separator)\(number)"
            _ = try await load(text).get()
        }
    }

    @Test(arguments: [
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775806/9223372036854775807",
        "bytes 9223372036854775807-9223372036854775807/*", "bytes -5-3/9", "bytes +0-9/10",
        "bytes 0-9/-1", "bytes 0-9/99999999999999999999", "bytes 0-9/x",
        "bytes 0-99999999999999999999/*",
    ])
    func invalidContentRangeIsAnErrorOrHasTheBytes(_ range: String) async throws {
        let server = try RawServer(
            answer: Array(
                """
                HTTP/1.1 206 Partial Content\r\nConnection: close\r\nETag: "1"\r\n\
                Cache-Control: max-age=60\r\nContent-Length: 10\r\nContent-Range: \(range)\r\n\r\n
                """.utf8) + png(count: 10))
        let folder = try TestFolder()
        let cache = try FetchManager(folder.configuration())
        for asked in ["bytes=0-9", "bytes=0-9223372036854775807", "bytes=-9223372036854775807"] {
            var request = FetchRequest(server.url + "/a.png")
            request.headers.append(name: "Range", value: asked)
            if let resource = try? await cache.load(request) { #expect(resource.byteCount == 10) }
        }
    }

    @Test(
        arguments: [
            ("0-0", 0..<1), ("3-5", 3..<6), ("9-9", 9..<10), ("5-99", 5..<10), ("10-", nil),
            ("0-", 0..<10), ("9-", 9..<10), ("-1", 9..<10), ("-10", 0..<10), ("-11", 0..<10),
            ("10-10", nil),
        ] as [(String, Range<Int>?)])
    func rangeEndsWithinTheResource(_ text: String, expected: Range<Int>?) throws {
        let range = try #require(RangeRequest(HeaderFields([("Range", "BYTES=\(text)")])))
        #expect(range.places(inWholeOf: 10) == expected)
        #expect(range.places(inWholeOf: 0) == nil)
    }

    /// The server interprets them.
    @Test(arguments: [
        "bytes=5-4", "bytes=-0", "bytes=-", "bytes=", "bytes=1", "bytes=1-2-3", "bytes=1-2,4-5",
        "bytes=+1-2", "bytes=1- 2", "bytes=a-b", "items=1-2", "bytes 1-2", "",
        "bytes=0-99999999999999999999",
    ])
    func otherRangesAreNotInterpreted(_ text: String) {
        #expect(RangeRequest(HeaderFields([("Range", text)])) == nil)
    }

    @Test func conditionalOrSecondRangeIsNotInterpreted() {
        let range = (name: "Range", value: "bytes=1-2")
        #expect(RangeRequest(HeaderFields([range])) != nil)
        #expect(RangeRequest(HeaderFields([range, range])) == nil)
        #expect(RangeRequest(HeaderFields([range, ("If-Range", "\"a\"")])) == nil)
        #expect(RangeRequest(HeaderFields([])) == nil)
    }

    @Test func lastByteOfARangeMayBeTheLargestNumber() throws {
        let fields = HeaderFields([("Range", "bytes=5-9223372036854775807")])
        #expect(RangeRequest(fields)?.places(inWholeOf: 10) == 5..<10)
        #expect(RangeRequest(fields)?.places(inWholeOf: 5) == nil)
    }

    @Test(
        arguments: [
            ("5", 5), ("0", 0), ("99999999999999999999999", 1 << 32), ("4294967297", 1 << 32),
        ] as [(String, Int)])
    func readsRetryAfter(_ text: String, seconds: Int) {
        let fields = HeaderFields([("Retry-After", text)])
        #expect(RetryPolicy.retryAfter(fields, now: .now) == .seconds(seconds))
    }

    @Test(arguments: ["+5", "-5", "5 5", "0x5", "", "1.5"])
    func ignoresInvalidRetryAfter(_ text: String) {
        #expect(RetryPolicy.retryAfter(HeaderFields([("Retry-After", text)]), now: .now) == nil)
    }
}
