import FetchCache
import Foundation
import TestSupport
import Testing

/// Nothing of a response with `no-store` is in the folder, not even for a moment.
@Suite("no-store", .timeLimit(.minutes(10)))
struct NoStoreTests {
    private static let secret = "secret-in-the-body"

    /// An image whose bytes contain a text that can be searched for.
    private func image(_ seed: Int = 1, count: Int = 300) -> [UInt8] {
        png(seed, count: count) + Array(Self.secret.utf8)
    }

    /// The files below the cache that contain the text; those of the index have the URL, at most.
    private func leaks(_ fixture: Fixture, _ text: String = secret) -> [String] {
        fixture.folder.files(in: "").filter { name in
            let bytes = bytes(of: fixture.folder.path + "/cache/" + name) ?? []
            return bytes.firstRange(of: Array(text.utf8)) != nil
        }
    }

    private func expectNothingStored(_ fixture: Fixture) async throws {
        #expect(leaks(fixture) == [])
        #expect(fixture.folder.files(in: "blobs") == [])
        let summary = try await fixture.cache.summary()
        #expect(summary.entryCount == 0)
        #expect(summary.variantCount == 0)
        #expect(summary.failureCount == 0)
    }

    @Test(arguments: ["no-store", "max-age=60, no-store", "NO-STORE", "no-store=\"x\", public"])
    func responseIsUsedOnceAndNotStored(_ cacheControl: String) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), etag: "\"1\"", cacheControl: cacheControl)
        for _ in 0..<2 {
            let resource = try await fixture.load("/a.png")
            #expect(resource.origin == .network)
            #expect(resource.isNoStore)
            #expect(try await resource.bytes() == image())
            #expect(bytes(of: resource.path) == image())
            try await expectNothingStored(fixture)
            withExtendedLifetime(resource) {}
        }
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func concurrentCallersShareOneDownload() async throws {
        let fixture = try await Fixture()
        let gate = OriginGate()
        fixture.origin["/a.png"] = OriginRoute(image(), cacheControl: "no-store")
        fixture.origin["/a.png"]?.gate = gate
        let joined = Counter()
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask { try await fixture.load("/a.png", counting: joined).bytes() }
            }
            #expect(await eventually { joined.value == 8 })
            gate.open()
            for try await bytes in group { #expect(bytes == image()) }
        }
        #expect(fixture.origin.requestCount == 1)
        try await expectNothingStored(fixture)
    }

    @Test func requestDirectiveForbidsStoring() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), cacheControl: "max-age=60")
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers.append(name: "Cache-Control", value: "no-store")
        #expect(try await fixture.cache.load(request).isNoStore)
        try await expectNothingStored(fixture)
        request.storage = .memory
        #expect(try await fixture.cache.load(request).bytes() == image())
        try await expectNothingStored(fixture)
    }

    @Test func redirectWithNoStoreForbidsStoring() async throws {
        let fixture = try await Fixture()
        var step = OriginRoute.redirect(to: "/a.png")
        step.cacheControl = "no-store"
        fixture.origin["/step.png"] = step
        fixture.origin["/a.png"] = OriginRoute(image(), cacheControl: "max-age=60")
        #expect(try await fixture.load("/step.png").bytes() == image())
        try await expectNothingStored(fixture)
    }

    @Test(arguments: [404, 410])
    func failureIsNotRemembered(_ status: Int) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(status)
        fixture.origin["/a.png"]?.cacheControl = "no-store"
        fixture.origin["/page"] = OriginRoute.page("<p>no image")
        fixture.origin["/page"]?.cacheControl = "no-store"
        for _ in 0..<2 {
            #expect(await fixture.failure("/a.png")?.status == status)
            #expect(await fixture.failure("/page")?.code == .notAnImage)
        }
        #expect(fixture.origin.requestCount == 4)
        #expect(try await fixture.cache.failures().isEmpty)
        try await expectNothingStored(fixture)
    }

    @Test func interruptedDownloadIsNotKept() async throws {
        let fixture = try await Fixture()
        let body = image(2, count: 100_000)
        var route = OriginRoute(
            body, etag: "\"1\"", cacheControl: "no-store", delivery: .truncated(after: 60_000))
        route.acceptsRanges = true
        fixture.origin["/a.png"] = route
        #expect(await fixture.failure("/a.png") != nil)
        try await expectNothingStored(fixture)
        fixture.origin["/a.png"]?.delivery = .whole
        #expect(try await fixture.load("/a.png").bytes() == body)
        #expect(fixture.origin.requests.last?.header("Range") == nil)
    }

    /// The first part is in a file without a name, so the rest may be appended to it.
    @Test func retryContinuesWithinOneDownload() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 3 }
        let body = image(2, count: 100_000)
        let attempts = Counter()
        fixture.origin.handle("/a.png") { _ in
            var route = OriginRoute(body, etag: "\"1\"", cacheControl: "no-store")
            route.acceptsRanges = true
            if attempts.next() == 1 { route.delivery = .truncated(after: 60_000) }
            return route
        }
        #expect(try await fixture.load("/a.png").bytes() == body)
        #expect(fixture.origin.requests.last?.header("Range") == "bytes=60000-")
        try await expectNothingStored(fixture)
    }

    /// The earlier part was stored when the server allowed it; the whole must not be.
    @Test func storedPartIsNotContinuedOnceServerForbidsStoring() async throws {
        let fixture = try await Fixture()
        let body = image(2, count: 100_000)
        var route = OriginRoute(
            body, etag: "\"1\"", cacheControl: "max-age=60", delivery: .truncated(after: 60_000))
        route.acceptsRanges = true
        fixture.origin["/a.png"] = route
        #expect(await fixture.failure("/a.png") != nil)
        #expect(!fixture.folder.files(in: "blobs").isEmpty)
        fixture.origin["/a.png"]?.delivery = .whole
        fixture.origin["/a.png"]?.cacheControl = "no-store"
        #expect(try await fixture.load("/a.png").bytes() == body)
        try await expectNothingStored(fixture)
    }

    /// Whether the server has the same bytes (304) or new ones (200).
    @Test(arguments: ["\"1\"", "\"2\""])
    func revalidationWithNoStoreRemovesBlobAndVariants(_ etag: String) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), etag: "\"1\"", cacheControl: "max-age=0")
        let first = try await fixture.load("/a.png")
        let file = try fixture.cache.temporaryFile()
        try write(image(9), to: file)
        try await fixture.cache.storeVariant(
            fileAt: file, of: first.digest, recipe: "r", encoder: "e")
        #expect(fixture.folder.files(in: "blobs").count == 2)
        fixture.origin["/a.png"] = OriginRoute(image(), etag: etag, cacheControl: "no-store")
        let second = try await fixture.load("/a.png")
        #expect(second.origin == (etag == "\"1\"" ? .revalidated : .network))
        #expect(second.isNoStore)
        #expect(try await second.bytes() == image())
        #expect(try await fixture.cache.summary().variantCount == 0)
        #expect(fixture.folder.files(in: "blobs") == [])
        #expect(await fixture.failure("/a.png", .offline)?.code == .offline)
    }

    @Test func blobOfAnotherEntryStays() async throws {
        let fixture = try await Fixture()
        for path in ["/a.png", "/b.png"] {
            fixture.origin[path] = OriginRoute(image(), etag: "\"1\"", cacheControl: "max-age=0")
            _ = try await fixture.load(path)
        }
        fixture.origin["/a.png"]?.cacheControl = "no-store"
        #expect(try await fixture.load("/a.png").isNoStore)
        #expect(try await fixture.load("/b.png", .offline).bytes() == image())
    }

    @Test func headWithNoStoreRemovesStoredResponse() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), etag: "\"1\"", cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"]?.cacheControl = "no-store"
        var request = FetchRequest(fixture.origin.url + "/a.png", mode: .refresh)
        request.method = .head
        #expect(try await fixture.cache.load(request).isNoStore)
        try await expectNothingStored(fixture)
    }

    @Test func rangeOfNoStoreResponseIsNotStored() async throws {
        let fixture = try await Fixture()
        var route = OriginRoute(image(), etag: "\"1\"", cacheControl: "no-store")
        route.acceptsRanges = true
        fixture.origin["/a.png"] = route
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.headers.append(name: "Range", value: "bytes=0-99")
        let part = try await fixture.cache.load(request)
        #expect(part.response.status == 206)
        #expect(try await part.bytes() == Array(image().prefix(100)))
        try await expectNothingStored(fixture)
    }

    @Test func resultOfTransformIsNotStored() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), cacheControl: "no-store")
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.transform = Transform(identity: "twice") { source, output in
            let bytes = try await source.bytes()
            try write(bytes + bytes, to: output)
        }
        for isInMemory in [false, true] {
            request.storage = isInMemory ? .memory : .everywhere
            let resource = try await fixture.cache.load(request)
            #expect(resource.isNoStore)
            #expect(try await resource.bytes() == image() + image())
            try await expectNothingStored(fixture)
        }
    }

    @Test func downloaderWritesTheFileThatTheCallerWants() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), cacheControl: "no-store")
        let downloader = try fixture.folder.downloader()
        let path = fixture.folder.path + "/a.png"
        let file = try await downloader.download(
            FetchRequest(fixture.origin.url + "/a.png"), to: FilePath(path))
        #expect(file.byteCount == image().count)
        #expect(bytes(of: path) == image())
        await downloader.close()
        try await expectNothingStored(fixture)
    }

    @Test func fileGoesWithTheLastCopyOfTheResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(image(), cacheControl: "no-store")
        func descriptors() -> Int {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [])
                .compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/" + $0)
                }
                .count {
                    $0.hasPrefix(fixture.folder.path + "/cache/tmp/") && $0.contains("deleted")
                }
        }
        do {
            let resource = try await fixture.load("/a.png")
            #expect(descriptors() == 1)
            withExtendedLifetime(resource) {}
        }
        #expect(await eventually { descriptors() == 0 })
    }
    @Test func bytesOfTheCallerAreNotStoredEither() async throws {
        let fixture = try await Fixture()
        let request = FetchRequest(fixture.origin.url + "/a.png")
        let resource = try await fixture.cache.store(
            image(), for: request, headers: Fields([("Cache-Control", "no-store")]))
        #expect(try await resource.bytes() == image())
        try await expectNothingStored(fixture)
    }
}
