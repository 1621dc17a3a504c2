import FetchCache
import TestSupport
import Testing

@Suite("The network policy", .timeLimit(.minutes(10)))
struct PolicyTests {
    @Test func callsClosureForEachRedirect() async throws {
        let asked = Asked()
        let fixture = try await Fixture {
            $0.downloader.network.mayDownload = { url in
                asked.add(url)
                return !url.hasSuffix("/secret.png")
            }
        }
        fixture.origin["/a.png"] = .redirect(to: "/b.png")
        fixture.origin["/b.png"] = .redirect(to: "/secret.png")
        fixture.origin["/secret.png"] = OriginRoute(png())
        let error = await fixture.failure("/a.png")
        #expect(error?.code == .forbidden)
        #expect(error?.detail.contains("the policy does not allow it") == true)
        #expect(fixture.origin.requests.map(\.path) == ["/a.png", "/b.png"])
        #expect(
            asked.urls == ["/a.png", "/b.png", "/secret.png"].map { fixture.origin.url + $0 })
    }

    @Test func returnsStoredResourceOfForbiddenURL() async throws {
        let fixture = try await Fixture { $0.downloader.network.mayDownload = { _ in false } }
        let request = FetchRequest(fixture.origin.url + "/a.png")
        try await fixture.cache.store(
            png(), for: request, headers: Fields([("Cache-Control", "max-age=60")]))
        #expect(try await fixture.cache.load(request).origin == .memory)
        #expect(fixture.origin.requestCount == 0)
    }

    /// Full-width letters and digits, and a trailing dot, are normalized to the requested host.
    @Test(arguments: [
        "http://\u{FF45}vil.invalid/a", "http://evil.invalid./a", "http://EVIL.invalid/a",
        "http://ev%69l.invalid/a",
    ])
    func deniesHostInEveryNotation(_ url: String) async throws {
        let fixture = try await Fixture { $0.downloader.network.deniedHosts = ["evil.invalid"] }
        let error = await #expect(throws: FetchError.self) {
            try await fixture.cache.load(FetchRequest(url))
        }
        #expect(error?.code == .forbidden)
    }

    @Test(
        arguments: [
            ([], ["127.0.0.1"], false), (["example.org"], [], false), (["127.0.0.1"], [], true),
            (["*.0.0.1"], [], true), (["*"], ["*.1"], false), ([], ["localhost"], true),
        ] as [([String], [String], Bool)])
    func appliesAllowedAndDeniedHosts(
        _ allowed: [String], _ denied: [String], isAllowed: Bool
    ) async throws {
        let fixture = try await Fixture {
            $0.downloader.network.allowedHosts = allowed
            $0.downloader.network.deniedHosts = denied
        }
        fixture.origin["/a.png"] = OriginRoute(png())
        let error = await fixture.failure("/a.png")
        #expect(error?.code == (isAllowed ? nil : .forbidden))
        #expect(fixture.origin.requestCount == (isAllowed ? 1 : 0))
    }
}

/// Records the arguments of a closure.
final class Asked: Sendable {
    private let state = Box<[String]>([])

    var urls: [String] { state.value }

    func add(_ url: String) { state.change { $0.append(url) } }
}
