import TestSupport
import Testing

@testable import FetchCache

@Suite("Store, contains, remove, clear", .timeLimit(.minutes(10)))
struct ContentsTests {
    private let fresh = Fields([("Cache-Control", "max-age=60"), ("ETag", "\"1\"")])

    @Test func loadsStoredBytesWithoutRequest() async throws {
        let fixture = try await Fixture()
        let request = FetchRequest(fixture.origin.url + "/a.png")
        #expect(try await !fixture.cache.contains(request))
        let stored = try await fixture.cache.store(png(), for: request, headers: fresh)
        #expect(stored.mediaType == .png)
        #expect(try await fixture.cache.contains(request))
        #expect(try await fixture.cache.load(request).origin == .memory)
        let second = try fixture.reopened()
        #expect(try await second.load(request).origin == .disk)
        #expect(fixture.origin.requestCount == 0)
    }

    @Test func revalidatesStoredBytesByTheirFields() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
        let request = FetchRequest(fixture.origin.url + "/a.png")
        try await fixture.cache.store(png(), for: request, headers: fresh)
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.cache.load(request).origin == .revalidated)
    }

    @Test func storesOnlyInMemoryIfRequested() async throws {
        let fixture = try await Fixture()
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.storage = .memory
        try await fixture.cache.store(png(), for: request, headers: fresh)
        #expect(try await fixture.cache.load(request).origin == .memory)
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func refusesToStoreNonImages() async throws {
        let fixture = try await Fixture { $0.downloader.limits.bodyBytes = 1_000 }
        var request = FetchRequest("http://h/a")
        func failure(_ bytes: [UInt8]) async -> FetchError.Code? {
            let error = await #expect(throws: FetchError.self) {
                try await fixture.cache.store(bytes, for: request)
            }
            return error?.code
        }
        #expect(await failure(Array("<html>".utf8)) == .notAnImage)
        #expect(await failure([]) == .empty)
        #expect(await failure(png(count: 2_000)) == .tooLarge)
        request.acceptsAnyContent = true
        #expect(try await fixture.cache.store([], for: request).byteCount == 0)
    }

    @Test func removesEntryFailureAndBlob() async throws {
        let fixture = try await Fixture()
        for path in ["/a", "/b"] { fixture.origin[path] = OriginRoute(png(1)) }
        fixture.origin["/c"] = OriginRoute(png(3))
        for path in ["/a", "/b", "/c"] { _ = try await fixture.load(path) }
        _ = await fixture.failure("/missing")
        func remove(_ path: String) async throws -> Bool {
            try await fixture.cache.remove(FetchRequest(fixture.origin.url + path))
        }
        #expect(try await remove("/c"))
        #expect(try await !remove("/c"))
        #expect(fixture.folder.files(in: "blobs").count == 1)
        #expect(try await remove("/a"))
        #expect(fixture.folder.files(in: "blobs").count == 1)
        #expect(try await remove("/missing"))
        #expect(try await fixture.cache.summary().failureCount == 0)
        #expect(try await remove("/b"))
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func removesFromMemoryOrFromBoth() async throws {
        let fixture = try await Fixture()
        let request = FetchRequest(fixture.origin.url + "/a.png")
        try await fixture.cache.store(png(), for: request, headers: fresh)
        try fixture.cache.removeFromMemory(request)
        #expect(try await fixture.cache.load(request).origin == .disk)
        fixture.cache.clearMemory()
        #expect(try await fixture.cache.load(request).origin == .disk)
        try await fixture.cache.clear()
        #expect(try await !fixture.cache.contains(request))
        #expect(fixture.folder.files(in: "blobs") == [])
        #expect(try await fixture.cache.summary() == CacheSummary())
    }

    @Test func listsEntriesByKey() async throws {
        let fixture = try await Fixture()
        for number in 0..<1_200 {
            try await fixture.cache.store(
                png(number % 3), for: FetchRequest("http://h/\(10_000 + number)"), headers: fresh)
        }
        var keys: [String] = []
        for try await entry in fixture.cache.entries { keys.append(entry.key) }
        #expect(keys == (0..<1_200).map { "http://h/\(10_000 + $0)" })
    }
}
