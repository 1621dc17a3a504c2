import FetchCache
import TestSupport
import Testing

@Suite("HEAD responses update GET responses: RFC 9111, section 4.3.5", .timeLimit(.minutes(10)))
struct HeadTests {
    private func head(_ fixture: Fixture, _ path: String = "/a.png") async throws -> Resource {
        var request = FetchRequest(fixture.origin.url + path)
        request.method = .head
        return try await fixture.cache.load(request)
    }

    private func fixture(etag: String? = "\"1\"") async throws -> Fixture {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: etag, cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        return fixture
    }

    @Test func sameValidatorsRenewStoredResponse() async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"]?.headers = [("X-New", "yes")]
        _ = try await head(fixture)
        let resource = try await fixture.load("/a.png")
        #expect(resource.origin == .disk)
        #expect(resource.response.fields["X-New"] == "yes")
        #expect(resource.byteCount == 200)
        #expect(fixture.origin.requests.map(\.method) == ["GET", "HEAD"])
    }

    @Test func anotherEntityTagMakesStoredResponseStale() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"", cacheControl: "max-age=600")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = OriginRoute(png(2), etag: "\"2\"", cacheControl: "max-age=600")
        var request = FetchRequest(fixture.origin.url + "/a.png", mode: .refresh)
        request.method = .head
        _ = try await fixture.cache.load(request)
        #expect(try await fixture.load("/a.png").bytes() == png(2))
        #expect(fixture.origin.requests.map(\.method) == ["GET", "HEAD", "GET"])
    }

    @Test func anotherLengthMakesStoredResponseStale() async throws {
        let fixture = try await fixture(etag: nil)
        fixture.origin["/a.png"] = OriginRoute(png(1, count: 300), cacheControl: "max-age=60")
        _ = try await head(fixture)
        #expect(try await fixture.load("/a.png").byteCount == 300)
    }

    @Test func failureKeepsStoredResponse() async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"] = .status(404)
        await #expect(throws: FetchError.self) { try await head(fixture) }
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"")
        #expect(try await fixture.load("/a.png").origin == .revalidated)
    }
}
