import Files
import TestSupport
import Testing

@testable import FetchCache

@Suite("Remembered failures and retries", .timeLimit(.minutes(10)))
struct FailedURLTests {
    @Test(
        arguments: [
            .status(404), .status(410), .status(403), .status(401), .page("<html>no"),
            OriginRoute([]), .redirect(to: "/a.png"), .redirect(to: ""),
        ] as [OriginRoute])
    func doesNotRetryPermanentFailure(_ bad: OriginRoute) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = bad
        let first = await fixture.failure("/a.png")
        fixture.clock.advance(seconds: 600)
        let second = await fixture.failure("/a.png")

        #expect(fixture.origin.requestCount == 1)
        #expect(first?.age == nil)
        #expect(second?.age.map { (600...660).contains($0.components.seconds) } == true)
        #expect(second?.code == first?.code)
        #expect(second?.status == first?.status)
        #expect(second?.detail == first?.detail)
        #expect(second?.url == fixture.origin.url + "/a.png")
    }

    @Test(
        arguments: [
            .status(500), .status(503), .status(429), .status(408),
            OriginRoute(png(), delivery: .reset(after: nil)),
            OriginRoute(png(count: 900), delivery: .truncated(after: 100)),
        ] as [OriginRoute])
    func doesNotStoreTransientFailure(_ bad: OriginRoute) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = bad
        #expect(await fixture.failure("/a.png")?.isTransient == true)
        fixture.origin["/a.png"] = OriginRoute(png())
        #expect(try await fixture.load("/a.png").origin == .network)
        #expect(try await fixture.cache.failures().isEmpty)
    }

    /// They concern the server and not the URL.
    @Test(arguments: [501, 505, 407])
    func doesNotStorePermanentFailureOfServer(status: Int) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(status)
        #expect(await fixture.failure("/a.png")?.status == status)
        #expect(try await fixture.cache.failures().isEmpty)
    }

    @Test func unstoredSuccessRemovesFailure() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(404)
        #expect(await fixture.failure("/a.png") != nil)
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "no-store")
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.retryFailed = true
        _ = try await fixture.cache.load(request)
        #expect(try await fixture.cache.failures().isEmpty)
        #expect(try await fixture.load("/a.png").origin == .network)
    }

    @Test func doesNotStoreForbiddenRequests() async throws {
        let fixture = try await Fixture { $0.downloader.network.allowsPrivateNetwork = false }
        #expect(await fixture.failure("/a.png")?.code == .forbidden)
        #expect(try await fixture.cache.failures().isEmpty)
    }

    @Test func doesNotStoreFailuresByLimits() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.bodyBytes = 1_000
            $0.downloader.limits.redirects = 1
        }
        fixture.origin["/large.png"] = OriginRoute(png(count: 2_000))
        for step in 0..<4 { fixture.origin["/\(step)"] = .redirect(to: "/\(step + 1)") }
        #expect(await fixture.failure("/large.png")?.code == .tooLarge)
        #expect(await fixture.failure("/0")?.code == .redirect)
        #expect(try await fixture.cache.failures().isEmpty)
    }

    @Test func failureExpires() async throws {
        let fixture = try await Fixture()
        for (path, status) in [("/a.png", 404), ("/b.png", 410)] {
            fixture.origin[path] = .status(status)
            #expect(await fixture.failure(path)?.status == status)
            fixture.origin[path] = OriginRoute(png())
        }
        fixture.clock.advance(seconds: 3_601)
        #expect(try await fixture.load("/a.png").origin == .network)
        // HTTP 410 is remembered for a day.
        #expect(await fixture.failure("/b.png")?.status == 410)
        fixture.clock.advance(seconds: 86_400)
        #expect(try await fixture.load("/b.png").origin == .network)
    }

    @Test func failureSurvivesTheProcess() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(404)
        #expect(await fixture.failure("/a.png")?.status == 404)
        await fixture.cache.close()
        let second = try fixture.reopened()
        let error = await #expect(throws: FetchError.self) {
            try await second.load(FetchRequest(fixture.origin.url + "/a.png"))
        }
        #expect(error?.status == 404)
        #expect(error?.age != nil)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func retryFailedAndRefreshIgnoreFailures() async throws {
        let fixture = try await Fixture()
        for path in ["/a.png", "/b.png"] {
            fixture.origin[path] = .status(404)
            #expect(await fixture.failure(path)?.status == 404)
            fixture.origin[path] = OriginRoute(png(), cacheControl: "max-age=60")
        }
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.retryFailed = true
        #expect(try await fixture.cache.load(request).origin == .network)
        #expect(try await fixture.load("/b.png", .refresh).origin == .network)
        #expect(try await fixture.load("/a.png").origin == .memory)
        #expect(try await fixture.cache.failures().isEmpty)
    }

    @Test func missingURLFailsDespiteStoredResponse() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        fixture.clock.advance(seconds: 100)
        fixture.origin["/a.png"] = .status(404)
        for _ in 0..<3 { #expect(await fixture.failure("/a.png")?.status == 404) }
        #expect(fixture.origin.requestCount == 2)
        #expect(try await fixture.load("/a.png", .offline).byteCount == 200)
    }

    @Test func zeroLifetimeStoresNoFailures() async throws {
        let fixture = try await Fixture { $0.policy.failureLifetime = .zero }
        fixture.origin["/a.png"] = .status(404)
        #expect(await fixture.failure("/a.png")?.status == 404)
        #expect(await fixture.failure("/a.png")?.status == 404)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func listsFailuresWithReasonAndExpiry() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(404)
        _ = await fixture.failure("/a.png")
        let failure = try #require(try await fixture.cache.failures().first)
        #expect(failure.key == fixture.origin.url + "/a.png")
        #expect(failure.error.detail == "HTTP 404")
        let rest = Timestamp(failure.until).milliseconds - fixture.clock.now
        #expect((3_500_000...3_600_000).contains(rest))
    }

    @Test(arguments: [401, 403])
    func retriesOnlyIfCredentialsOfItsHostChange(_ status: Int) async throws {
        let fixture = try await Fixture()
        let other = try await Origin.start()
        let host = "127.0.0.1:\(fixture.origin.port)"
        fixture.origin["/a.png"] = .status(status)
        fixture.origin["/to"] = .redirect(to: other.url + "/b.png")
        other["/b.png"] = .status(status)
        for path in ["/a.png", "/to"] {
            #expect(await fixture.failure(path)?.status == status)
        }
        await fixture.cache.close()

        func requests(
            with hosts: [String: HostOptions], _ netrc: String = ""
        ) async throws -> [Int] {
            let file = fixture.folder.path + "/netrc"
            removeFile(file)
            try write(Array(netrc.utf8), to: file)
            let cache = try FetchManager(
                fixture.folder.configuration(fixture.clock) {
                    $0.downloader.hosts = hosts
                    if !netrc.isEmpty { $0.downloader.netrcFile = FilePath(file) }
                })
            let before = [fixture.origin.requestCount, other.requestCount]
            for path in ["/a.png", "/to"] {
                _ = try? await cache.load(FetchRequest(fixture.origin.url + path))
            }
            await cache.close()
            return zip([fixture.origin.requestCount, other.requestCount], before).map(-)
        }
        let token = HostOptions(credential: .bearer(token: "t"))
        #expect(try await requests(with: [:]) == [0, 0])
        #expect(try await requests(with: ["127.0.0.1:\(other.port)": token]) == [2, 1])
        #expect(try await requests(with: [:]) == [2, 1])
        #expect(try await requests(with: [host: token]) == [2, 1])
        #expect(try await requests(with: [host: token]) == [0, 0])
        let netrc = "machine 127.0.0.1 login a password b"
        #expect(try await requests(with: [host: token], netrc) == [2, 1])
    }
}
