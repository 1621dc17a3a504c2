import TestSupport
import Testing

@testable import FetchCache

@Suite("Keys and key filters", .timeLimit(.minutes(10)))
struct KeyTests {
    private let utm = KeyFilter.dropping(queryParameters: ["utm_*", "sig"])

    @Test(
        arguments: [
            ("https://h/a.png?utm_source=x", "https://h/a.png"),
            ("https://h/a.png?w=1&utm_source=x&sig=abc&h=2", "https://h/a.png?w=1&h=2"),
            ("https://h/a.png?signature=1", "https://h/a.png?signature=1"),
            ("https://h/a.png", "https://h/a.png"), ("https://h/a.png?a", "https://h/a.png?a"),
            ("https://h/a.png?sig", "https://h/a.png"), ("https://h/?a=sig", "https://h/?a=sig"),
        ])
    func dropsParameters(_ url: String, key: String) throws {
        #expect(try LoadTarget(FetchRequest(url), keyFilter: utm).key == key)
    }

    @Test func urlsDifferingInDroppedParametersShareDownload() async throws {
        let fixture = try await Fixture { $0.policy.keyFilter = utm }
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        async let first = fixture.load("/a.png?utm_source=x")
        async let second = fixture.load("/a.png?utm_source=y")
        _ = try await (first, second)
        _ = try await fixture.load("/a.png?sig=1")
        #expect(fixture.origin.requestCount == 1)
        #expect(try await fixture.cache.summary().entryCount == 1)
        #expect(try await fixture.cache.contains(FetchRequest(fixture.origin.url + "/a.png?sig=9")))
    }

    private func target(
        _ url: String = "http://h/a", _ change: (inout FetchRequest) -> Void = { _ in }
    ) throws -> LoadTarget {
        var request = FetchRequest(url)
        change(&request)
        return try LoadTarget(request, keyFilter: nil)
    }

    @Test func keyOfGETIsItsURL() throws {
        let targets = [
            try target(), try target { $0.acceptsAnyContent = true },
            try target { $0.headers = Fields([("Accept", "image/avif")]) },
            try target("http://user:secret@h/a"), try target { $0.priority = .high },
            try target { $0.acceptsAnyStatus = true }, try target { $0.storage = .memory },
        ]
        #expect(Set(targets.map(\.key)) == ["http://h/a"])
        #expect(try target { $0.method = .head }.key != "http://h/a")
    }

    @Test func onlyEquivalentRequestsShareTransfers() throws {
        let targets = [
            try target(), try target { $0.acceptsAnyContent = true },
            try target { $0.acceptsAnyStatus = true }, try target { $0.storage = .memory },
            try target { $0.headers = Fields([("Accept", "image/avif")]) },
            try target { $0.headers = Fields([("Accept", "image/webp")]) },
            try target("http://user:secret@h/a"), try target("http://other:secret@h/a"),
        ]
        let keys = Set(targets.map(\.shareKey))
        #expect(keys.count == targets.count)
        #expect(keys.allSatisfy { !$0.contains("secret") })
        #expect(try target { $0.priority = .high }.shareKey == targets[0].shareKey)
    }

    @Test(arguments: [
        "", "  ", "cat.png", "file:///etc/passwd", "http://", "data:,x", "http://h:x/",
    ])
    func invalidURLFailsWithoutCrash(_ url: String) async throws {
        let fixture = try await Fixture()
        let error = await #expect(throws: FetchError.self) {
            try await fixture.cache.load(FetchRequest(url))
        }
        #expect(error?.code == .invalidURL)
        #expect(throws: FetchError.self) { try fixture.cache.key(for: FetchRequest(url)) }
    }
}
