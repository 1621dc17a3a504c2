import FetchCache
import TestSupport
import Testing

@Suite("Resources that their servers no longer have", .timeLimit(.minutes(10)))
struct GoneTests {
    private static let answers: [OriginRoute] =
        [400, 401, 403, 404, 405, 410, 451].map { .status($0) } + [
            .redirect(to: "/page"), .redirect(to: "/a.png"), .status(302), .page("<p>gone</p>"),
            OriginRoute([], contentType: "image/png"),
            OriginRoute(Array("gone".utf8), contentType: "image/png"),
        ]

    private func fixture(
        _ cacheControl: String = "max-age=1", etag: String? = "\"1\""
    ) async throws -> Fixture {
        let fixture = try await Fixture { $0.policy.onGone = .keep }
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: etag, cacheControl: cacheControl)
        fixture.origin["/page"] = .page("<h1>Home</h1>")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        return fixture
    }

    private func reopened(_ fixture: Fixture) throws -> FetchManager {
        try FetchManager(fixture.folder.configuration(fixture.clock) { $0.policy.onGone = .keep })
    }

    @Test(arguments: answers)
    func keepsWhatServerNoLongerHas(_ answer: OriginRoute) async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"] = answer
        let resource = try await fixture.load("/a.png")
        #expect(try await resource.bytes() == png(1))
        #expect(resource.origin == .stale)
        #expect(resource.warning != nil)
        #expect(resource.gone?.reason.isEmpty == false)
    }

    @Test(arguments: answers) func failsByDefault(_ answer: OriginRoute) async throws {
        let fixture = try await Fixture()
        fixture.origin["/page"] = .page("<h1>Home</h1>")
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=1")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = answer
        #expect(await fixture.failure("/a.png") != nil)
    }

    @Test func rememberedFailureDoesNotHideStoredResource() async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"] = .status(404)
        let first = try #require(try await fixture.load("/a.png").gone)
        fixture.origin.forgetRequests()
        fixture.clock.advance(seconds: 600)
        #expect(try await fixture.load("/a.png").gone == first)
        await fixture.cache.close()
        let second = try reopened(fixture)
        #expect(
            try await second.load(FetchRequest(fixture.origin.url + "/a.png")).gone == first)
        #expect(fixture.origin.requestCount == 0)
    }

    @Test(arguments: ["max-age=1", "max-age=1, must-revalidate", "no-cache", "max-age=100000"])
    func firstTimeSurvivesLaterAnswers(_ cacheControl: String) async throws {
        let fixture = try await fixture(cacheControl)
        fixture.origin["/a.png"] = .status(404)
        let first = try #require(try await fixture.load("/a.png", .refresh).gone)
        fixture.clock.advance(seconds: 90_000)
        fixture.origin["/a.png"] = .status(410)
        fixture.origin.forgetRequests()
        let later = try #require(try await fixture.load("/a.png").gone)
        #expect(fixture.origin.requestCount == 1)
        #expect(later.since == first.since)
        #expect([first.reason, later.reason] == ["HTTP 404", "HTTP 410"])
        _ = try await fixture.cache.clean(maximumAge: .seconds(3_600), maximumBytes: nil)
        fixture.clock.advance(seconds: 200_000)
        fixture.origin["/a.png"] = .status(503)
        #expect(try await fixture.load("/a.png").gone == later)
    }

    @Test func firstTimeIsKnownOfAnswerWithNoStore() async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"] = .status(404, headers: [("Cache-Control", "no-store")])
        let first = try #require(try await fixture.load("/a.png").gone)
        fixture.clock.advance(seconds: 10)
        #expect(try await fixture.load("/a.png").gone == first)
        #expect(try await fixture.cache.failures().isEmpty)
    }

    @Test func resourceThatComesBackIsNotGone() async throws {
        let fixture = try await fixture()
        let route = fixture.origin["/a.png"]
        for answer in [OriginRoute(png(1), cacheControl: "max-age=1"), route] {
            fixture.origin["/a.png"] = .status(404)
            #expect(try await fixture.load("/a.png", .refresh).gone != nil)
            fixture.origin["/a.png"] = answer
            #expect(try await fixture.load("/a.png", .refresh).gone == nil)
            #expect(try await fixture.load("/a.png").gone == nil)
            fixture.clock.advance(seconds: 100)
        }
    }

    @Test func offlineTellsThatResourceIsGone() async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"] = .status(404)
        let gone = try await fixture.load("/a.png").gone
        fixture.clock.advance(seconds: 90_000)
        #expect(gone != nil)
        #expect(try await fixture.load("/a.png", .offline).gone == gone)
    }

    @Test func keepsResourceOfReadOnlyCache() async throws {
        let fixture = try await fixture()
        await fixture.cache.close()
        let folder = try TestFolder()
        let cache = try FetchManager(
            folder.configuration(fixture.clock) {
                $0.policy.onGone = .keep
                $0.folder.readOnlyCaches = [fixture.cache.configuration.folder.path]
            })
        fixture.origin["/a.png"] = .status(404, headers: [("Cache-Control", "no-store")])
        let request = FetchRequest(fixture.origin.url + "/a.png")
        let first = try #require(try await cache.load(request).gone)
        fixture.clock.advance(seconds: 100)
        let second = try await cache.load(request)
        #expect(second.gone == first)
        #expect(try await second.bytes() == png(1))
    }

    @Test func limitsApplyToKeptResource() async throws {
        let fixture = try await fixture()
        await fixture.cache.close()
        fixture.origin["/a.png"] = .status(404)
        for tighten: @Sendable (inout FetchConfiguration) -> Void in [
            { $0.downloader.limits.bodyBytes = 10 },
            { $0.downloader.network.allowsPrivateNetwork = false },
            { $0.downloader.network.deniedHosts = ["127.0.0.1"] },
        ] {
            let cache = try FetchManager(
                fixture.folder.configuration(fixture.clock) {
                    $0.policy.onGone = .keep
                    tighten(&$0)
                })
            await #expect(throws: FetchError.self) {
                try await cache.load(FetchRequest(fixture.origin.url + "/a.png"))
            }
            await cache.close()
        }
    }

    @Test func refusalByBodyCheckIsNotGone() async throws {
        let fixture = try await fixture()
        await fixture.cache.close()
        fixture.origin["/a.png"] = OriginRoute(png(2))
        let cache = try FetchManager(
            fixture.folder.configuration(fixture.clock) {
                $0.policy.onGone = .keep
                let old = png(1)
                $0.downloader.bodyCheck = BodyCheck(identity: "differs") { beginning in
                    old.starts(with: beginning.bytes) || beginning.bytes.starts(with: old)
                        ? .accepted : .refused(reason: "other")
                }
            })
        await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest(fixture.origin.url + "/a.png"))
        }
    }

    @Test func requestsThatWantTheAnswerGetIt() async throws {
        let fixture = try await fixture()
        fixture.origin["/a.png"] = .status(404)
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.acceptsAnyStatus = true
        request.acceptsAnyContent = true
        #expect(try await fixture.cache.load(request).response.status == 404)
    }
}
