import FetchCache
import TestSupport
import Testing

/// Requests that accept more than images, as `imgbake fetch` makes them.
@Suite(.timeLimit(.minutes(10)))
struct AnyAnswerTests {
    private func request(
        _ fixture: Fixture, _ path: String, _ change: (inout FetchRequest) -> Void
    ) -> FetchRequest {
        var request = FetchRequest(fixture.origin.url + path)
        change(&request)
        return request
    }

    @Test func storesAnyContent() async throws {
        let fixture = try await Fixture()
        fixture.origin["/page"] = .page("<html>hello")
        fixture.origin["/page"]?.cacheControl = "max-age=60"
        let any = request(fixture, "/page") { $0.acceptsAnyContent = true }
        let page = try await fixture.cache.load(any)
        #expect(try await page.bytes() == Array("<html>hello".utf8))
        #expect(page.mediaType.rawValue == "text/html; charset=utf-8")
        #expect(page.response.status == 200)
        #expect(page.response.version == "HTTP/1.1")
        #expect(page.response.fields["content-type"] == "text/html; charset=utf-8")
        #expect(try await fixture.cache.load(any).origin == .memory)
        // A request for an image does not get it.
        #expect(await fixture.failure("/page")?.code == .notAnImage)
    }

    @Test func acceptsEmptyBody() async throws {
        let fixture = try await Fixture()
        fixture.origin["/empty"] = OriginRoute([])
        let any = request(fixture, "/empty") { $0.acceptsAnyContent = true }
        let empty = try await fixture.cache.load(any)
        #expect(empty.byteCount == 0)
        #expect(bytes(of: empty.path) == [])
    }

    @Test func returnsAnyStatus() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(404, headers: [("Cache-Control", "max-age=60")])
        let any = request(fixture, "/a.png") { $0.acceptsAnyStatus = true }
        let missing = try await fixture.cache.load(any)
        #expect(missing.response.status == 404)
        #expect(try await missing.bytes() == Array("status 404\n".utf8))
        #expect(try await fixture.cache.load(any).response.status == 404)
        #expect(fixture.origin.requestCount == 1)
        // An image at that URL is still loaded, and removes the stored error response.
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        #expect(try await fixture.load("/a.png").response.status == 200)
        #expect(try await fixture.cache.load(any).response.status == 200)
    }

    @Test func refusalKeepsStoredImage() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = .status(403)
        let any = request(fixture, "/a.png") { $0.acceptsAnyStatus = true }
        #expect(try await fixture.cache.load(any).response.status == 403)
        #expect(try await fixture.load("/a.png", .offline).response.status == 200)
    }

    @Test func imageRequestDoesNotShareResponseForAnyStatus() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(404)
        fixture.origin["/a.png"]?.delay = .milliseconds(50)
        let any = request(fixture, "/a.png") { $0.acceptsAnyStatus = true }
        async let answer = fixture.cache.load(any)
        async let failure = fixture.failure("/a.png")
        #expect(try await answer.response.status == 404)
        #expect(await failure?.status == 404)
    }

    @Test func retriesTransientStatusBeforeReturningIt() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 2 }
        fixture.origin["/a.png"] = .status(503)
        let any = request(fixture, "/a.png") { $0.acceptsAnyStatus = true }
        #expect(try await fixture.cache.load(any).response.status == 503)
        #expect(fixture.origin.requestCount == 3)
    }

    @Test func headReturnsOnlyHeader() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 5000), etag: "\"1\"")
        let head = request(fixture, "/a.png") { $0.method = .head }
        let resource = try await fixture.cache.load(head)
        #expect(resource.byteCount == 0)
        #expect(resource.response.fields["Content-Length"] == "5000")
        #expect(resource.response.etag == "\"1\"")
        #expect(fixture.origin.requests.map(\.method) == ["HEAD"])
        #expect(try await fixture.load("/a.png").byteCount == 5000)
    }

    @Test func imageRequestRefusesStoredHTML() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            Array("<html>hello".utf8), contentType: "image/png", cacheControl: "max-age=60")
        let any = request(fixture, "/a.png") { $0.acceptsAnyContent = true }
        _ = try await fixture.cache.load(any)
        #expect(await fixture.failure("/a.png")?.code == .notAnImage)
        #expect(try await fixture.cache.load(any).origin == .memory)
    }

    @Test func headOfStoredImageNeedsNoRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"", cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        let head = try await fixture.cache.load(request(fixture, "/a.png") { $0.method = .head })
        #expect(head.byteCount == 0)
        #expect(head.response.etag == "\"1\"")
        #expect(fixture.origin.requestCount == 1)
    }

    @Test(arguments: ["sdch", "x-unknown, gzip"])
    func returnsUnknownCodingForAnyContent(_ coding: String) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a"] = OriginRoute(Array("coded".utf8), cacheControl: "max-age=60")
        fixture.origin["/a"]?.headers = [("Content-Encoding", coding)]
        let any = request(fixture, "/a") { $0.acceptsAnyContent = true }
        let resource = try await fixture.cache.load(any)
        #expect(try await resource.bytes() == Array("coded".utf8))
        #expect(resource.response.fields["Content-Encoding"] == coding)
        #expect(try await fixture.cache.load(any).origin == .memory)
        #expect(await fixture.failure("/a")?.code == .notAnImage)
    }
}
