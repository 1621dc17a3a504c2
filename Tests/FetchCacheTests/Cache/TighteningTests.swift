import FetchCache
import TestSupport
import Testing

/// Limits and policies are judged when a stored response is used.
@Suite("Stricter configurations of a filled cache", .timeLimit(.minutes(10)))
struct TighteningTests {
    private let folder: TestFolder
    private let origin: Origin
    private let clock = TestClock()

    init() async throws {
        folder = try TestFolder()
        origin = try await Origin.start()
        var route = OriginRoute(png(), etag: "\"1\"", cacheControl: "max-age=600")
        route.acceptsRanges = true
        origin["/b.png"] = route
        origin["/a.png"] = .redirect(to: origin.url + "/b.png", status: 301)
    }

    private var url: String { "http://images.example:\(origin.port)/a.png" }
    /// The URL of the same image without a redirect.
    private var wholeURL: String { "http://images.example:\(origin.port)/b.png" }

    private func open(
        in folder: TestFolder? = nil, _ configure: (inout FetchConfiguration) -> Void = { _ in }
    ) throws -> FetchManager {
        let address = "images.example:\(origin.port):127.0.0.1"
        return try FetchManager(
            (folder ?? self.folder).configuration(clock) {
                $0.downloader.network.hostAddresses = [address]
                configure(&$0)
            })
    }

    /// Fills the cache, and counts requests from now on.
    private func fill(_ url: String? = nil) async throws {
        let cache = try open()
        #expect(try await cache.load(FetchRequest(url ?? self.url)).origin == .network)
        await cache.close()
        origin.forgetRequests()
    }

    private func code(_ cache: FetchManager, _ request: FetchRequest) async -> FetchError.Code? {
        do {
            _ = try await cache.load(request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: Tightening.all)
    func refusesFreshResponseWithoutRequest(_ case: Tightening) async throws {
        try await fill()
        let cache = try open(`case`.tighten)
        for mode in [FetchRequest.Mode.normal, .offline, .normal] {
            #expect(await code(cache, FetchRequest(url, mode: mode)) == `case`.code, "\(mode)")
        }
        var only = FetchRequest(url)
        only.headers = Fields([("Cache-Control", "only-if-cached")])
        #expect(await code(cache, only) == `case`.code)
        #expect(try await cache.resources(for: [url]).isEmpty)
        #expect(origin.requestCount == 0)
        await cache.close()
        // The stored response is still there.
        let loose = try open()
        #expect(try await loose.load(FetchRequest(url)).origin == .disk)
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: Tightening.all)
    func refusesConfirmedResponse(_ case: Tightening) async throws {
        try await fill()
        let cache = try open(`case`.tighten)
        #expect(await code(cache, FetchRequest(url, mode: .refresh)) == `case`.code)
        var seen = 0
        let error = await #expect(throws: FetchError.self) {
            for try await _ in cache.updates(for: FetchRequest(url)) { seen += 1 }
        }
        #expect(error?.code == `case`.code)
        #expect(seen == 0)
        await cache.close()
        let loose = try open()
        #expect(try await loose.load(FetchRequest(url)).origin == .disk)
    }

    @Test(arguments: Tightening.all)
    func usesNoStaleResponseInstead(_ case: Tightening) async throws {
        try await fill()
        clock.advance(seconds: 1_000)
        origin["/b.png"] = .status(500)
        let cache = try open {
            $0.policy.staleOnError = .always
            `case`.tighten(&$0)
        }
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest(url))
        }
        #expect([`case`.code, .status].contains(error?.code))
    }

    @Test(arguments: Tightening.all)
    func refusesResponseOfReadOnlyCache(_ case: Tightening) async throws {
        try await fill()
        let own = try TestFolder()
        let filled = FilePath(folder.path + "/cache")
        let cache = try open(in: own) {
            $0.folder.readOnlyCaches = [filled]
            `case`.tighten(&$0)
        }
        #expect(await code(cache, FetchRequest(url)) == `case`.code)
        #expect(await code(cache, FetchRequest(url, mode: .offline)) == `case`.code)
        #expect(origin.requestCount == 0)
    }

    @Test(arguments: Tightening.all)
    func prefetcherCountsRefusedResponseAsFailed(_ case: Tightening) async throws {
        try await fill()
        let cache = try open(`case`.tighten)
        #expect(try await Prefetcher(cache).prefetch([url]).failedCount == 1)
    }

    /// A range of a resource may be small although the resource is too large.
    @Test(arguments: Tightening.all.filter { !$0.isOfRedirect })
    func takesNoRangeOfRefusedResponse(_ case: Tightening) async throws {
        try await fill(wholeURL)
        let cache = try open(`case`.tighten)
        var range = FetchRequest(wholeURL)
        range.headers = Fields([("Range", "bytes=0-9")])
        range.mode = .offline
        #expect(await code(cache, range) == `case`.code)
        range.mode = .normal
        let isOfWhole = [.tooLarge, .refused].contains(`case`.code)
        #expect(await code(cache, range) == (isOfWhole ? nil : `case`.code))
        #expect(origin.requestCount == (isOfWhole ? 1 : 0))
    }

    @Test func refusesStoredPartOverLimit() async throws {
        var range = FetchRequest(wholeURL)
        range.headers = Fields([("Range", "bytes=0-149")])
        let first = try open()
        #expect(try await first.load(range).byteCount == 150)
        #expect(try await first.load(range).origin == .disk)
        await first.close()
        origin.forgetRequests()
        let second = try open { $0.downloader.limits.bodyBytes = 100 }
        #expect(await code(second, range) == .tooLarge)
        #expect(origin.requestCount == 1)
    }

    /// The first part of an interrupted download is judged before the rest is requested.
    @Test func refusesFirstPartOfInterruptedDownload() async throws {
        var cut = OriginRoute(
            png(count: 90_000), etag: "\"1\"", delivery: .truncated(after: 60_000))
        cut.acceptsRanges = true
        origin["/b.png"] = cut
        let first = try open()
        #expect(await code(first, FetchRequest(wholeURL)) == .interrupted)
        await first.close()
        cut.delivery = .whole
        origin["/b.png"] = cut
        origin.forgetRequests()
        let second = try open {
            $0.downloader.bodyCheck = BodyCheck(identity: "strict") { _ in .refused(reason: "no") }
        }
        #expect(await code(second, FetchRequest(wholeURL)) == .refused)
        #expect(origin.requestCount == 0)
        await second.close()
        let third = try open { $0.downloader.bodyCheck = BodyCheck { _ in .accepted } }
        #expect(try await third.load(FetchRequest(wholeURL)).byteCount == 90_000)
        #expect(origin.requests.map { $0.header("Range") } == ["bytes=60000-"])
    }

    /// Bytes that came from a private address are not joined with those of another server.
    @Test func doesNotUseFirstPartFromForbiddenConnection() async throws {
        var cut = OriginRoute(
            png(count: 90_000), etag: "\"1\"", delivery: .truncated(after: 60_000))
        cut.acceptsRanges = true
        origin["/b.png"] = cut
        let first = try open()
        #expect(await code(first, FetchRequest(wholeURL)) == .interrupted)
        await first.close()
        cut.delivery = .whole
        origin["/b.png"] = cut
        origin.forgetRequests()
        let second = try open { $0.downloader.network.allowsPrivateNetwork = false }
        #expect(await code(second, FetchRequest(wholeURL)) == .forbidden)
        #expect(origin.requestCount == 0)
        await second.close()
        // It stays stored, as a whole response does.
        let third = try open()
        #expect(try await third.load(FetchRequest(wholeURL)).byteCount == 90_000)
        #expect(origin.requests.map { $0.header("Range") } == ["bytes=60000-"])
    }

    @Test func usesClosureForRequestsOnly() async throws {
        try await fill()
        let cache = try open { $0.downloader.network.mayDownload = { _ in false } }
        #expect(try await cache.load(FetchRequest(url)).origin == .disk)
        #expect(await code(cache, FetchRequest(url, mode: .refresh)) == .forbidden)
    }

    /// Nothing is known about the connections of a response that an earlier version has stored.
    @Test(arguments: [true, false])
    func requestsResponseOfUnknownConnectionAgain(allowsPrivateNetwork: Bool) async throws {
        try await fill()
        try await forgetRoutes(in: folder.path + "/cache/index.sqlite")
        let cache = try open { $0.downloader.network.allowsPrivateNetwork = allowsPrivateNetwork }
        if allowsPrivateNetwork {
            #expect(try await cache.load(FetchRequest(url)).origin == .disk)
        } else {
            #expect(await code(cache, FetchRequest(url, mode: .offline)) == .forbidden)
            #expect(await code(cache, FetchRequest(url)) == .forbidden)
        }
        #expect(origin.requestCount == 0)
    }

    @Test func shorterFailureLifetimeCountsAtOnce() async throws {
        origin["/b.png"] = .status(404)
        let first = try open()
        #expect(await code(first, FetchRequest(url)) == .status)
        await first.close()
        origin.forgetRequests()
        clock.advance(seconds: 100)
        let second = try open()
        #expect(await code(second, FetchRequest(url)) == .status)
        #expect(origin.requestCount == 0)
        await second.close()
        let third = try open { $0.policy.failureLifetime = .seconds(60) }
        #expect(await code(third, FetchRequest(url)) == .status)
        #expect(origin.requestCount == 2)
    }

    /// The identity of a check that has accepted a stored body is recorded.
    @Test func readsStoredBodyOncePerIdentity() async throws {
        try await fill()
        let looks = Counter()
        for _ in 0..<3 {
            let cache = try open {
                $0.downloader.bodyCheck = BodyCheck(identity: "other") { _ in
                    _ = looks.next()
                    return .accepted
                }
            }
            #expect(try await cache.load(FetchRequest(url)).origin == .disk)
            #expect(try await cache.load(FetchRequest(url)).origin == .memory)
            await cache.close()
        }
        #expect(looks.value == 1)
        #expect(origin.requestCount == 0)
    }
}
