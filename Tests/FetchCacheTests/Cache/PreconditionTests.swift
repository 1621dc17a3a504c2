import FetchCache
import TestSupport
import Testing

@Suite("Conditional requests by the caller: RFC 9111, section 4.3.2", .timeLimit(.minutes(10)))
struct PreconditionTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Mon, 07 Nov 1994 08:49:37 GMT"
    private static let earlier = "Sat, 05 Nov 1994 08:49:37 GMT"

    private func request(
        _ fixture: Fixture, _ fields: [(String, String)], _ mode: FetchRequest.Mode = .normal
    ) -> FetchRequest {
        var request = FetchRequest(fixture.origin.url + "/a.png", mode: mode)
        request.headers = Fields(fields.map { (name: $0.0, value: $0.1) })
        request.acceptsAnyStatus = true
        return request
    }

    private func fixture(etag: String? = "\"1\"") async throws -> Fixture {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: etag, cacheControl: "max-age=60")
        fixture.origin["/a.png"]?.headers = [("Last-Modified", Self.modified)]
        return fixture
    }

    @Test(
        arguments: [
            ([("If-None-Match", "\"1\"")], 304), ([("If-None-Match", "W/\"1\"")], 304),
            ([("If-None-Match", "\"0\", \"1\"")], 304), ([("If-None-Match", "*")], 304),
            ([("If-None-Match", "\"0\""), ("If-None-Match", "\"1\"")], 304),
            ([("If-None-Match", "\"2\"")], 200), ([("If-None-Match", "1")], 200),
            ([("If-Modified-Since", modified)], 304), ([("If-Modified-Since", later)], 304),
            ([("If-Modified-Since", earlier)], 200), ([("If-Modified-Since", "yesterday")], 200),
            ([("If-Modified-Since", later), ("If-None-Match", "\"2\"")], 200),
            ([("If-Modified-Since", earlier), ("If-None-Match", "\"1\"")], 304),
        ] as [([(String, String)], Int)])
    func evaluatesPreconditionsFromCache(_ fields: [(String, String)], status: Int) async throws {
        let fixture = try await fixture()
        _ = try await fixture.load("/a.png")
        let answer = try await fixture.cache.load(request(fixture, fields))
        #expect(answer.response.status == status)
        #expect(answer.byteCount == (status == 304 ? 0 : 200))
        #expect(answer.response.etag == "\"1\"")
        #expect(fixture.origin.requestCount == 1)
        #expect(try await fixture.load("/a.png").byteCount == 200)
    }

    @Test func usesDateIfLastModifiedIsMissing() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        fixture.origin["/a.png"]?.headers = [("Date", Self.modified), ("Age", "0")]
        fixture.origin["/a.png"]?.cacheControl = "max-age=2147483647"
        _ = try await fixture.load("/a.png")
        for (date, status) in [(Self.later, 304), (Self.earlier, 200)] {
            let answer = try await fixture.cache.load(
                request(fixture, [("If-Modified-Since", date)]))
            #expect(answer.response.status == status)
        }
    }

    @Test func revalidatesStaleResponseFirst() async throws {
        let fixture = try await fixture()
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = OriginRoute(png(2), etag: "\"2\"")
        let fields = [("If-None-Match", "\"1\"")]
        #expect(try await fixture.cache.load(request(fixture, fields)).bytes() == png(2))
        #expect(fixture.origin.requests.map { $0.header("If-None-Match") } == [nil, "\"1\""])
    }

    @Test func sendsPreconditionsIfNothingIsStored() async throws {
        let fixture = try await fixture()
        let known = request(fixture, [("If-None-Match", "\"1\"")])
        let answer = try await fixture.cache.load(known)
        #expect(answer.response.status == 304)
        #expect(answer.origin == .network)
        #expect(fixture.origin.requests.last?.header("If-None-Match") == "\"1\"")
        // A 304 to the caller's condition cannot be stored.
        #expect(try await !fixture.cache.contains(FetchRequest(fixture.origin.url + "/a.png")))
        let other = try await fixture.cache.load(request(fixture, [("If-None-Match", "\"2\"")]))
        #expect(other.byteCount == 200)
        #expect(try await fixture.load("/a.png").origin == .memory)
    }

    @Test func imageRequestFailsWithoutCachedFailure() async throws {
        let fixture = try await fixture()
        for _ in 0..<2 {
            var known = request(fixture, [("If-None-Match", "\"1\"")])
            known.acceptsAnyStatus = false
            #expect(await fixture.failure(of: known)?.status == 304)
        }
        #expect(try await fixture.cache.failures().isEmpty)
        #expect(try await fixture.load("/a.png").origin == .network)
    }
}
