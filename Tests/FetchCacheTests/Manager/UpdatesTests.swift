import FetchCache
import TestSupport
import Testing

@Suite("The stored resource first, then the refreshed one", .timeLimit(.minutes(10)))
struct UpdatesTests {
    private func updates(_ fixture: Fixture, _ path: String) async throws -> [Resource] {
        let request = FetchRequest(fixture.origin.url + path)
        return try await fixture.cache.updates(for: request).reduce(into: []) { $0.append($1) }
    }

    @Test func returnsOneResourceIfNothingIsStored() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
        #expect(try await updates(fixture, "/a.png").map(\.origin) == [.network])
    }

    @Test func returnsUnchangedResourceTwice() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"", cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        let both = try await updates(fixture, "/a.png")
        #expect(both.map(\.origin) == [.memory, .revalidated])
        #expect(both.first?.digest == both.last?.digest)
    }

    @Test func returnsStoredThenChangedResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = OriginRoute(png(2), etag: "\"2\"")
        let both = try await updates(fixture, "/a.png")
        #expect(both.map { bytes(of: $0.path) } == [png(1), png(2)])
        #expect(both.map(\.origin) == [.memory, .network])
    }

    @Test func failsAfterStoredResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = .status(404)
        var seen: [Resource] = []
        await #expect(throws: FetchError.self) {
            let request = FetchRequest(fixture.origin.url + "/a.png")
            for try await resource in fixture.cache.updates(for: request) { seen.append(resource) }
        }
        #expect(seen.map(\.origin) == [.memory])
    }

    @Test func endingIterationCancelsRefresh() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        for try await resource in fixture.cache.updates(
            for: FetchRequest(fixture.origin.url + "/a.png"))
        {
            #expect(resource.origin == .memory)
            break
        }
        #expect(await eventually { !fixture.cache.isRunning })
    }
}
