import FetchCache
import TestSupport
import Testing

@Suite("Bytes that a caller confirms or rejects", .timeLimit(.minutes(10)))
struct RejectionTests {
    /// Bytes that are an image by their beginning only.
    private static let damaged = Array(png(9).prefix(40))

    /// A closed cache with an image that was stale 99 seconds ago.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture { $0.policy.onGone = .keep }
        fixture.origin["/a.png"] = OriginRoute(
            png(1), etag: "\"1\"", cacheControl: "max-age=1")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        await fixture.cache.close()
        return fixture
    }

    private func request(_ fixture: Fixture) -> FetchRequest {
        FetchRequest(fixture.origin.url + "/a.png")
    }

    private func reopened(_ fixture: Fixture) throws -> FetchManager {
        try FetchManager(fixture.folder.configuration(fixture.clock) { $0.policy.onGone = .keep })
    }

    /// Loads the path with a cache of its own, and rejects the bytes if they are the damaged ones.
    private func build(_ fixture: Fixture) async throws -> Resource {
        let cache = try reopened(fixture)
        var resource = try await cache.load(request(fixture))
        if try await resource.bytes() == Self.damaged {
            resource = try #require(
                try await cache.reject(
                    resource.digest, of: request(fixture), because: "it is damaged"))
        } else {
            try cache.confirm(resource.digest, of: request(fixture))
        }
        await cache.close()
        return resource
    }

    @Test(arguments: ["max-age=1", "max-age=1000000", "no-cache"])
    func rejectedBytesGiveWayToConfirmedOnes(_ cacheControl: String) async throws {
        let fixture = try await fixture()
        #expect(try await build(fixture).gone == nil)
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = OriginRoute(Self.damaged, cacheControl: cacheControl)
        var all: [Resource.Gone?] = []
        for _ in 0..<6 {
            let resource = try await build(fixture)
            #expect(try await resource.bytes() == png(1))
            all.append(resource.gone)
            fixture.clock.advance(seconds: 1_500)
        }
        #expect(Set(all).count == 1)
        #expect(all.first??.reason == "it is damaged")
        // Two loads before, the first of these builds, and the fourth after the failure had expired.
        #expect(fixture.origin.requests(for: "/a.png").count == 4)
        fixture.origin["/a.png"] = OriginRoute(png(2))
        fixture.clock.advance(seconds: 4_000)
        let other = try await build(fixture)
        #expect(try await other.bytes() == png(2))
        #expect(other.gone == nil)
        let cache = try reopened(fixture)
        #expect(try await cache.summary().entryCount == 1)
    }

    /// The process may die before it has judged the bytes, and another program may replace them.
    @Test func unjudgedBytesDoNotDisplaceConfirmedOnes() async throws {
        let fixture = try await fixture()
        _ = try await build(fixture)
        for number in 2..<5 {
            fixture.clock.advance(seconds: 100)
            fixture.origin["/a.png"] = OriginRoute(png(number))
            let cache = try FetchManager(fixture.folder.configuration(fixture.clock))
            _ = try await cache.load(request(fixture))
            await cache.close()
        }
        fixture.origin["/a.png"] = OriginRoute(Self.damaged)
        let resource = try await build(fixture)
        #expect(try await resource.bytes() == png(1))
        #expect(resource.gone != nil)
    }

    @Test func bytesThatAnotherProcessHasRejectedLeaveMemory() async throws {
        let fixture = try await fixture()
        _ = try await build(fixture)
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = OriginRoute(Self.damaged, cacheControl: "max-age=1000000")
        let caches = try [reopened(fixture), reopened(fixture)]
        for cache in caches {
            #expect(try await cache.load(request(fixture)).bytes() == Self.damaged)
        }
        for cache in caches {
            let kept = try await cache.reject(
                BlobDigest(hashing: Self.damaged), of: request(fixture), because: "it is damaged")
            #expect(try await kept?.bytes() == png(1))
        }
        for cache in caches {
            let resource = try await cache.load(request(fixture))
            #expect(try await resource.bytes() == png(1))
            #expect(resource.gone != nil)
            await cache.close()
        }
    }

    /// A program that accepts any content stores a page under the same key.
    @Test func pageThatAnotherRequestHasStoredDoesNotDisplaceImage() async throws {
        let fixture = try await fixture()
        _ = try await build(fixture)
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = .page("<p>gone</p>")
        let cache = try FetchManager(fixture.folder.configuration(fixture.clock))
        var request = request(fixture)
        request.acceptsAnyContent = true
        #expect(try await cache.load(request).mediaType.rawValue.hasPrefix("text/html"))
        await cache.close()
        for _ in 0..<3 {
            let resource = try await build(fixture)
            #expect(try await resource.bytes() == png(1))
            #expect(resource.gone != nil)
        }
    }

    @Test func rejectionOfOnlyBytesChangesNothing() async throws {
        let fixture = try await fixture()
        let cache = try reopened(fixture)
        let resource = try await cache.load(request(fixture))
        let other = try await cache.reject(
            resource.digest, of: request(fixture), because: "it is damaged")
        #expect(other == nil)
        #expect(try await cache.load(request(fixture)).digest == resource.digest)
    }

    @Test func rejectionIsIgnoredByDefault() async throws {
        let fixture = try await Fixture()
        for number in 1...2 {
            fixture.origin["/a.png"] = OriginRoute(png(number))
            let resource = try await fixture.load("/a.png")
            if number == 1 {
                try fixture.cache.confirm(resource.digest, of: request(fixture))
            } else {
                #expect(
                    try await fixture.cache.reject(
                        resource.digest, of: request(fixture), because: "it is damaged") == nil)
            }
        }
    }

    @Test func removedResourceDoesNotComeBack() async throws {
        let fixture = try await fixture()
        _ = try await build(fixture)
        fixture.origin["/a.png"] = OriginRoute(Self.damaged)
        let cache = try reopened(fixture)
        let resource = try await cache.load(request(fixture))
        #expect(try await cache.remove(request(fixture)))
        #expect(
            try await cache.reject(
                resource.digest, of: request(fixture), because: "it is damaged") == nil)
    }
}
