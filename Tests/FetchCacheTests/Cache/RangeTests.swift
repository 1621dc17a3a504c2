import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Byte ranges: RFC 9110, section 15.3.7, and RFC 9111, section 3.4", .timeLimit(.minutes(10)))
struct RangeTests {
    private static let text = Array("0123456789".utf8)

    /// An origin whose content is ten digits and that supports range requests.
    private func fixture(
        etag: String? = "\"1\"", cacheControl: String = "max-age=60"
    ) async throws -> Fixture {
        let fixture = try await Fixture()
        serve(fixture, Self.text, etag: etag, cacheControl: cacheControl)
        return fixture
    }

    private func serve(
        _ fixture: Fixture, _ text: [UInt8], etag: String?, cacheControl: String = "max-age=60"
    ) {
        let route = OriginRoute(text, etag: etag, cacheControl: cacheControl)
        let number = Counter()
        fixture.origin.handle("/a") { request in
            var route = route
            route.headers = [("X-Number", "\(number.next())")]
            let ends = request.header("Range")?.dropFirst("bytes=".count).split(
                separator: "-", omittingEmptySubsequences: false)
            guard let ends, request.header("If-Range").map({ $0 == etag }) ?? true,
                etag == nil || request.header("If-None-Match") != etag
            else { return route }
            let first = Int(ends[0]) ?? text.count - (Int(ends[1]) ?? 0)
            let last = ends[0].isEmpty ? text.count - 1 : Int(ends[1]) ?? text.count - 1
            guard first < text.count else { return .status(416) }
            route.status = 206
            route.body = Array(text[first...min(last, text.count - 1)])
            route.headers.append(
                ("Content-Range", "bytes \(first)-\(first + route.body.count - 1)/\(text.count)"))
            return route
        }
    }

    private func load(_ fixture: Fixture, _ range: String?) async throws -> Resource {
        var request = FetchRequest(fixture.origin.url + "/a")
        if let range { request.headers = Fields([("Range", "bytes=\(range)")]) }
        request.acceptsAnyContent = true
        return try await fixture.cache.load(request)
    }

    private func check(
        _ resource: Resource, _ text: String, _ range: String?, _ origin: Resource.Origin
    ) throws {
        #expect(bytes(of: resource.path).map { String(decoding: $0, as: UTF8.self) } == text)
        #expect(resource.byteCount == text.utf8.count)
        #expect(resource.response.status == (range == nil ? 200 : 206))
        #expect(resource.response.fields["Content-Range"] == range.map { "bytes \($0)/10" })
        #expect(resource.response.fields["Content-Length"] == "\(text.utf8.count)")
        #expect(resource.origin == origin)
    }

    @Test(arguments: [
        ("0-1", "01", "0-1"), ("3-3", "3", "3-3"), ("1-", "123456789", "1-9"), ("-1", "9", "9-9"),
        ("8-99", "89", "8-9"),
        ("-99", "0123456789", "0-9"),
    ])
    func servesRangeFromStoredResponse(_ range: String, text: String, places: String) async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, nil)
        let part = try await load(fixture, range)
        try check(part, text, places, .memory)
        #expect(part.response.etag == "\"1\"")
        #expect(part.response.fields["Age"] != nil)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func reusesStoredPartForSmallerRange() async throws {
        let fixture = try await fixture()
        try check(try await load(fixture, "-6"), "456789", "4-9", .network)
        try check(try await load(fixture, "-6"), "456789", "4-9", .disk)
        try check(try await load(fixture, "6-8"), "678", "6-8", .disk)
        try check(try await load(fixture, "7-"), "789", "7-9", .disk)
        try check(try await load(fixture, "-1"), "9", "9-9", .disk)
        #expect(fixture.origin.requestCount == 1)
        try check(try await load(fixture, "3-5"), "345", "3-5", .network)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test(arguments: [nil, "W/\"1\""])
    func partWithoutStrongValidatorBeginsNoDownload(_ etag: String?) async throws {
        let fixture = try await fixture(etag: etag)
        _ = try await load(fixture, "0-4")
        try check(try await load(fixture, "0-4"), "01234", "0-4", .disk)
        try check(try await load(fixture, nil), "0123456789", nil, .network)
        #expect(fixture.origin.requests.last?.header("Range") == nil)
    }

    @Test func lastPartReplacesThoseBefore() async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, "0-4")
        serve(fixture, Array("abcdefghij".utf8), etag: "\"2\"")
        _ = try await load(fixture, "5-9")
        try check(try await load(fixture, "5-9"), "fghij", "5-9", .disk)
        try check(try await load(fixture, nil), "abcdefghij", nil, .network)
    }

    @Test func completesResponseFromStoredBeginning() async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, "0-4")
        try check(try await load(fixture, nil), "0123456789", nil, .network)
        let last = try #require(fixture.origin.requests.last)
        #expect(last.header("Range") == "bytes=5-")
        #expect(last.header("If-Range") == "\"1\"")
        #expect(try await fixture.cache.summary().entryCount == 1)
    }

    @Test func fetchesChangedResponseCompletely() async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, "0-4")
        serve(fixture, Array("abcdefghij".utf8), etag: "\"2\"")
        try check(try await load(fixture, nil), "abcdefghij", nil, .network)
    }

    @Test func revalidatesStalePart() async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, "2-5")
        fixture.clock.advance(seconds: 100)
        try check(try await load(fixture, "3-4"), "34", "3-4", .revalidated)
        let last = try #require(fixture.origin.requests.last)
        #expect(last.header("If-None-Match") == "\"1\"")
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func revalidatesStaleResponseForRange() async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, nil)
        fixture.clock.advance(seconds: 100)
        try check(try await load(fixture, "3-4"), "34", "3-4", .revalidated)
        #expect(fixture.origin.requests.last?.header("Range") == nil)
    }

    /// The bytes of a range have a digest of their own, which would not show the damage.
    @Test(arguments: [nil, "0-4"]) func damagedBytesAreInNoRange(_ stored: String?) async throws {
        for wanted in ["2-3", "4-6", "0-", nil] {
            let fixture = try await fixture()
            let path = try await load(fixture, stored).path
            var damaged = try #require(bytes(of: path))
            damaged[2] ^= 1
            unlink(path.string)
            try write(damaged, to: path)
            let resource = try await load(fixture, wanted)
            let text = String(decoding: try await resource.bytes(), as: UTF8.self)
            // The caller can verify the whole response by itself.
            if stored == nil, wanted == nil { continue }
            #expect("0123456789".contains(text), "\(wanted ?? "all"): \(text)")
        }
    }

    @Test func acceptsCompleteResponseWithoutRangeSupport() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a"] = OriginRoute(Self.text, cacheControl: "max-age=60")
        try check(try await load(fixture, "3-4"), "0123456789", nil, .network)
        try check(try await load(fixture, "3-4"), "34", "3-4", .memory)
    }

    @Test func doesNotServePartAsCompleteResponse() async throws {
        let fixture = try await fixture()
        _ = try await load(fixture, "4-")
        try check(try await load(fixture, nil), "0123456789", nil, .network)
        #expect(fixture.origin.requests.last?.header("Range") == nil)
    }
}
