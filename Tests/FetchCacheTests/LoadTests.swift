import FetchCache
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LoadTests {
    @Test func returnsBytesAsBlob() async throws {
        let fixture = try await Fixture()
        let body = png(1, count: 300_000)
        fixture.origin["/cat.png"] = OriginRoute(body, contentType: "text/plain")

        let resource = try await fixture.load("/cat.png#part")

        #expect(resource.url == fixture.origin.url + "/cat.png")
        #expect(resource.finalURL == resource.url)
        #expect(resource.origin == .network)
        #expect(resource.mediaType == .png)
        #expect(resource.byteCount == 300_000)
        #expect(bytes(of: resource.path) == body)
        #expect(
            resource.path.string.hasSuffix(
                "/blobs/\(resource.digest.hex.prefix(2))/\(resource.digest.hex.dropFirst(2))"))
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test func freshEntryNeedsNoRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")

        #expect(try await fixture.load("/a.png").origin == .network)
        #expect(try await fixture.load("/a.png").origin == .memory)
        let reopened = try fixture.reopened()
        let url = fixture.origin.url + "/a.png"
        #expect(try await reopened.load(FetchRequest(url)).origin == .disk)
        #expect(try await reopened.load(FetchRequest(url)).origin == .memory)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func revalidatesStaleEntryWithBothValidators() async throws {
        let fixture = try await Fixture()
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        fixture.origin["/a.png"] = OriginRoute(
            png(), etag: "\"v1\"", lastModified: date, cacheControl: "max-age=60")
        let first = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 61)

        let second = try await fixture.load("/a.png")

        #expect(second.origin == .revalidated)
        #expect(second.digest == first.digest)
        let requests = fixture.origin.requests
        #expect(requests.count == 2)
        #expect(requests.last?.header("If-None-Match") == "\"v1\"")
        #expect(requests.last?.header("If-Modified-Since") == date)
        #expect(requests.first?.header("If-None-Match") == nil)
    }

    @Test func notModifiedResponseRenewsEntry() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"v1\"", cacheControl: "no-cache")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"]?.cacheControl = "max-age=60"

        #expect(try await fixture.load("/a.png").origin == .revalidated)
        #expect(try await fixture.load("/a.png").origin == .memory)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func downloadsChangedBytes() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"v1\"")
        let first = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = OriginRoute(png(2), etag: "\"v2\"")
        let second = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = OriginRoute(png(1))
        let third = try await fixture.load("/a.png")

        #expect(second.origin == .network)
        #expect(second.digest != first.digest)
        #expect(third.origin == .network)
        #expect(third.digest == first.digest)
        #expect(fixture.folder.files(in: "blobs").count == 2)
    }

    @Test func refreshRevalidatesFreshEntry() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"v1\"", cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")

        #expect(try await fixture.load("/a.png", .refresh).origin == .revalidated)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func offlineMakesNoRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=1")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 3600)

        #expect(try await fixture.load("/a.png", .offline).origin == .memory)
        let failure = await fixture.failure("/b.png", .offline)
        #expect(failure?.code == .offline)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test(arguments: [OriginRoute.status(503), .status(500), .status(501), .status(505)])
    func usesStaleEntryIfServerFails(_ answer: OriginRoute) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"v1\"")
        let first = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = answer

        let second = try await fixture.load("/a.png")

        #expect(second.origin == .stale)
        #expect(second.digest == first.digest)
        #expect(second.warning?.contains("HTTP \(answer.status)") == true)
    }

    @Test func usesStaleEntryIfServerIsUnreachable() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")
        let port = try await fixture.origin.vanish()

        let resource = try await fixture.load("/a.png")

        #expect(resource.origin == .stale)
        #expect(resource.warning?.contains("connection refused") == true)
        withExtendedLifetime(port) {}
    }

    @Test(arguments: ["no-cache", "max-age=0, must-revalidate"])
    func doesNotUseStaleEntryIfForbidden(_ control: String) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: control)
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = .status(503)
        #expect(await fixture.failure("/a.png")?.status == 503)

        let lenient = try FetchManager(
            fixture.folder.configuration { $0.policy.staleOnError = .always })
        let request = FetchRequest(fixture.origin.url + "/a.png")
        #expect(try await lenient.load(request).origin == .stale)
    }

    @Test(arguments: [404, 410, 403])
    func failsIfRevalidationFindsNothing(_ status: Int) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"v1\"")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = .status(status)

        let failure = await fixture.failure("/a.png")

        #expect(failure?.code == .status)
        #expect(failure?.status == status)
        #expect(
            failure?.description == "could not fetch \(fixture.origin.url)/a.png: HTTP \(status)")
    }

    @Test func doesNotStoreNoStoreResponse() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            png(), etag: "\"v1\"", cacheControl: "no-store, max-age=60")
        let first = try await fixture.load("/a.png")
        #expect(try await first.bytes() == png())
        #expect(try await fixture.load("/a.png").origin == .network)
        #expect(fixture.origin.requests.last?.header("If-None-Match") == nil)
        #expect(await fixture.failure("/a.png", .offline)?.code == .offline)
    }

    @Test(arguments: [true, false])
    func damagedBlobIsAMiss(_ isMissing: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"v1\"", cacheControl: "max-age=60")
        let first = try await fixture.load("/a.png")
        try damage(first.path, isMissing: isMissing)

        let second = try await fixture.load("/a.png")

        #expect(second.origin == .network)
        #expect(bytes(of: second.path) == png())
        #expect(fixture.origin.requests.last?.header("If-None-Match") == nil)
    }

    @Test func timeToLiveOverridesTheServer() async throws {
        let fixture = try await Fixture { $0.policy.timeToLive = .seconds(1000) }
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "no-cache")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 900)
        #expect(try await fixture.load("/a.png").origin == .memory)
        fixture.clock.advance(seconds: 200)
        #expect(try await fixture.load("/a.png").origin == .network)
    }

    @Test func batchLookUpReturnsOnlyFreshEntries() async throws {
        let fixture = try await Fixture()
        fixture.origin["/fresh.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        fixture.origin["/stale.png"] = OriginRoute(png(2))
        _ = try await fixture.load("/fresh.png")
        _ = try await fixture.load("/stale.png")
        let reopened = try fixture.reopened()
        let fresh = fixture.origin.url + "/fresh.png#1"

        let found = try await reopened.resources(
            for: [fresh, fixture.origin.url + "/stale.png", fixture.origin.url + "/no.png", "no"])

        #expect(Array(found.keys) == [fresh])
        #expect(found[fresh]?.origin == .disk)
        #expect(found[fresh]?.path == (try await fixture.load("/fresh.png").path))
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func closedCacheRefusesLoads() async throws {
        let fixture = try await Fixture()
        await fixture.cache.close()
        #expect(await fixture.failure("/a.png")?.code == .closed)
    }

    @Test func sendsUserAgent() async throws {
        let fixture = try await Fixture {
            $0.downloader.userAgent = "test/1 (+https://example.org)"
        }
        fixture.origin["/a.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")
        let request = try #require(fixture.origin.requests.first)
        #expect(request.header("User-Agent") == "test/1 (+https://example.org)")
        #expect(request.header("Accept-Encoding") == "identity")
    }
}
