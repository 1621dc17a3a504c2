import TestSupport
import Testing

/// Images that are refused by their first bytes.
@Suite(.timeLimit(.minutes(10))) struct EarlyRefusalTests {
    /// The first bytes of images with too many pixels.
    private static let beginnings: [String: [UInt8]] = [
        "png": Array(Pictures.bomb(width: 60_000, height: 60_000).prefix(60)),
        "gif": Pictures.gif(canvas: (60_000, 60_000), frame: (1, 1)),
    ]

    private func bake(_ route: OriginRoute) async throws -> CommandResult {
        let origin = try await Origin.start()
        origin["/a"] = route
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a>"])
        let result = try await site.bake("--json", "--retries", "0", "--stall-timeout", "60s")
        return result
    }

    private func codes(_ result: CommandResult) throws -> [String] {
        let all = try result.json["diagnostics"] as? [[String: any Sendable]] ?? []
        return all.compactMap { $0["code"] as? String }
    }

    @Test func stopsDownloadOfImageWithTooManyPixels() async throws {
        let start = try #require(Self.beginnings["png"])
        let body = start + [UInt8](repeating: 0, count: 20_000_000)
        let result = try await bake(OriginRoute(body, delivery: .stalled(after: 60_000)))
        #expect(result.exitCode == 1)
        #expect(try codes(result) == ["too-many-pixels"])
    }

    /// The server sends as fast as it can, and counts the bytes.
    @Test(arguments: ["png", "gif"])
    func serverSendsSmallPartOfImageWithTooManyPixels(format: String) async throws {
        let byteCount = 40_000_000
        let server = try CountingServer(
            try #require(Self.beginnings[format]), byteCount: byteCount)
        let site = try TestSite(["a.html": "<img src=\(server.url)/a>"])
        let result = try await site.bake("--json")
        #expect(try codes(result) == ["too-many-pixels"])
        for await sent in server.counts {
            #expect(sent > 0)
            #expect(sent < byteCount / 10)
            break
        }
    }

    /// Proves that the server counts: it sends all of an image within the limit.
    @Test func serverSendsWholeImageWithinLimit() async throws {
        let byteCount = 4_000_000
        let server = try CountingServer(
            Array(Pictures.bomb(width: 600, height: 600).prefix(60)), byteCount: byteCount)
        let site = try TestSite(["a.html": "<img src=\(server.url)/a>"])
        let result = try await site.bake("--json")
        #expect(try codes(result) == ["damaged-image"])
        for await sent in server.counts {
            #expect(sent == byteCount)
            break
        }
    }

    @Test func refusedImageIsNotRequestedAgain() async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(
            Pictures.bomb(width: 20_000, height: 20_000).prefix(60)
                + [UInt8](repeating: 0, count: 200_000))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a>"])
        var requests = [0]
        func bake(_ options: String...) async throws -> [String] {
            let arguments = ["--json"] + options
            let result = try await site.start(arguments).result()
            #expect(result.exitCode == 1)
            requests.append(origin.requestCount)
            return try codes(result)
        }
        for _ in 0..<3 { #expect(try await bake() == ["too-many-pixels"]) }
        #expect(requests == [0, 1, 1, 1])
        #expect(try await bake("--retry-failed") == ["too-many-pixels"])
        #expect(requests.last == 2)
        #expect(try await bake("--max-pixels", "300000000") == ["too-many-pixels"])
        #expect(requests.last == 3)
        // Each limit has its own verdict; this one lets the whole file arrive.
        #expect(try await bake("--max-pixels", "500000000") == ["damaged-image"])
        #expect(requests.last == 4)
    }

    @Test func prefetchDoesNotRequestRefusedImageAgain() async throws {
        let origin = try await Origin.start()
        origin["/a"] = OriginRoute(
            try #require(Self.beginnings["gif"]) + [UInt8](repeating: 0, count: 200_000))
        let site = try TestSite(["a.html": "<img src=\(origin.url)/a>"])
        for _ in 0..<2 {
            let result = try await site.run("prefetch", "--allow-private-network", "site")
            #expect(result.exitCode == 1)
            #expect(try result.diagnostics.map(\.code) == ["too-many-pixels"])
        }
        #expect(origin.requestCount == 1)
    }

    @Test func bakesJPEGWithLongMetadata() async throws {
        let scene = try Pictures.scene(as: "jpg[strip]")
        let segment = [0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 0x20, count: 65_533)
        let result = try await bake(
            OriginRoute(Array(scene.prefix(2) + segment + segment + scene.dropFirst(2))))
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
