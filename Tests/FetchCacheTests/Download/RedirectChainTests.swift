import Testing

@testable import FetchCache

struct RedirectChainTests {
    private func follow(
        _ location: String, from url: String,
        _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) async throws(FetchError) -> String {
        var configuration = FetchConfiguration(folder: "/nowhere")
        configure(&configuration)
        var chain = RedirectChain(url, configuration.downloader)
        let head = ResponseHead(
            status: 302, fields: HeaderFields([(name: "Location", value: location)]))
        try await chain.follow(
            TransferResponse(head: head, requestTime: .distantPast, responseTime: .distantPast))
        let target = try LoadTarget(FetchRequest(url), keyFilter: nil)
        return try await RequestBuilder(configuration.downloader)
            .request(for: chain.url, of: target).transport.url
    }

    @Test(arguments: [
        ("b", "http://h/a/b"), ("/b", "http://h/b"), ("../b", "http://h/b"),
        ("?q", "http://h/a/x?q"),
        ("//i/b", "http://i/b"), ("https://i/b", "https://i/b"),
        ("b c.png", "http://h/a/b%20c.png"),
        ("/ä", "http://h/%C3%A4"), ("b#c", "http://h/a/b"), ("HTTP://I", "http://i/"),
    ])
    func resolvesRelativeLocations(_ location: String, expected: String) async throws {
        #expect(try await follow(location, from: "http://h/a/x") == expected)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://2130706433/", "http://[::1]/", "http://169.254.169.254/x",
        "http://[::ffff:10.0.0.1]/",
    ])
    func forbidsPrivateAddress(_ location: String) async {
        let error = await #expect(throws: FetchError.self) {
            try await follow(location, from: "http://h/a")
        }
        #expect(error?.code == .forbidden)
    }

    @Test func forbidsDowngradeUnlessAllowed() async throws {
        let error = await #expect(throws: FetchError.self) {
            try await follow("http://h/b", from: "https://h/a")
        }
        #expect(error?.code == .forbidden)
        #expect(
            try await follow("http://h/b", from: "https://h/a") {
                $0.downloader.network.allowsDowngrade = true
            }
                == "http://h/b")
        #expect(try await follow("https://h/b", from: "http://h/a") == "https://h/b")
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://h/a", "gopher://h/", "javascript:x"])
    func failsForOtherSchemes(_ location: String) async {
        let error = await #expect(throws: FetchError.self) {
            try await follow(location, from: "http://h/a")
        }
        #expect(error?.code == .redirect)
    }
}
