import FetchCache
import TestSupport
import Testing

@Suite("Directives of requests: RFC 9111, section 5.2.1", .timeLimit(.minutes(10)))
struct RequestDirectiveTests {
    private func load(
        _ fixture: Fixture, _ fields: [(name: String, value: String)]
    ) async throws -> Resource {
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers = Fields(fields)
        return try await fixture.cache.load(request)
    }

    @Test(
        arguments: [
            ("max-age=600", "max-age=500", 100, .memory),
            ("max-age=600", "max-age=99", 100, .revalidated),
            ("max-age=600", "max-age=0", 0, .revalidated),
            ("max-age=600", "min-fresh=400", 100, .memory),
            ("max-age=600000", "min-fresh=599890", 100, .memory),
            ("max-age=600", "min-fresh=501", 100, .revalidated),
            ("max-age=600", "no-cache", 0, .revalidated),
            ("max-age=600", "max-stale=50", 640, .memory),
            ("max-age=600", "max-stale=42", 640, .memory),
            ("max-age=600", "max-stale=599000", 599_900, .revalidated),
            ("max-age=600", "max-stale", 90_000, .memory),
            ("max-age=600, must-revalidate", "max-stale", 640, .revalidated),
            ("no-cache", "max-stale", 0, .revalidated),
            ("max-age=600", "max-stale, max-age=100", 640, .revalidated),
            ("max-age=600", "x-unknown=1", 100, .memory),
        ] as [(String, String, Int64, Resource.Origin)])
    func appliesRequestDirectives(
        _ answer: String, _ request: String, after seconds: Int64, origin: Resource.Origin
    ) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"", cacheControl: answer)
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: seconds)
        #expect(try await load(fixture, [("Cache-Control", request)]).origin == origin)
    }

    @Test func maxStaleIncludesReceivedAge() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=1500")
        fixture.origin["/a.png"]?.headers = [("Age", "2000")]
        _ = try await fixture.load("/a.png")
        #expect(try await load(fixture, [("Cache-Control", "max-stale=1000")]).origin == .memory)
        #expect(try await load(fixture, [("Cache-Control", "max-stale=400")]).origin == .network)
    }

    @Test func pragmaAppliesOnlyWithoutCacheControl() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"", cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        #expect(try await load(fixture, [("Pragma", "no-cache")]).origin == .revalidated)
        let both = [("Pragma", "no-cache"), ("Cache-Control", "max-age=9")]
        #expect(try await load(fixture, both.map { (name: $0.0, value: $0.1) }).origin == .memory)
    }

    @Test func noStoreNeitherStoresNorRemoves() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let noStore: [(name: String, value: String)] = [("Cache-Control", "no-store")]
        #expect(try await load(fixture, noStore).origin == .network)
        #expect(try await fixture.cache.summary().entryCount == 0)
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"]?.body = png(2)
        #expect(try await load(fixture, noStore).bytes() == png(2))
        #expect(try await fixture.load("/a.png").bytes() == png(1))
        #expect(fixture.origin.requestCount == 3)
    }

    @Test func onlyIfCachedMakesNoRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers = Fields([("Cache-Control", "only-if-cached")])
        #expect(await fixture.failure(of: request)?.code == .offline)
        var any = request
        any.acceptsAnyStatus = true
        let absent = try await fixture.cache.load(any)
        #expect(absent.response.status == 504)
        #expect(absent.byteCount == 0)
        #expect(fixture.origin.requestCount == 0)
        _ = try await fixture.load("/a.png")
        #expect(try await fixture.cache.load(request).origin == .memory)
        // A stale response counts as missing.
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.cache.load(any).response.status == 504)
        #expect(fixture.origin.requestCount == 1)
    }
}
