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

    /// A gate sets a cookie and sends the browser back to where it came from.
    @Test(arguments: ["/a.png", "/gate"], [true, false])
    func redirectWithNewCookieIsNoCircle(gate: String, keepsCookies: Bool) async throws {
        let fixture = try await Fixture { $0.downloader.keepsCookies = keepsCookies }
        let passed = Counter()
        fixture.origin.handle("/a.png") { request in
            if request.header("Cookie") == "gate=1" {
                _ = passed.next()
                return OriginRoute(png())
            }
            var route = OriginRoute.redirect(to: gate)
            if gate == "/a.png" { route.headers.append(("Set-Cookie", "gate=1; Path=/")) }
            return route
        }
        fixture.origin["/gate"] = .redirect(to: "/back")
        fixture.origin["/gate"]?.headers.append(("Set-Cookie", "gate=1; Path=/"))
        fixture.origin["/back"] = .redirect(to: "/a.png")
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == (keepsCookies ? nil : .redirect))
        #expect(passed.value == (keepsCookies ? 1 : 0))
    }

    @Test func redirectsInACircleAreFollowedOnlyForNewCookies() async throws {
        let fixture = try await Fixture { $0.downloader.keepsCookies = true }
        fixture.origin["/same.png"] = .redirect(to: "/same.png")
        fixture.origin["/same.png"]?.headers.append(("Set-Cookie", "a=1; Path=/"))
        let number = Counter()
        fixture.origin.handle("/other.png") { _ in
            var route = OriginRoute.redirect(to: "/other.png")
            route.headers.append(("Set-Cookie", "a=\(number.next()); Path=/"))
            return route
        }
        #expect(await fixture.failure("/same.png")?.detail.contains("circle") == true)
        #expect(fixture.origin.requestCount == 2)
        #expect(await fixture.failure("/other.png")?.detail == "more than 10 redirects")
        #expect(number.value == 11)
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
