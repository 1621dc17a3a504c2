import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Cookies, off by default", .timeLimit(.minutes(10)))
struct CookieTests {
    private func setUp(_ fixture: Fixture) {
        fixture.origin["/set.png"] = OriginRoute(png())
        fixture.origin["/set.png"]?.headers = [("Set-Cookie", "id=7; Max-Age=3600; Path=/")]
        fixture.origin["/get.png"] = OriginRoute(png(), cacheControl: "no-store")
    }

    private func sent(_ fixture: Fixture) -> [String?] {
        fixture.origin.requests(for: "/get.png").map { $0.header("Cookie") }
    }

    @Test func keepsNoCookiesByDefault() async throws {
        let fixture = try await Fixture()
        setUp(fixture)
        _ = try await fixture.load("/set.png")
        _ = try await fixture.load("/get.png")
        #expect(sent(fixture) == [nil])
        await fixture.close()
        #expect(!fixture.folder.files(in: "").contains("cookies"))
    }

    @Test func clearRemovesCookies() async throws {
        let fixture = try await Fixture { $0.downloader.keepsCookies = true }
        setUp(fixture)
        _ = try await fixture.load("/set.png")
        try await fixture.cache.clear()
        _ = try await fixture.load("/get.png")
        #expect(sent(fixture) == [nil])
        await fixture.cache.close()
        let jar = bytes(of: fixture.folder.path + "/cache/cookies") ?? []
        #expect(!String(decoding: jar, as: UTF8.self).contains("id"))
    }

    @Test func sendsStoredCookiesToTheirHost() async throws {
        let fixture = try await Fixture { $0.downloader.keepsCookies = true }
        setUp(fixture)
        _ = try await fixture.load("/set.png")
        _ = try await fixture.load("/get.png")
        let elsewhere = "http://localhost:\(fixture.origin.port)/get.png"
        _ = try await fixture.cache.load(FetchRequest(elsewhere))
        #expect(sent(fixture) == ["id=7", nil])
        await fixture.cache.close()
        var info = stat()
        #expect(stat(fixture.folder.path + "/cache/cookies", &info) == 0)
        #expect(info.st_mode & 0o777 == 0o600)

        let second = try FetchManager(
            fixture.folder.configuration(fixture.clock) { $0.downloader.keepsCookies = true })
        _ = try await second.load(FetchRequest(fixture.origin.url + "/get.png"))
        #expect(sent(fixture).last == "id=7")
    }
}
