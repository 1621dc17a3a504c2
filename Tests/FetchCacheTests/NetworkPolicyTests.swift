import FetchCache
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NetworkPolicyTests {
    private func failure(
        _ url: String, _ configure: @escaping (inout FetchConfiguration) -> Void = { _ in }
    ) async throws -> FetchError? {
        let folder = try TestFolder()
        let cache = try FetchManager(
            folder.configuration {
                $0.downloader.network.allowsPrivateNetwork = false
                configure(&$0)
            })
        var failure: FetchError?
        do { _ = try await cache.load(FetchRequest(url)) } catch { failure = error }
        await cache.close()
        return failure
    }

    @Test(arguments: [
        "127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]",
        "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "169.254.169.254",
        "10.0.0.1", "[fe80::1]", "100.64.0.1",
    ])
    func refusesPrivateLiteralsWithoutRequest(_ host: String) async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(png())
        let failure = try await failure("http://\(host):\(origin.port)/a.png")
        #expect(failure?.code == .forbidden, "\(failure as Any)")
        #expect(origin.connectionCount == 0)
    }

    @Test(arguments: ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[64:ff9b::a00:1]"])
    func checksAddressBehindName(_ address: String) async throws {
        let origin = try await Origin.start()
        let failure = try await failure("http://images.example:\(origin.port)/a.png") {
            $0.downloader.network.hostAddresses = ["images.example:\(origin.port):\(address)"]
        }
        #expect(failure?.code == .forbidden)
        #expect(failure?.detail.contains("the private network is not allowed") == true)
        #expect(origin.connectionCount == 0)
    }

    @Test func refusesLocalhost() async throws {
        let origin = try await Origin.start()
        let failure = try await failure("http://localhost:\(origin.port)/a.png")
        #expect(failure?.code == .forbidden)
        #expect(origin.connectionCount == 0)
    }

    @Test func loadsFromNamesOfAllowedAddresses() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(png())
        let failure = try await failure("http://images.example:\(origin.port)/a.png") {
            $0.downloader.network.allowsPrivateNetwork = true
            $0.downloader.network.hostAddresses = ["images.example:\(origin.port):127.0.0.1"]
        }
        #expect(failure == nil)
        #expect(origin.requests.map { $0.header("Host") } == ["images.example:\(origin.port)"])
    }
}

@Suite(.timeLimit(.minutes(10)))
struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func followsRedirects(_ status: Int) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .redirect(to: "b.png?x#y", status: status)
        fixture.origin["/b.png"] = OriginRoute(png())
        let resource = try await fixture.load("/a.png")
        #expect(resource.url == fixture.origin.url + "/a.png")
        #expect(resource.finalURL == fixture.origin.url + "/b.png?x")
    }

    @Test func limitsNumberOfRedirects() async throws {
        let fixture = try await Fixture { $0.downloader.limits.redirects = 3 }
        for step in 0..<5 { fixture.origin["/\(step)"] = .redirect(to: "/\(step + 1)") }
        fixture.origin["/5"] = OriginRoute(png())
        #expect(try await fixture.load("/2").finalURL.hasSuffix("/5"))
        let failure = await fixture.failure("/1")
        #expect(failure?.code == .redirect)
        #expect(failure?.detail.hasPrefix("more than 3 redirects") == true)
    }

    @Test func detectsRedirectLoop() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a"] = .redirect(to: "/b")
        fixture.origin["/b"] = .redirect(to: "/a")
        #expect(await fixture.failure("/a")?.code == .redirect)
        #expect(fixture.origin.requestCount == 2)
    }

    /// The origin acts as a proxy, so that the first redirects lead to allowed hosts.
    @Test(arguments: ["http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://10.1/"])
    func checksEachRedirect(_ location: String) async throws {
        let origin = try await Origin.start()
        let folder = try TestFolder()
        let cache = try FetchManager(
            folder.configuration {
                $0.downloader.network.allowsPrivateNetwork = false
                $0.downloader.network.proxy = .server(url: origin.url, except: [])
            })
        origin["http://images.example/a"] = .redirect(to: "http://other.example/b")
        origin["http://other.example/b"] = .redirect(to: location)
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest("http://images.example/a"))
        }
        #expect(error?.code == .forbidden)
        #expect(
            origin.requests.map(\.target) == ["http://images.example/a", "http://other.example/b"])
    }

    @Test func errorsNameRequestedAndFinalURL() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .redirect(to: "/b.png")
        let failure = await fixture.failure("/a.png")
        #expect(failure?.url == fixture.origin.url + "/a.png")
        #expect(failure?.detail == "HTTP 404 (redirected to \(fixture.origin.url)/b.png)")
    }

    @Test func sendsValidatorsOnlyToTheirURL() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .redirect(to: "/b.png")
        fixture.origin["/b.png"] = OriginRoute(png(1), etag: "\"1\"")
        _ = try await fixture.load("/a.png")
        #expect(try await fixture.load("/a.png").origin == .revalidated)
        #expect(fixture.origin.requests(for: "/a.png").last?.header("If-None-Match") == nil)
        #expect(fixture.origin.requests(for: "/b.png").last?.header("If-None-Match") == "\"1\"")

        // Another target is another resource, even if its validators are the same.
        fixture.origin["/a.png"] = .redirect(to: "/c.png")
        fixture.origin["/c.png"] = OriginRoute(png(2), etag: "\"1\"")
        let third = try await fixture.load("/a.png")
        #expect(third.origin == .network)
        #expect(bytes(of: third.path) == png(2))
    }

    @Test(arguments: [
        (301, nil, 2), (308, nil, 2), (302, nil, 4), (302, "max-age=600", 2), (301, "no-cache", 4),
    ])
    func freshnessIncludesRedirects(_ status: Int, control: String?, requests: Int) async throws {
        let fixture = try await Fixture()
        var redirect = OriginRoute.redirect(to: "/b.png", status: status)
        redirect.cacheControl = control
        fixture.origin["/a.png"] = redirect
        fixture.origin["/b.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        _ = try await fixture.load("/a.png")
        #expect(fixture.origin.requestCount == requests)
    }
}
