import FetchCache
import TestSupport
import Testing

@Suite("Methods other than GET and HEAD: RFC 9111, section 4.4", .timeLimit(.minutes(10)))
struct MethodTests {
    private func send(
        _ fixture: Fixture, _ method: String, _ path: String = "/a.png",
        body: String? = "abc", headers: [(name: String, value: String)] = []
    ) async throws -> Resource {
        var request = FetchRequest(fixture.origin.url + path)
        request.method = .init(rawValue: method)
        request.body = body.map { Array($0.utf8) }
        request.headers = Fields(headers)
        request.acceptsAnyContent = true
        request.acceptsAnyStatus = true
        return try await fixture.cache.load(request)
    }

    private func fixture(
        status: Int = 200, headers: [(name: String, value: String)] = []
    ) async throws -> Fixture {
        let fixture = try await Fixture()
        for path in ["/a.png", "/b.png", "/c.png"] {
            fixture.origin.handle(path) { request in
                guard ["GET", "HEAD"].contains(request.method) else {
                    return .status(status, headers: headers)
                }
                return OriginRoute(png(), cacheControl: "max-age=60")
            }
        }
        return fixture
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "MKCOL"])
    func sendsContentAndInvalidatesEntry(_ method: String) async throws {
        let fixture = try await fixture()
        _ = try await fixture.load("/a.png")
        let answer = try await send(fixture, method)
        #expect(answer.response.status == 200)
        #expect(try await answer.bytes() == Array("status 200\n".utf8))
        let sent = try #require(fixture.origin.requests.last)
        #expect(sent.method == method)
        #expect(sent.body == Array("abc".utf8))
        #expect(sent.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(sent.header("Expect") == nil)
        #expect(try await fixture.load("/a.png").origin == .network)
        #expect(try await fixture.cache.summary().entryCount == 1)
    }

    @Test(arguments: [400, 500])
    func failureInvalidatesNothing(_ status: Int) async throws {
        let fixture = try await fixture(status: status)
        _ = try await fixture.load("/a.png")
        #expect(try await send(fixture, "POST").response.status == status)
        #expect(try await fixture.load("/a.png").origin == .memory)
    }

    @Test(arguments: ["OPTIONS", "TRACE"])
    func safeMethodInvalidatesNothing(_ method: String) async throws {
        let fixture = try await fixture()
        _ = try await fixture.load("/a.png")
        _ = try await send(fixture, method, body: nil)
        #expect(fixture.origin.requests.last?.method == method)
        #expect(try await fixture.load("/a.png").origin == .memory)
    }

    @Test func invalidatesURLsNamedByResponse() async throws {
        let fixture = try await fixture(
            status: 201, headers: [("Location", "/b.png"), ("Content-Location", "c.png")])
        for path in ["/b.png", "/c.png"] { _ = try await fixture.load(path) }
        _ = try await send(fixture, "POST")
        for path in ["/b.png", "/c.png"] {
            #expect(try await fixture.load(path).origin == .network)
        }
    }

    @Test func doesNotInvalidateOtherOrigins() async throws {
        let other = try await Origin.start()
        other["/b.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        let fixture = try await fixture(
            status: 201, headers: [("Content-Location", other.url + "/b.png")])
        let request = FetchRequest(other.url + "/b.png")
        _ = try await fixture.cache.load(request)
        _ = try await send(fixture, "POST")
        #expect(try await fixture.cache.load(request).origin == .memory)
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (302, "PUT", "PUT"),
        (307, "POST", "POST"), (308, "POST", "POST"),
    ])
    func redirectKeepsMethodByStatus(
        _ status: Int, _ method: String, becomes: String
    ) async throws {
        let fixture = try await fixture()
        fixture.origin["/to"] = .redirect(to: "/a.png", status: status)
        _ = try await send(fixture, method, "/to")
        let last = try #require(fixture.origin.requests.last)
        #expect(last.method == becomes)
        #expect(last.body == (becomes == "GET" ? [] : Array("abc".utf8)))
        let type = last.header("Content-Type")
        #expect((type != nil) == !last.body.isEmpty)
    }

    @Test(arguments: [("POST", 1), ("PATCH", 1), ("PUT", 3), ("DELETE", 3)])
    func retriesOnlyIdempotentMethods(_ method: String, requests: Int) async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 2 }
        fixture.origin["/a.png"] = .status(500)
        _ = try await send(fixture, method)
        #expect(fixture.origin.requestCount == requests)
    }

    @Test func twoCallersSendTwoRequests() async throws {
        let fixture = try await fixture()
        async let first = send(fixture, "POST")
        async let second = send(fixture, "POST")
        _ = try await (first, second)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func sendsLongContentWithoutExpect() async throws {
        let fixture = try await fixture()
        let text = String(repeating: "x", count: 3_000_000)
        _ = try await send(fixture, "PUT", body: text, headers: [("Content-Type", "text/plain")])
        let sent = try #require(fixture.origin.requests.last)
        #expect(sent.body.count == 3_000_000)
        #expect(sent.header("Content-Type") == "text/plain")
    }

    @Test func sendsNothingOffline() async throws {
        let fixture = try await fixture()
        var request = FetchRequest(fixture.origin.url + "/a.png", mode: .offline)
        request.method = .post
        #expect(await fixture.failure(of: request)?.code == .offline)
        #expect(fixture.origin.requestCount == 0)
    }

    @Test(arguments: ["sdch", "gzip, x-unknown"])
    func returnsUnknownCodingUnchanged(_ coding: String) async throws {
        let fixture = try await fixture()
        fixture.origin.handle("/a.png") { _ in
            var route = OriginRoute(Array("coded".utf8))
            route.headers = [("Content-Encoding", coding)]
            return route
        }
        let answer = try await send(fixture, "POST")
        #expect(try await answer.bytes() == Array("coded".utf8))
        #expect(answer.response.fields["Content-Encoding"] == coding)
        #expect(fixture.origin.requestCount == 1)
    }
}
