import FetchCache
import TestSupport
import Testing

/// Checks that each network failure gives its own kind of error and stores nothing.
@Suite(.timeLimit(.minutes(10)))
struct BadAnswerTests {
    @Test(
        arguments: [
            (.status(404), .status, "HTTP 404"),
            (.status(500), .status, "HTTP 500"),
            (.status(300), .status, "HTTP 300"),
            (.status(304), .status, "HTTP 304"),
            (.redirect(to: "/a.png"), .redirect, "a redirect in a circle"),
            (.redirect(to: "ftp://example.org/a"), .redirect, "only http and https"),
            (.status(302), .redirect, "HTTP 302 without a Location"),
            (.page("<!DOCTYPE html><title>Sign in</title>"), .notAnImage, "an HTML page"),
            (OriginRoute(Array("plain text, no more".utf8)), .notAnImage, "not an image"),
            (OriginRoute(Array("<rss/>".utf8)), .notAnImage, "an XML document (rss)"),
            (OriginRoute([]), .empty, "no bytes"),
            (OriginRoute(delivery: .chunked), .empty, "no bytes"),
            (OriginRoute([0x89]), .notAnImage, "not an image"),
            (
                OriginRoute(png(count: 9000), delivery: .truncated(after: 5000)), .interrupted,
                "cut short"
            ),
            (
                OriginRoute(png(count: 9000), delivery: .truncated(after: 0)), .interrupted,
                "cut short"
            ),
            (
                OriginRoute(png(count: 9000), delivery: .chunkedCut(after: 5000)), .interrupted,
                ""
            ),
            (OriginRoute(png(), delivery: .reset(after: nil)), .interrupted, "reset"),
            (OriginRoute(png(count: 9000), delivery: .reset(after: 500)), .interrupted, "reset"),
            (OriginRoute(png(count: 20_001)), .tooLarge, "limit of 20.0 kB"),
            (OriginRoute(png(count: 20_001), delivery: .chunked), .tooLarge, "limit of 20.0 kB"),
        ] as [(OriginRoute, FetchError.Code, String)])
    func reportsFailure(_ route: OriginRoute, code: FetchError.Code, detail: String) async throws {
        let fixture = try await Fixture { $0.downloader.limits.bodyBytes = 20_000 }
        fixture.origin["/a.png"] = route

        let failure = await fixture.failure("/a.png")

        #expect(failure?.code == code)
        #expect(
            failure?.detail.lowercased().contains(detail.lowercased()) == true, "\(failure as Any)")
        #expect(failure?.url == fixture.origin.url + "/a.png")
        #expect(fixture.folder.files(in: "blobs") == [])
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
        #expect(await fixture.failure("/a.png", .offline)?.code == .offline)
    }

    @Test(arguments: [OriginRoute.Delivery.silent, .stalled(after: 0), .stalled(after: 4000)])
    func failsForStalledResponse(_ delivery: OriginRoute.Delivery) async throws {
        let fixture = try await Fixture { $0.downloader.times.stall = .milliseconds(300) }
        fixture.origin["/a.png"] = OriginRoute(png(count: 9000), delivery: delivery)
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == .timedOut)
        #expect(failure?.detail == "no byte for 300 ms")
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test func acceptsSlowSteadyResponse() async throws {
        let fixture = try await Fixture { $0.downloader.times.stall = .seconds(5) }
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 100), delivery: .drip(piece: 10, pause: .milliseconds(600)))
        #expect(try await fixture.load("/a.png").byteCount == 100)
    }

    @Test(arguments: [OriginRoute.Delivery.chunked, .closeDelimited])
    func acceptsBodyWithoutLength(_ delivery: OriginRoute.Delivery) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 70_000), delivery: delivery)
        #expect(bytes(of: try await fixture.load("/a.png").path) == png(count: 70_000))
    }

    @Test func acceptsBodyOfMaximumSize() async throws {
        let fixture = try await Fixture { $0.downloader.limits.bodyBytes = 20_000 }
        fixture.origin["/a.png"] = OriginRoute(png(count: 20_000))
        #expect(try await fixture.load("/a.png").byteCount == 20_000)
    }

    @Test func reportsRefusedConnection() async throws {
        let fixture = try await Fixture()
        await fixture.origin.shutdown()
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == .unreachable)
        #expect(failure?.detail == "connection refused")
    }

    @Test func reportsUnresolvedName() async throws {
        let fixture = try await Fixture()
        do {
            _ = try await fixture.cache.load(FetchRequest("http://no-such-host.invalid/a.png"))
            Issue.record("the name resolved")
        } catch {
            #expect(error.code == .unresolved)
        }
    }

    @Test func decodesCompressedBodies() async throws {
        let fixture = try await Fixture()
        // The output of `printf '<svg xmlns="http://www.w3.org/2000/svg"/>' | gzip -n9`
        let compressed: [UInt8] = Self.compressedSVG
        var route = OriginRoute(compressed, contentType: "image/svg+xml")
        route.headers = [("Content-Encoding", "gzip")]
        fixture.origin["/a.svg"] = route
        let resource = try await fixture.load("/a.svg")
        #expect(resource.mediaType == .svg)
        #expect(
            bytes(of: resource.path) == Array(#"<svg xmlns="http://www.w3.org/2000/svg"/>"#.utf8))
    }

    /// Stores send how an object was uploaded.
    @Test(arguments: [
        "utf-8", "aws-chunked", "AWS-Chunked", "binary", "base64", "image/png", "rot13",
        "aws-chunked, utf-8", "identity, x-unknown", "",
    ])
    func usesContentOfUnknownCodingAsItIs(_ coding: String) async throws {
        let fixture = try await Fixture()
        var route = OriginRoute(png())
        route.headers = [("Content-Encoding", coding)]
        fixture.origin["/a.png"] = route
        #expect(try await fixture.load("/a.png").bytes() == png())
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func refusesInvalidCompression() async throws {
        let fixture = try await Fixture()
        var route = OriginRoute(png())
        route.headers = [("Content-Encoding", "gzip")]
        fixture.origin["/a.png"] = route
        #expect(await fixture.failure("/a.png")?.code == .badResponse)
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func refusesInvalidURLs() async throws {
        let fixture = try await Fixture()
        for url in ["", "a.png", "ftp://example.org/a", "http://", "http://[::1/a", "mailto:a@b"] {
            await #expect(throws: FetchError.self) {
                try await fixture.cache.load(FetchRequest(url))
            }
        }
    }

    private static let compressedSVG: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0xB3, 0x29,
        0x2E, 0x4B, 0x57, 0xA8, 0xC8, 0xCD, 0xC9, 0x2B, 0xB6, 0x55, 0xCA, 0x28,
        0x29, 0x29, 0xB0, 0xD2, 0xD7, 0x2F, 0x2F, 0x2F, 0xD7, 0x2B, 0x37, 0xD6,
        0xCB, 0x2F, 0x4A, 0xD7, 0x37, 0x32, 0x30, 0x30, 0xD0, 0x07, 0xAA, 0x50,
        0xD2, 0xB7, 0x03, 0x00, 0xC4, 0xF7, 0x91, 0x93, 0x29, 0x00, 0x00, 0x00,
    ]
}
