import FetchCache
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The public interface as a client meets it", .timeLimit(.minutes(10)))
struct SurfaceTests {
    /// A cache of a client, made with public initialisers only.
    private struct Fixed: ResourceCache {
        let path: FilePath

        func load(
            _ request: some FetchRequestConvertible,
            progress: (@Sendable (FetchProgress) -> Void)?
        ) async throws(FetchError) -> Resource {
            let request = request.fetchRequest
            guard request.url.hasSuffix(".png") else {
                throw FetchError(
                    .status, url: "https://h/?token=secret", detail: "HTTP 404", status: 404)
            }
            return Resource(
                url: request.url, path: path, digest: BlobDigest(hashing: png(1)), byteCount: 200,
                mediaType: .png,
                response: StoredResponse(
                    status: 200, fields: [.cacheControl: "max-age=60"],
                    freshUntil: Date(timeIntervalSinceNow: 60)),
                origin: .disk)
        }

        func contains(
            _ request: some FetchRequestConvertible
        ) async throws(FetchError) -> Bool { true }
        func store(
            _ bytes: [UInt8], for request: some FetchRequestConvertible, headers: Fields
        ) async throws(FetchError) -> Resource { try await load(request) }
        func remove(
            _ request: some FetchRequestConvertible
        ) async throws(FetchError) -> Bool { false }
        func clear() async throws(FetchError) -> CleaningReport { CleaningReport() }
    }

    @Test func clientCanWriteCache() async throws {
        let folder = try TestFolder()
        let path = FilePath("\(folder.path)/a.png")
        try write(png(1), to: path)
        let cache = Fixed(path: path)
        let resource = try await cache.load(FetchRequest("https://h/a.png"))
        #expect(try await resource.bytes() == png(1))
        #expect(resource.response.fields[.cacheControl] == "max-age=60")
        #expect(resource.response.freshUntil > Date())
        #expect(resource.key == "https://h/a.png")
        let error = await #expect(throws: FetchError.self) {
            try await cache.load(FetchRequest("https://h/b"))
        }
        #expect(error?.code == .status && error?.status == 404)
        #expect(error?.url.contains("secret") == false)
        let totals = try await Prefetcher(cache).prefetch(["https://h/a.png", "https://h/b"])
        #expect(totals.skippedCount == 1 && totals.failedCount == 1)
    }

    /// Code that has any cache uses all of a manager's functions.
    @Test func replacementHasTheFunctionsOfTheManager() async throws {
        let folder = try TestFolder()
        let path = FilePath("\(folder.path)/a.png")
        try write(png(1), to: path)
        let cache: any ResourceCache = Fixed(path: path)
        let task = cache.start("https://h/a.png")
        #expect(try await task.value.path == path)
        #expect(task.state == .finished(try await task.value))
        #expect(await task.partialBytes() == png(1))
        #expect(try await cache.resources(for: ["https://h/a.png", "https://h/b"]).count == 1)
        var count = 0
        for try await _ in cache.updates(for: "https://h/a.png", skipsEqual: false) { count += 1 }
        #expect(count == 2)
        #expect(try await cache.resourceInMemory("https://h/a.png") == nil)
        #expect(try await cache.summary() == CacheSummary())
        await cache.close()
    }

    /// Each call takes a string, a URL or a request.
    @Test func stringsAndURLsAreRequests() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let cache = fixture.cache
        let text = fixture.origin.url + "/a.png"
        let url = try #require(URL(string: text))
        #expect(try await cache.load(url).origin == .network)
        #expect(try await cache.load(text).origin == .memory)
        #expect(try await cache.start(url).value.origin == .memory)
        #expect(try await cache.contains(url))
        #expect(try await cache.containsOnDisk(text))
        #expect(try cache.key(for: url) == text)
        let resource = try #require(try await cache.resourceInMemory(url))
        try cache.confirm(resource.digest, of: url)
        #expect(try await cache.reject(resource.digest, of: text, because: "a test") == nil)
        try cache.removeFromMemory(url)
        #expect(try await cache.remove(url))
        try await cache.store(png(2), for: url)
        let copy = FilePath("\(fixture.folder.path)/copy.png")
        let downloader = try fixture.folder.downloader()
        #expect(try await downloader.download(url, to: copy).digest == resource.digest)
        await downloader.close()
    }

    @Test func loadsPlainURL() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1))
        #expect(try await fixture.cache.load(fixture.origin.url + "/a.png").byteCount == 200)
    }

    @Test func looksUpMemoryOnly() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let request = FetchRequest(fixture.origin.url + "/a.png")
        #expect(try await fixture.cache.resourceInMemory(request) == nil)
        let loaded = try await fixture.cache.load(request)
        #expect(try await fixture.cache.resourceInMemory(request)?.digest == loaded.digest)
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.cache.resourceInMemory(request) == nil)
        fixture.cache.clearMemory()
        #expect(try await fixture.cache.resourceInMemory(request) == nil)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func tellsTypeOfBytes() {
        #expect(MediaType.ofImage(beginningWith: png(1)) == .png)
        #expect(MediaType.ofImage(beginningWith: Array("GIF89a".utf8) + [1, 0, 1, 0]) == .gif)
        #expect(MediaType.ofImage(beginningWith: Array("<html>".utf8)) == nil)
        #expect(MediaType.ofImage(beginningWith: []) == nil)
    }

    @Test func reloadSendsNoValidators() async throws {
        let fixture = try await Fixture()
        // The server wrongly says that nothing has changed.
        fixture.origin["/a.png"] = OriginRoute(
            png(1), etag: "\"1\"", cacheControl: "max-age=60, immutable")
        _ = try await fixture.load("/a.png")
        fixture.origin["/a.png"] = OriginRoute(
            png(2), etag: "\"1\"", cacheControl: "max-age=60, immutable")
        #expect(try await fixture.load("/a.png", .refresh).digest == BlobDigest(hashing: png(1)))
        let resource = try await fixture.load("/a.png", .reload)
        #expect(resource.origin == .network)
        #expect(try await resource.bytes() == png(2))
        #expect(fixture.origin.requests.last?.header("If-None-Match") == nil)
        #expect(try await fixture.load("/a.png").digest == resource.digest)
    }

    @Test(arguments: [true, false])
    func updatesCanSkipEqualResource(isChanged: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"")
        let request = FetchRequest(fixture.origin.url + "/a.png")
        _ = try await fixture.cache.load(request)
        if isChanged { fixture.origin["/a.png"] = OriginRoute(png(2), etag: "\"2\"") }
        var origins: [Resource.Origin] = []
        do throws(FetchError) {
            for try await resource in fixture.cache.updates(for: request, skipsEqual: true) {
                origins.append(resource.origin)
            }
        } catch {
            Issue.record("\(error)")
        }
        #expect(origins == (isChanged ? [.memory, .network] : [.memory]))
        #expect(fixture.origin.requestCount == 2)
    }
}

@Suite("Configurations that are not valid", .timeLimit(.minutes(10)))
struct ValidationTests {
    /// The errors of both classes.
    private func errors(
        _ configure: (inout FetchConfiguration) -> Void
    ) throws -> [FetchError.Code?] {
        let folder = try TestFolder()
        let configuration = folder.configuration(TestClock(), configure)
        var codes: [FetchError.Code?] = []
        do { _ = try FetchManager(configuration); codes.append(nil) } catch {
            codes.append(error.code)
        }
        do {
            _ = try FetchDownloader(configuration.downloader, in: configuration.folder.path)
            codes.append(nil)
        } catch {
            codes.append(error.code)
        }
        return codes
    }

    @Test(arguments: [
        "*:443", "**", "*m", "*.", "*.*.org", "", ".", "a..b", "a b", "h:", "h:0", "h:x", "h:70000",
        "https://h", "h/", "[::1", "[::g]:80", "example.org.*",
    ])
    func hostPatternIsRefused(pattern: String) throws {
        #expect(
            try errors {
                $0.downloader.hosts[pattern] = HostOptions(allowsInvalidCertificate: true)
            }
                == [.configuration, .configuration])
        #expect(
            try errors { $0.downloader.network.allowedHosts = [pattern] } == [
                .configuration, .configuration,
            ])
        #expect(
            try errors { $0.downloader.network.deniedHosts = [pattern] } == [
                .configuration, .configuration,
            ])
    }

    @Test(arguments: [
        "example.org", "example.org:8443", "*.example.org", "*.example.org:443", "localhost",
        "127.0.0.1", "[::1]:80", "[::1]", "::1", "xn--bcher-kva.example", "bücher.example", "a_b",
    ])
    func hostPatternIsAccepted(pattern: String) throws {
        #expect(
            try errors { $0.downloader.hosts[pattern] = HostOptions() } == [nil, nil])
    }

    @Test func bothClassesCheckTheSame() throws {
        #expect(try errors { $0.folder.path = "" } == [.storage, .storage])
        #expect(
            try errors { $0.downloader.hosts["*"] = HostOptions(allowsInvalidCertificate: true) }
                == [.forbidden, .forbidden])
        #expect(try errors { $0.downloader.hosts["*"] = HostOptions() } == [nil, nil])
        #expect(
            try errors {
                $0.downloader.hosts["h"] = HostOptions(
                    clientCertificate: .init(file: "/nowhere.pem"))
            } == [.configuration, .configuration])
        #expect(
            try errors { $0.downloader.network.certificateAuthorityFile = "/nowhere.pem" } == [
                .storage, .storage,
            ])
    }
}
