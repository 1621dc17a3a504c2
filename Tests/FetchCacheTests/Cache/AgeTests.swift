import FetchCache
import TestSupport
import Testing

@Suite("The field Age: RFC 9111, section 5.1", .timeLimit(.minutes(10)))
struct AgeTests {
    @Test(
        arguments: [
            [("Cache-Control", "max-age=600")],
            [("Cache-Control", "max-age=600"), ("Age", "30")],
            [("Expires", "Thu, 18 Aug 2050 02:01:18 GMT"), ("Age", "30")],
            [("Last-Modified", "Thu, 18 Aug 1994 02:01:18 GMT"), ("Age", "30")],
        ])
    func ageGrowsForEveryFreshnessRule(_ headers: [(String, String)]) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        fixture.origin["/a.png"]?.headers = headers.map { (name: $0.0, value: $0.1) }
        let sent = headers.first { $0.0 == "Age" }?.1
        let first = try await fixture.load("/a.png")
        #expect(first.response.fields["Age"] == sent)
        let start = Int64(sent ?? "0") ?? 0
        for _ in 0..<2 {
            fixture.clock.advance(seconds: 100)
            let before = fixture.clock.date
            let resource = try await fixture.load("/a.png")
            #expect(resource.origin == .memory)
            let ages = resource.response.fields.values(for: "Age")
            #expect(ages.count == 1)
            let age = try #require(ages.first.flatMap { Int64($0) })
            #expect(age >= start + 100)
            let possible =
                resource.response.age(at: before)...resource.response.age(at: fixture.clock.date)
            #expect(possible.contains(.seconds(age)))
        }
        await fixture.cache.close()
        let second = try fixture.reopened()
        let resource = try await second.load(FetchRequest(fixture.origin.url + "/a.png"))
        #expect(resource.origin == .disk)
        let last = try #require(resource.response.fields["Age"].flatMap { Int64($0) })
        #expect(last >= start + 200)
    }

    @Test func ageComesFromServerAfterRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"", cacheControl: "max-age=60")
        fixture.origin["/a.png"]?.headers = [("Age", "7")]
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"]?.headers = []
        let revalidated = try await fixture.load("/a.png")
        #expect(revalidated.origin == .revalidated)
        #expect(revalidated.response.fields["Age"] == nil)
        #expect(try await fixture.load("/a.png").response.fields["Age"] != nil)
    }

    @Test func staleResponseHasAge() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = .status(500)
        let stale = try await fixture.load("/a.png")
        #expect(stale.origin == .stale)
        let age = try #require(stale.response.fields["Age"].flatMap { Int64($0) })
        #expect(age >= 100)
    }
}

@Suite("Stale responses: RFC 9111, section 4.2.4", .timeLimit(.minutes(10)))
struct StaleTests {
    @Test(arguments: ["max-age=1, must-revalidate", "max-age=1, no-cache", "no-cache"])
    func doesNotUseForbiddenStaleResponses(_ cacheControl: String) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: cacheControl)
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        for delivery in [OriginRoute.Delivery.reset(after: nil), .reset(after: 0)] {
            fixture.origin["/a.png"] = OriginRoute(png(), delivery: delivery)
            #expect(await fixture.failure("/a.png")?.code == .interrupted)
        }
        await fixture.cache.close()
        let lenient = try FetchManager(
            fixture.folder.configuration(fixture.clock) { $0.policy.staleOnError = .always })
        let resource = try await lenient.load(FetchRequest(fixture.origin.url + "/a.png"))
        #expect(resource.origin == .stale)
    }

    @Test(arguments: [(500, true), (503, true), (429, false), (408, false), (404, false)])
    func usesStaleResponseOnlyForServerErrors(_ status: Int, isUsed: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=1")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = .status(status)
        let error = await fixture.failure("/a.png")
        #expect((error == nil) == isUsed)
    }

    @Test func revalidatesStaleImmutableResponse() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            png(), etag: "\"1\"", cacheControl: "max-age=60, immutable")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.load("/a.png").origin == .revalidated)
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.load("/a.png", .refresh).origin == .revalidated)
    }

    @Test(arguments: [(201, false), (202, false), (203, true), (200, true)])
    func storesOnlyStorableResponses(_ status: Int, isStored: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        fixture.origin["/a.png"]?.status = status
        _ = try await fixture.load("/a.png")
        #expect(try await fixture.cache.summary().entryCount == (isStored ? 1 : 0))
    }
}
