import TestSupport
import Testing

@testable import FetchCache

@Suite("Network policy: proxies", .timeLimit(.minutes(10)))
struct ProxyTests {
    @Test func sendsRequestsThroughProxy() async throws {
        let fixture = try await Fixture()
        // The origin acts as the proxy, which receives complete URLs.
        fixture.origin["http://nowhere.invalid/a.png"] = OriginRoute(png())
        let cache = try FetchManager(
            fixture.folder.configuration(fixture.clock) {
                $0.downloader.network.allowsPrivateNetwork = false
                $0.downloader.network.proxy = .server(
                    url: fixture.origin.url, except: ["*.direct.invalid"])
            })
        #expect(try await cache.load(FetchRequest("http://nowhere.invalid/a.png")).byteCount == 200)
        let direct = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest("http://www.direct.invalid/a.png"))
        }
        #expect(direct?.code == .unresolved)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test(arguments: ["http://127.0.0.1/a", "http://2130706433/a", "http://[::ffff:10.0.0.1]/a"])
    func checksLiteralAddressesBehindProxy(_ url: String) async throws {
        let fixture = try await Fixture()
        let cache = try FetchManager(
            fixture.folder.configuration(fixture.clock) {
                $0.downloader.network.allowsPrivateNetwork = false
                $0.downloader.network.proxy = .server(url: fixture.origin.url, except: [])
            })
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest(url))
        }
        #expect(error?.code == .forbidden)
        #expect(fixture.origin.requestCount == 0)
    }

    @Test func reportsUnresolvedProxy() async throws {
        let fixture = try await Fixture {
            $0.downloader.network.proxy = .server(url: "http://proxy.invalid:3128", except: [])
        }
        let error = await fixture.failure("/a.png")
        #expect(error?.code == .unreachable)
        #expect(error?.detail.contains("proxy.invalid:3128") == true)
        #expect(error?.detail.contains("does not resolve") == true)
    }

    @Test(
        arguments: [
            (["http_proxy": "p:1"], "http://h/", "p:1"), (["http_proxy": "p:1"], "https://h/", nil),
            (["HTTP_PROXY": "p:1"], "http://h/", nil),
            (["HTTPS_PROXY": "p:1"], "https://h/", "p:1"),
            (["https_proxy": "p:1", "HTTPS_PROXY": "q:1"], "https://h/", "p:1"),
            (["all_proxy": "p:1"], "http://h/", "p:1"), (["http_proxy": ""], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "h"], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "h"], "http://www.h/", nil),
            (["http_proxy": "p", "no_proxy": ".h"], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "*.h"], "http://www.h/", nil),
            (["http_proxy": "p", "no_proxy": "h"], "http://oh/", "p"),
            (["http_proxy": "p", "no_proxy": "."], "http://h/", "p"),
            (["http_proxy": "p", "NO_PROXY": "a, h:8080"], "http://h:8080/", nil),
            (["http_proxy": "p", "NO_PROXY": "a, h:8080"], "http://h/", "p"),
            (["http_proxy": "p", "no_proxy": "*"], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://10.1.2.3/", nil),
            (["all_proxy": "p"], "http://localhost:8080/", nil),
            (["all_proxy": "p"], "https://a.localhost/", nil),
            (["all_proxy": "p"], "https://nolocalhost/", "p"),
            (["http_proxy": "p", "no_proxy": "10.0.0.0/8"], "http://11.1.2.3/", "p"),
            (["http_proxy": "p", "no_proxy": "10.0.0.1"], "http://10.0.0.1/", nil),
            (["http_proxy": "p", "no_proxy": "fd00::/8"], "http://[fd12::1]/", nil),
            (["http_proxy": "p", "no_proxy": "2001:db8::/33"], "http://[2001:db8:8000::]/", "p"),
        ] as [([String: String], String, String?)])
    func readsEnvironmentLikeCurl(
        _ variables: [String: String], url: String, proxy: String?
    ) throws {
        let choice = ProxyChoice(.environment) { variables[$0] }
        #expect(choice.proxy(for: try URLText.parts(of: url)) == proxy)
    }
}
