import FetchCache
import Foundation
import TestSupport
import Testing

@Suite("HTTP caching: RFC 9111, 5861 and 8246", .timeLimit(.minutes(10)))
struct FreshnessRuleTests {
    private func fixture(
        _ cacheControl: String?, etag: String? = "\"1\"",
        _ headers: [(name: String, value: String)] = [],
        configure: (inout FetchConfiguration) -> Void = { _ in }
    ) async throws -> Fixture {
        let fixture = try await Fixture(configure: configure)
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: etag, cacheControl: cacheControl)
        fixture.origin["/a.png"]?.headers = headers
        _ = try await fixture.load("/a.png")
        return fixture
    }

    @Test func staleWhileRevalidateRefreshesInBackground() async throws {
        let fixture = try await fixture("max-age=60, stale-while-revalidate=600")
        fixture.origin["/a.png"]?.body = png(2)
        fixture.origin["/a.png"]?.etag = "\"2\""
        fixture.clock.advance(seconds: 300)
        let stale = try await fixture.load("/a.png")
        #expect(stale.origin == .stale)
        #expect(stale.warning == nil)
        #expect(bytes(of: stale.path) == png(1))
        #expect(await eventually { fixture.origin.requestCount == 2 && !fixture.cache.isRunning })
        let fresh = try await fixture.load("/a.png")
        #expect(fresh.origin == .memory)
        #expect(bytes(of: fresh.path) == png(2))
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func revalidatesFirstAfterStaleWhileRevalidate() async throws {
        let fixture = try await fixture("max-age=60, stale-while-revalidate=600")
        fixture.clock.advance(seconds: 700)
        #expect(try await fixture.load("/a.png").origin == .revalidated)
    }

    @Test func closeWaitsForBackgroundRefresh() async throws {
        let fixture = try await fixture("max-age=60, stale-while-revalidate=600")
        let gate = OriginGate()
        fixture.origin["/a.png"]?.gate = gate
        fixture.clock.advance(seconds: 300)
        #expect(try await fixture.load("/a.png").origin == .stale)
        #expect(await eventually { fixture.origin.requestCount == 2 })
        async let closed: Void = fixture.cache.close()
        gate.open()
        await closed
        let second = try fixture.reopened()
        #expect(
            try await second.load(FetchRequest(fixture.origin.url + "/a.png")).origin == .disk)
    }

    @Test(arguments: [
        ("max-age=60, stale-if-error=600", 300, true),
        ("max-age=60, stale-if-error=600", 900, false),
        ("max-age=60", 900, true), ("max-age=60, must-revalidate", 300, false),
        ("max-age=60, must-revalidate, stale-if-error=600", 300, false), ("no-cache", 300, false),
    ])
    func staleIfErrorLimitsUseOfStaleResponse(
        _ control: String, after seconds: Int64, isUsed: Bool
    ) async throws {
        let fixture = try await fixture(control)
        fixture.origin["/a.png"] = .status(500)
        fixture.clock.advance(seconds: seconds)
        let error = await fixture.failure("/a.png")
        #expect((error == nil) == isUsed)
        if isUsed { #expect(try await fixture.load("/a.png").warning != nil) }
    }

    @Test func refreshAsksAboutFreshImmutableResponse() async throws {
        let fixture = try await fixture("max-age=60, immutable")
        #expect(try await fixture.load("/a.png", .refresh).origin == .revalidated)
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.load("/a.png", .refresh).origin == .revalidated)
    }

    @Test func timeToLiveOfRequestOverridesAll() async throws {
        let fixture = try await fixture("no-cache") { $0.policy.timeToLive = .seconds(10) }
        fixture.clock.advance(seconds: 100)
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.timeToLive = .seconds(200)
        #expect(try await fixture.cache.load(request).origin == .memory)
        request.timeToLive = .zero
        #expect(try await fixture.cache.load(request).origin == .revalidated)
    }

    @Test func usesVaryingResponseOnlyForSameFields() async throws {
        let folder = try TestFolder()
        let origin = try await Origin.start()
        origin.handle("/a.png") { request in
            var route = OriginRoute(
                png(request.header("User-Agent")?.count ?? 0), cacheControl: "max-age=60")
            route.headers = [("Vary", "User-Agent, Accept-Language")]
            return route
        }
        let clock = TestClock()
        func load(_ agent: String) async throws -> Resource {
            let cache = try FetchManager(
                folder.configuration(clock) { $0.downloader.userAgent = agent })
            let resource = try await cache.load(FetchRequest(origin.url + "/a.png"))
            await cache.close()
            return resource
        }
        #expect(try await load("one").origin == .network)
        #expect(try await load("one").origin == .disk)
        let other = try await load("three")
        #expect(other.origin == .network)
        #expect(bytes(of: other.path) == png(5))
        #expect(try await load("three").origin == .disk)
        #expect(origin.requests.allSatisfy { $0.header("If-None-Match") == nil })
    }

    @Test func doesNotStoreVaryingCredentials() async throws {
        let fixture = try await fixture("max-age=60", [("Vary", "Authorization")]) {
            $0.downloader.hosts = ["127.0.0.1": HostOptions(credential: .bearer(token: "hushhush"))]
        }
        #expect(try await fixture.load("/a.png").origin == .memory)
        await fixture.cache.close()
        let index = bytes(of: fixture.folder.path + "/cache/index.sqlite") ?? []
        #expect(!String(decoding: index, as: UTF8.self).contains("hushhush"))
        let second = try fixture.reopened()
        #expect(
            try await second.load(FetchRequest(fixture.origin.url + "/a.png")).origin == .network)
    }

    @Test func varyAsteriskIsNeverFresh() async throws {
        let fixture = try await fixture("max-age=60", [("Vary", "*")])
        #expect(try await fixture.load("/a.png").origin == .revalidated)
    }

    @Test func ignores304WithAnotherStrongTag() async throws {
        let fixture = try await fixture("max-age=0")
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            guard counter.next() == 1 else { return OriginRoute(png(2), etag: "\"2\"") }
            var route = OriginRoute.status(304)
            route.etag = "\"2\""
            return route
        }
        let resource = try await fixture.load("/a.png")
        #expect(resource.origin == .network)
        #expect(bytes(of: resource.path) == png(2))
        #expect(fixture.origin.requestCount == 3)
    }

    @Test func updatesStoredFieldsFrom304() async throws {
        let fixture = try await fixture("max-age=0", [("X-Old", "1"), ("X-Both", "1")])
        var route = OriginRoute(png(1), etag: "\"1\"", cacheControl: "max-age=60")
        route.headers = [("X-Both", "2")]
        fixture.origin["/a.png"] = route
        let resource = try await fixture.load("/a.png")
        #expect(resource.origin == .revalidated)
        #expect(resource.response.fields["X-Old"] == "1")
        #expect(resource.response.fields["X-Both"] == "2")
        #expect(resource.response.fields["Content-Length"] == "200")
        #expect(try await fixture.load("/a.png").origin == .memory)
    }

    @Test func ageReducesFreshness() async throws {
        let fixture = try await fixture("max-age=6000", [("Age", "5000")])
        let stored = try await fixture.load("/a.png").response
        let age = stored.age(at: fixture.clock.date)
        #expect((.seconds(5000) ... .seconds(5500)).contains(age))
        fixture.clock.advance(seconds: 2000)
        #expect(try await fixture.load("/a.png").origin == .revalidated)
    }

    @Test func acceptsAbsurdAge() async throws {
        let fixture = try await fixture("max-age=60", [("Age", "9223372036854775807")])
        let response = try await fixture.load("/a.png").response
        #expect(response.age(at: .distantFuture) > .seconds(1 << 30))
    }

    @Test func a304WithoutAgeResetsAge() async throws {
        let fixture = try await fixture("max-age=6000", [("Age", "5000")])
        fixture.clock.advance(seconds: 2000)
        fixture.origin["/a.png"]?.headers = []
        #expect(try await fixture.load("/a.png").origin == .revalidated)
        fixture.clock.advance(seconds: 4000)
        #expect(try await fixture.load("/a.png").origin == .memory)
    }

    @Test func removesEntryAfter304WithNoStore() async throws {
        let fixture = try await fixture("max-age=0")
        fixture.origin["/a.png"]?.cacheControl = "no-store"
        #expect(try await fixture.load("/a.png").origin == .revalidated)
        #expect(try await fixture.cache.summary().entryCount == 0)
        #expect(try await fixture.load("/a.png").origin == .network)
    }

    @Test(arguments: [true, false])
    func storesCookiesOnlyIfTheyAreKept(_ keepsCookies: Bool) async throws {
        let fixture = try await Fixture { $0.downloader.keepsCookies = keepsCookies }
        let secrets = [
            ("Set-Cookie", "id=1"), ("Set-Cookie", "b=2"), ("Set-Cookie2", "c=3"),
            ("Authentication-Info", "nextnonce=1"), ("WWW-Authenticate", "Basic"),
        ]
        var route = OriginRoute(png(), etag: "\"v1\"", cacheControl: "max-age=60")
        route.headers = secrets + [("X-Kept", "1")]
        fixture.origin["/a.png"] = route
        let first = try await fixture.load("/a.png").response.fields
        #expect(first.values(for: "set-cookie") == ["id=1", "b=2"])
        for resource in [
            try await fixture.load("/a.png"), try await fixture.load("/a.png", .offline),
        ] {
            #expect(resource.origin == .memory)
            let fields = resource.response.fields
            #expect(fields["X-Kept"] == "1")
            for (name, _) in secrets { #expect((fields[name] != nil) == keepsCookies, "\(name)") }
        }
        fixture.clock.advance(seconds: 100)
        _ = try await fixture.load("/a.png")
        await fixture.cache.close()
        let stored = fixture.folder.files(in: "").filter { $0.hasPrefix("index") }
        let hasCookie = stored.contains { name in
            let text = String(
                decoding: bytes(of: fixture.folder.path + "/cache/" + name) ?? [], as: UTF8.self)
            return text.contains("id=1")
        }
        #expect(hasCookie == keepsCookies)
    }

    @Test func doesNotStoreConnectionFields() async throws {
        let fixture = try await fixture(
            "max-age=60",
            [
                ("Connection", "X-One, x-two"), ("X-One", "1"), ("X-Two", "2"), ("X-Three", "3"),
                ("Keep-Alive", "timeout=5"), ("Proxy-Authenticate", "Basic"), ("TE", "trailers"),
                ("Upgrade", "h2c"),
            ])
        let fields = try await fixture.load("/a.png").response.fields
        let absent = [
            "Connection", "X-One", "X-Two", "Keep-Alive", "Proxy-Authenticate", "TE", "Upgrade",
        ]
        for name in absent { #expect(fields[name] == nil, "\(name)") }
        #expect(fields["X-Three"] == "3")
    }

    @Test func ignoresConnectionFieldsOf304() async throws {
        let fixture = try await fixture("max-age=0", [("X-One", "1")])
        fixture.origin["/a.png"]?.headers = [("Connection", "X-One"), ("X-One", "2")]
        let fields = try await fixture.load("/a.png").response.fields
        #expect(fields["X-One"] == "1")
        #expect(fields["Connection"] == nil)
    }

    @Test func requestsResponseVaryingByCookieEachTime() async throws {
        let fixture = try await fixture("max-age=60", [("Vary", "Cookie")]) {
            $0.downloader.keepsCookies = true
        }
        #expect(try await fixture.load("/a.png").origin == .network)
    }

    @Test func responseFromTheFutureIsNotFresh() async throws {
        let fixture = try await fixture("max-age=600000")
        fixture.clock.advance(seconds: -7_200)
        #expect(try await fixture.load("/a.png").origin == .revalidated)
    }
}
