import FetchCache
import TestSupport
import Testing

@Suite("Interrupted downloads are resumed with Range and If-Range", .timeLimit(.minutes(10)))
struct ResumeTests {
    private let body = png(3, count: 100_000)

    private func route(
        _ delivery: OriginRoute.Delivery, etag: String? = "\"1\"", acceptsRanges: Bool = true
    ) -> OriginRoute {
        var route = OriginRoute(body, etag: etag, delivery: delivery)
        route.acceptsRanges = acceptsRanges
        return route
    }

    /// An origin that replies to the first request with `first` and to all others with `rest`.
    private func fixture(
        _ first: OriginRoute, then rest: OriginRoute, retries: Int = 1
    ) async throws -> Fixture {
        let fixture = try await Fixture { $0.downloader.limits.retries = retries }
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in counter.next() == 1 ? first : rest }
        return fixture
    }

    private func ranges(_ fixture: Fixture) -> [String?] {
        fixture.origin.requests.map { $0.header("Range") }
    }

    /// The stored parts of responses.
    private func parts(_ cache: FetchManager) async throws -> [CacheEntry] {
        var parts: [CacheEntry] = []
        for try await entry in cache.entries where entry.key.hasSuffix(" part") {
            parts.append(entry)
        }
        return parts
    }

    @Test(arguments: [
        OriginRoute.Delivery.truncated(after: 60_000), .reset(after: 60_000),
    ])
    func retryRequestsTheRest(_ cut: OriginRoute.Delivery) async throws {
        let gate = OriginGate()
        var first = route(cut)
        first.resetGate = gate
        let fixture = try await fixture(first, then: route(.whole))
        let heard = Box<[Int]>([])
        let resource = try await fixture.cache.load(FetchRequest(fixture.origin.url + "/a.png")) {
            progress in
            heard.change { $0.append(progress.receivedBytes) }
            // A reset discards what the client has not read yet.
            if progress.receivedBytes == 60_000 { gate.open() }
        }
        #expect(bytes(of: resource.path) == body)
        #expect(ranges(fixture) == [nil, "bytes=60000-"])
        #expect(fixture.origin.requests.last?.header("If-Range") == "\"1\"")
        #expect(heard.value == heard.value.sorted())
        #expect(heard.value.last == 100_000)
        #expect(resource.response.status == 200)
        #expect(resource.response.fields["Content-Range"] == nil)
        #expect(resource.response.fields["Content-Length"] == "100000")
        #expect(try await parts(fixture.cache).isEmpty)
    }

    @Test func nextProcessResumes() async throws {
        let fixture = try await fixture(
            route(.truncated(after: 60_000)), then: route(.whole), retries: 0)
        #expect(await fixture.failure("/a.png")?.code == .interrupted)
        #expect(try await parts(fixture.cache).count == 1)
        await fixture.cache.close()

        let second = try fixture.reopened()
        let resource = try await second.load(FetchRequest(fixture.origin.url + "/a.png"))
        #expect(bytes(of: resource.path) == body)
        #expect(ranges(fixture) == [nil, "bytes=60000-"])
        #expect(try await parts(second).isEmpty)
    }

    @Test func reloadBeginsAnew() async throws {
        let fixture = try await fixture(
            route(.truncated(after: 60_000)), then: route(.whole), retries: 0)
        #expect(await fixture.failure("/a.png")?.code == .interrupted)
        let request = FetchRequest(fixture.origin.url + "/a.png", mode: .reload)
        #expect(bytes(of: try await fixture.cache.load(request).path) == body)
        #expect(ranges(fixture) == [nil, nil])
        #expect(try await parts(fixture.cache).isEmpty)
    }

    @Test func keepsPartOfCancelledDownload() async throws {
        let fixture = try await fixture(
            route(.stalled(after: 60_000)), then: route(.whole), retries: 0)
        let heard = Box(0)
        let request = FetchRequest(fixture.origin.url + "/a.png")
        let task = Task {
            try await fixture.cache.load(request) { progress in
                heard.change { $0 = progress.receivedBytes }
            }
        }
        #expect(await eventually { heard.value == 60_000 })
        task.cancel()
        _ = try? await task.value
        #expect(await eventually { fixture.folder.files(in: "blobs").count == 1 })
        #expect(bytes(of: try await fixture.load("/a.png").path) == body)
        #expect(ranges(fixture).last == "bytes=60000-")
    }

    @Test func downloadsChangedResourceCompletely() async throws {
        var changed = OriginRoute(png(4, count: 50_000), etag: "\"2\"")
        changed.acceptsRanges = true
        let fixture = try await fixture(route(.truncated(after: 60_000)), then: changed)
        #expect(bytes(of: try await fixture.load("/a.png").path) == png(4, count: 50_000))
        #expect(ranges(fixture) == [nil, "bytes=60000-"])
    }

    @Test func restartsIfServerIgnoresRange() async throws {
        let fixture = try await fixture(
            route(.truncated(after: 60_000)), then: route(.whole, acceptsRanges: false))
        #expect(bytes(of: try await fixture.load("/a.png").path) == body)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test(arguments: ["W/\"1\"", nil])
    func restartsWithoutStrongValidator(_ etag: String?) async throws {
        let fixture = try await fixture(
            route(.truncated(after: 60_000), etag: etag), then: route(.whole, etag: etag))
        #expect(bytes(of: try await fixture.load("/a.png").path) == body)
        #expect(ranges(fixture) == [nil, nil])
    }

    @Test func restartsAfterRefusedOrWrongRange() async throws {
        for wrong in [
            OriginRoute.status(416),
            .status(206, headers: [("Content-Range", "bytes 5-99999/100000")]),
            .status(206, headers: [("Content-Range", "bytes 60000-99998/99999")]), .status(206),
            // An incomplete rest, another version, and invalid numbers.
            .status(206, headers: [("Content-Range", "bytes 60000-79999/100000")]),
            .status(
                206,
                headers: [("Content-Range", "bytes 60000-99999/100000"), ("ETag", "\"2\"")]),
            .status(
                206, headers: [("Content-Range", "bytes 60000-9223372036854775807/*")]),
            .status(206, headers: [("Content-Range", "bytes 60000--1/100000")]),
        ] {
            let fixture = try await Fixture { $0.downloader.limits.retries = 1 }
            let counter = Counter()
            fixture.origin.handle("/a.png") { _ in
                switch counter.next() {
                case 1: route(.truncated(after: 60_000))
                case 2: wrong
                default: route(.whole)
                }
            }
            #expect(bytes(of: try await fixture.load("/a.png").path) == body)
            #expect(ranges(fixture) == [nil, "bytes=60000-", nil])
            await fixture.close()
        }
    }

    @Test func restartsIfPartIsDamaged() async throws {
        let fixture = try await fixture(
            route(.truncated(after: 60_000)), then: route(.whole), retries: 0)
        #expect(await fixture.failure("/a.png")?.code == .interrupted)
        let part = try #require(try await parts(fixture.cache).first)
        let path = try #require(try await fixture.cache.path(forKey: part.key))
        try damage(path, isMissing: false)
        #expect(bytes(of: try await fixture.load("/a.png").path) == body)
        #expect(ranges(fixture) == [nil, nil])
    }

    @Test func failsIfTheRestIsTruncated() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 1 }
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            if counter.next() == 1 { return route(.truncated(after: 60_000)) }
            var rest = OriginRoute(Array(body[60_000..<80_000]), delivery: .chunked)
            rest.status = 206
            rest.headers = [("Content-Range", "bytes 60000-99999/100000")]
            return rest
        }
        #expect(await fixture.failure("/a.png")?.code == .interrupted)
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func storesNoPasswordWithThePart() async throws {
        let fixture = try await fixture(
            route(.truncated(after: 60_000)), then: route(.whole), retries: 0)
        let request = FetchRequest("http://user:secret@127.0.0.1:\(fixture.origin.port)/a.png")
        await #expect(throws: FetchError.self) { try await fixture.cache.load(request) }
        let part = try #require(try await parts(fixture.cache).first)
        #expect(!"\(part)".contains("secret"))
        #expect(bytes(of: try await fixture.cache.load(request).path) == body)
        #expect(ranges(fixture) == [nil, "bytes=60000-"])
    }

    @Test func doesNotResumeShortParts() async throws {
        let fixture = try await fixture(route(.truncated(after: 5_000)), then: route(.whole))
        #expect(bytes(of: try await fixture.load("/a.png").path) == body)
        #expect(ranges(fixture) == [nil, nil])
    }

    @Test func partBelongsToItsFinalURL() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 1 }
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            .redirect(to: counter.next() == 1 ? "/b.png" : "/c.png")
        }
        fixture.origin["/b.png"] = route(.truncated(after: 60_000))
        fixture.origin["/c.png"] = route(.whole)
        #expect(bytes(of: try await fixture.load("/a.png").path) == body)
        #expect(ranges(fixture) == [nil, nil, nil, nil])
    }
}
