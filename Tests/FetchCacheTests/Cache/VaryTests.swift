import FetchCache
import TestSupport
import Testing

@Suite("Several responses for one URL: RFC 9111, section 4.1", .timeLimit(.minutes(10)))
struct VaryTests {
    /// An origin whose response length depends on `X-Kind`, and whose `Vary` field is `vary`.
    private func fixture(
        vary: String?, cacheControl: String = "max-age=60",
        configure: (inout FetchConfiguration) -> Void = { _ in }
    ) async throws -> Fixture {
        let fixture = try await Fixture(configure: configure)
        fixture.origin.handle("/a.png") { request in
            let kinds = request.headers.filter { $0.name.lowercased() == "x-kind" }
            let count = kinds.map(\.value.utf8.count).reduce(0, +)
            var route = OriginRoute(png(count), cacheControl: cacheControl)
            if let vary { route.headers = [("Vary", vary)] }
            return route
        }
        return fixture
    }

    private func load(
        _ fixture: Fixture, _ fields: [(name: String, value: String)]
    ) async throws -> Resource {
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers = Fields(fields)
        return try await fixture.cache.load(request)
    }

    @Test func ignoresFieldsThatVaryDoesNotName() async throws {
        let fixture = try await fixture(vary: nil)
        #expect(try await load(fixture, [("X-Kind", "a")]).origin == .network)
        #expect(try await load(fixture, [("X-Kind", "bb")]).origin == .memory)
        #expect(try await load(fixture, []).origin == .memory)
        #expect(try await fixture.cache.summary().entryCount == 1)
    }

    /// The request that bytes were stored for finds them again, and no other does.
    @Test func storedBytesBelongToTheRequestAndItsCredentials() async throws {
        let fixture = try await fixture(vary: "X-Kind") {
            $0.downloader.hosts = ["127.0.0.1": HostOptions(credential: .bearer(token: "t"))]
        }
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers = Fields([("X-Kind", "a")])
        let fields = Fields([("Cache-Control", "max-age=60"), ("Vary", "X-Kind")])
        try await fixture.cache.store(png(2), for: request, headers: fields)
        #expect(try await fixture.cache.load(request).origin == .memory)
        #expect(fixture.origin.requestCount == 0)
        #expect(try await load(fixture, [("X-Kind", "b")]).origin == .network)
        await fixture.cache.close()
        let second = try fixture.reopened {
            $0.downloader.hosts = ["127.0.0.1": HostOptions(credential: .bearer(token: "other"))]
        }
        #expect(try await second.load(request).origin == .network)
    }

    @Test func keepsSeveralResponsesAndSelectsTheMatch() async throws {
        let fixture = try await fixture(vary: "X-Kind, X-Other")
        let kinds = ["a", "bb", "ccc"]
        for kind in kinds { _ = try await load(fixture, [("X-Kind", kind)]) }
        #expect(fixture.origin.requestCount == 3)
        for kind in kinds {
            let resource = try await load(fixture, [("X-Kind", kind), ("X-Third", "3")])
            #expect(resource.origin != .network)
            #expect(try await resource.bytes() == png(kind.count))
        }
        #expect(fixture.origin.requestCount == 3)
        #expect(try await load(fixture, []).origin == .network)
        #expect(try await load(fixture, [("X-Kind", "a"), ("X-Other", "1")]).origin == .network)
        #expect(try await fixture.cache.summary().entryCount == 5)
        await fixture.cache.close()
        let second = try fixture.reopened()
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers = Fields([("X-Kind", "bb")])
        #expect(try await second.load(request).bytes() == png(2))
        #expect(fixture.origin.requestCount == 5)
    }

    @Test(arguments: [
        ([("X-Kind", "1, 2")], [("X-Kind", "1"), ("X-Kind", "2")]),
        ([("X-Kind", "1,2")], [("x-kind", " 1 ,  2 ")]),
        ([("Accept-Language", "de, en-GB")], [("Accept-Language", "De,EN-gb")]),
    ])
    func matchesEquivalentFieldValues(
        _ first: [(String, String)], _ second: [(String, String)]
    ) async throws {
        let fixture = try await fixture(vary: "x-kind, accept-language")
        _ = try await load(fixture, first.map { (name: $0.0, value: $0.1) })
        let again = try await load(fixture, second.map { (name: $0.0, value: $0.1) })
        #expect(again.origin == .memory)
    }

    @Test func limitsNumberOfResponses() async throws {
        let fixture = try await fixture(vary: "X-Kind")
        for number in 0..<40 { _ = try await load(fixture, [("X-Kind", "\(number)")]) }
        #expect(try await fixture.cache.summary().entryCount == 16)
        let last = try await load(fixture, [("X-Kind", "39")])
        #expect(last.origin == .memory)
    }

    @Test func removingURLRemovesAllItsResponses() async throws {
        let fixture = try await fixture(vary: "X-Kind")
        for kind in ["a", "bb"] { _ = try await load(fixture, [("X-Kind", kind)]) }
        #expect(try await fixture.cache.remove(FetchRequest(fixture.origin.url + "/a.png")))
        #expect(try await fixture.cache.summary().entryCount == 0)
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func listsEveryResponse() async throws {
        let fixture = try await fixture(vary: "X-Kind")
        for kind in ["a", "bb"] { _ = try await load(fixture, [("X-Kind", kind)]) }
        let keys = Box<[String]>([])
        for try await entry in fixture.cache.entries { keys.change { $0.append(entry.key) } }
        #expect(keys.value == [fixture.origin.url + "/a.png", fixture.origin.url + "/a.png"])
    }
}

@Suite("Responses to authenticated requests: RFC 9111, section 3.5", .timeLimit(.minutes(10)))
struct AuthorizationTests {
    private func answer(_ cacheControl: String) -> @Sendable (OriginRequest) -> OriginRoute {
        { OriginRoute(png($0.header("Authorization")?.count ?? 0), cacheControl: cacheControl) }
    }

    private func load(_ fixture: Fixture, as user: String?) async throws -> Resource {
        var request = FetchRequest(fixture.origin.url + "/a.png")
        if let user { request.headers = Fields([("Authorization", "Bearer \(user)")]) }
        return try await fixture.cache.load(request)
    }

    @Test func responseIsPrivateToItsCredentials() async throws {
        let fixture = try await Fixture()
        fixture.origin.handle("/a.png", answer("max-age=60"))
        #expect(try await load(fixture, as: "tom").bytes() == png(10))
        #expect(try await load(fixture, as: nil).origin == .network)
        let other = try await load(fixture, as: "emily")
        #expect(other.origin == .network)
        #expect(try await other.bytes() == png(12))
        #expect(try await load(fixture, as: "tom").bytes() == png(10))
        #expect(fixture.origin.requestCount == 3)
    }

    @Test(arguments: [
        "max-age=60, public", "max-age=60, must-revalidate", "max-age=60, s-maxage=9",
    ])
    func sharesPublicResponseToCredentials(_ cacheControl: String) async throws {
        let fixture = try await Fixture()
        fixture.origin.handle("/a.png", answer(cacheControl))
        _ = try await load(fixture, as: "tom")
        #expect(try await load(fixture, as: nil).origin == .memory)
        #expect(try await load(fixture, as: "emily").origin == .memory)
    }

    /// `private` counts more than what would allow a shared cache to use the response for all.
    @Test(arguments: ["private, max-age=60, must-revalidate", "private, max-age=60, s-maxage=9"])
    func keepsPrivateResponseForItsUser(_ cacheControl: String) async throws {
        let fixture = try await Fixture()
        fixture.origin.handle("/a.png", answer(cacheControl))
        _ = try await load(fixture, as: "tom")
        #expect(try await load(fixture, as: "emily").origin == .network)
        #expect(try await load(fixture, as: nil).origin == .network)
        #expect(try await load(fixture, as: "tom").origin != .network)
    }

    /// A caller that now has credentials gets the response for these credentials.
    @Test(arguments: [("max-age=60", false), ("max-age=60, public", true)])
    func sharesResponseWithoutCredentialsIfPublic(
        _ cacheControl: String, isForAll: Bool
    ) async throws {
        let fixture = try await Fixture()
        fixture.origin.handle("/a.png", answer(cacheControl))
        _ = try await load(fixture, as: nil)
        #expect((try await load(fixture, as: "tom").origin == .memory) == isForAll)
    }

    @Test func treatsHostAndURLCredentialsAlike() async throws {
        let fixture = try await Fixture {
            $0.downloader.hosts = [
                "127.0.0.1": HostOptions(credential: .basic(user: "a", password: "b"))
            ]
        }
        fixture.origin.handle("/a.png", answer("max-age=60"))
        _ = try await load(fixture, as: nil)
        await fixture.cache.close()
        let second = try fixture.reopened()
        let plain = fixture.origin.url + "/a.png"
        #expect(try await second.load(FetchRequest(plain)).origin == .network)
        let named = plain.replacing("http://", with: "http://a:b@")
        #expect(try await second.load(FetchRequest(named)).origin == .disk)
    }

    /// The target of a login redirect is not returned to callers without credentials.
    @Test func separatesRedirectedResponsesByCredentials() async throws {
        let fixture = try await Fixture()
        fixture.origin["/to"] = .redirect(to: "http://localhost:\(fixture.origin.port)/a.png")
        fixture.origin["/to"]?.cacheControl = "max-age=60"
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        let url = fixture.origin.url + "/to"
        let named = url.replacing("http://", with: "http://c:d@")
        #expect(try await fixture.cache.load(FetchRequest(named)).origin == .network)
        #expect(try await fixture.cache.load(FetchRequest(named)).origin == .memory)
        #expect(try await fixture.cache.load(FetchRequest(url)).origin == .network)
    }

    @Test(arguments: [401, 403])
    func retriesRefusedURLWhenCredentialsChange(_ status: Int) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(status)
        #expect(await fixture.failure("/a.png")?.status == status)
        #expect(await fixture.failure("/a.png")?.age != nil)
        await fixture.cache.close()
        let second = try FetchManager(
            fixture.folder.configuration(fixture.clock) {
                $0.downloader.hosts = ["127.0.0.1": HostOptions(credential: .bearer(token: "t"))]
            })
        fixture.origin["/a.png"] = OriginRoute(png())
        let resource = try await second.load(FetchRequest(fixture.origin.url + "/a.png"))
        #expect(resource.origin == .network)
    }
}
