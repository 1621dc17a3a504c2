import FetchCache
import TestSupport
import Testing

/// Caches without a disk level, and a disk level without a cache.
extension LevelTests {
    @Test func cacheOfMemoryAloneAnswers() async throws {
        let setup = try await Setup()
        let cache = try FetchManager(levels: [MemoryLevel()], downloader: setup.downloader)
        #expect(try await cache.load(setup.request).origin == .network)
        let again = try await cache.load(setup.request)
        #expect(again.origin == .memory)
        #expect(try await again.bytes() == png(1))
        #expect(try await cache.contains(setup.request))
        #expect(try await !cache.containsOnDisk(setup.request))
        #expect(try await cache.summary().entryCount == 0)
        #expect(try await cache.resources(for: [setup.request.url]).count == 1)
        // A stale response is revalidated.
        var refresh = setup.request
        refresh.mode = .refresh
        #expect(try await cache.load(refresh).origin == .revalidated)
        #expect(setup.origin.requests.map { $0.header("If-None-Match") } == [nil, "\"1\""])
        try await cache.store(png(2), for: "https://h/b.png")
        #expect(
            try await cache.load(FetchRequest("https://h/b.png", mode: .offline)).byteCount == 200)
        #expect(try await cache.remove(setup.request))
        #expect(try await !cache.contains(setup.request))
        await cache.close()
        #expect(bytes(of: again.path) == nil)
        #expect(setup.folder.files(in: "tmp").filter { !$0.hasSuffix(".lock") } == [])
        await setup.close()
    }

    @Test func levelOfTheClientReplacesTheDisk() async throws {
        let setup = try await Setup()
        let level = Remote([.write, .erase])
        for origin in [Resource.Origin.network, .disk] {
            let cache = try FetchManager(
                levels: [MemoryLevel(), level], downloader: setup.downloader)
            #expect(try await cache.load(setup.request).origin == origin)
            await cache.close()
        }
        #expect(setup.origin.requestCount == 1)
        #expect(level.content.value.blobs.count == 1)
        await setup.close()
    }

    @Test func diskLevelAloneTellsItsSizeAndIsCleaned() async throws {
        let setup = try await Setup()
        let cache = try setup.cache("one")
        _ = try await cache.load(setup.request)
        await cache.close()
        let disk = try DiskLevel(at: FilePath("\(setup.folder.path)/one"))
        #expect(try await disk.summary().byteCount == 200)
        #expect(try await disk.verify().checkedCount == 1)
        #expect(
            try await disk.clean(maximumAge: .seconds(3600), maximumBytes: nil).removedEntryCount
                == 0)
        let report = try await disk.clean(maximumAge: nil, maximumBytes: 100)
        #expect(report.removedEntryCount == 1)
        try await disk.clear()
        #expect(try await disk.summary().entryCount == 0)
        await disk.close()
        await setup.close()
    }

    @Test func responseForThisMachineIsInNoOtherLevel() async throws {
        let setup = try await Setup()
        let (other, here) = (Remote([.write]), Remote([.write, .thisMachine]))
        let cache = try setup.cache("one", [other, here])
        var request = setup.request
        request.storage = .thisMachine
        _ = try await cache.load(request)
        request.mode = .refresh
        #expect(try await cache.load(request).origin == .revalidated)
        #expect(other.content.value.responses.isEmpty)
        #expect(!here.content.value.responses.isEmpty)
        await cache.close()
        await setup.close()
    }
}
