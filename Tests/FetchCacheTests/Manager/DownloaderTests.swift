import FetchCache
import TestSupport
import Testing

@Suite("The downloader without a cache, and a replaced cache", .timeLimit(.minutes(10)))
struct DownloaderTests {
    private func downloader(_ folder: TestFolder) throws -> FetchDownloader {
        try folder.downloader()
    }

    @Test func downloaderBesideACacheHasItsCookies() async throws {
        let origin = try await Origin.start()
        origin["/a"] = .status(200, headers: [("Set-Cookie", "id=1; Max-Age=1000")])
        let folder = try TestFolder()
        let configuration = folder.configuration {
            $0.folder.namespace = "blog"
            $0.downloader.keepsCookies = true
        }
        let cache = try FetchManager(configuration)
        let downloader = try FetchDownloader(beside: configuration)
        var request = FetchRequest(origin.url + "/a")
        request.acceptsAnyContent = true
        _ = try await downloader.bytes(of: request, limit: 100)
        await downloader.close()
        #expect(folder.files(in: "namespaces/blog").contains("cookies"))
        #expect(!folder.files(in: "").contains("cookies"))
        await cache.close()
    }

    @Test func downloadsToAFileEachTime() async throws {
        let origin = try await Origin.start()
        origin["/to"] = .redirect(to: "/a.png")
        origin["/a.png"] = OriginRoute(
            png(count: 50_000), etag: "\"1\"", cacheControl: "max-age=60")
        let folder = try TestFolder()
        let downloader = try downloader(folder)
        let path = folder.path + "/a.png"
        for _ in 0..<2 {
            let file = try await downloader.download(
                FetchRequest(origin.url + "/to"), to: FilePath(path))
            #expect(bytes(of: path) == png(count: 50_000))
            #expect(file.finalURL == origin.url + "/a.png")
            #expect(file.byteCount == 50_000)
            #expect(file.mediaType == .png)
            #expect(file.response.etag == "\"1\"")
        }
        #expect(origin.requestCount == 4)
        #expect(downloader.activity.receivedBytes >= 100_000)
        await downloader.close()
        #expect(folder.files(in: "") == [])
    }

    @Test func failedDownloadKeepsExistingFile() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = .status(404)
        origin["/b.png"] = OriginRoute(
            png(count: 90_000), etag: "\"1\"", delivery: .truncated(after: 40_000))
        let folder = try TestFolder()
        let downloader = try downloader(folder)
        let path = folder.path + "/a.png"
        try write([1, 2, 3], to: path)
        for (name, code) in [("/a.png", FetchError.Code.status), ("/b.png", .interrupted)] {
            let error = await #expect(throws: FetchError.self) {
                try await downloader.download(FetchRequest(origin.url + name), to: FilePath(path))
            }
            #expect(error?.code == code)
        }
        #expect(bytes(of: path) == [1, 2, 3])
        await downloader.close()
        #expect(folder.files(in: "") == [])
    }

    @Test func cancelAllEndsRunningDownloads() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        let folder = try TestFolder()
        let downloader = try downloader(folder)
        let task = Task {
            try await downloader.download(
                FetchRequest(origin.url + "/a.png"), to: FilePath(folder.path + "/a.png"))
        }
        #expect(await eventually { origin.requestCount == 1 })
        downloader.cancelAll()
        await expectCancelled { try await task.value }
        #expect(await eventually { !downloader.isRunning })
    }

    @Test func refusalEndsRunningDownloadsAndSendsNoLaterOne() async throws {
        let origin = try await Origin.start()
        origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        origin["/b.png"] = OriginRoute(png())
        let folder = try TestFolder()
        let downloader = try downloader(folder)
        let task = Task {
            try await downloader.bytes(of: FetchRequest(origin.url + "/a.png"), limit: 100_000)
        }
        #expect(await eventually { origin.requestCount == 1 })
        downloader.refuseAll()
        await expectCancelled { try await task.value }
        await expectCancelled {
            try await downloader.bytes(of: FetchRequest(origin.url + "/b.png"), limit: 100_000)
        }
        #expect(origin.requestCount == 1)
        await downloader.close()
        #expect(folder.files(in: "") == [])
    }

    /// A cache that returns the same resource for every request.
    private struct OneAnswer: ResourceCache {
        let resource: Resource

        func load(
            _ request: some FetchRequestConvertible,
            progress: (@Sendable (FetchProgress) -> Void)?
        ) async throws(FetchError) -> Resource { resource }
        func contains(
            _ request: some FetchRequestConvertible
        ) async throws(FetchError) -> Bool { true }
        func store(
            _ bytes: [UInt8], for request: some FetchRequestConvertible, headers: Fields
        ) async throws(FetchError) -> Resource { resource }
        func remove(
            _ request: some FetchRequestConvertible
        ) async throws(FetchError) -> Bool { false }
        func clear() async throws(FetchError) -> CleaningReport { CleaningReport() }
    }

    @Test func prefetcherAcceptsAnyCache() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        let other = OneAnswer(resource: try await fixture.load("/a.png"))
        let totals = try await Prefetcher(other).prefetch(["http://h/1", "http://h/2"])
        #expect(totals.skippedCount == 2)
        #expect(
            try await Prefetcher(fixture.cache).prefetch([fixture.origin.url + "/a.png"])
                .skippedCount == 1)
    }
}
