import FetchCache
import HTTPTypes
import TestSupport
import Testing

@Suite("A cache of levels and a downloader", .timeLimit(.minutes(10)))
struct LevelTests {
    /// A level of another machine, in a dictionary.
    final class Remote: CacheLevel {
        struct Content {
            var responses: [String: [LevelResponse]] = [:]
            var variants: [LevelVariant] = []
            var blobs: [BlobDigest: [UInt8]] = [:]
        }

        let abilities: LevelAbilities
        let content = Box(Content())
        let asked = Box<[String]>([])
        let isClosed = Box(false)

        init(_ abilities: LevelAbilities = []) { self.abilities = abilities }

        func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
            asked.change { $0.append(key) }
            return content.value.responses[key] ?? []
        }

        func blob(
            _ digest: BlobDigest, byteCount: Int, draft: FilePath
        ) async throws(FetchError) -> FilePath? {
            guard let bytes = content.value.blobs[digest],
                (try? write(bytes, to: draft)) != nil
            else { return nil }
            return draft
        }

        func variant(
            of source: BlobDigest, recipe: String, encoder: String
        ) async throws(FetchError) -> LevelVariant? {
            content.value.variants.first {
                $0.source == source && $0.recipe == recipe && $0.encoder == encoder
            }
        }

        func store(_ variant: LevelVariant, blobAt path: FilePath) async throws(FetchError) {
            content.change {
                $0.variants.append(variant)
                $0.blobs[variant.digest] = FetchCacheTests.bytes(of: path)
            }
        }

        func store(_ response: LevelResponse, blobAt path: FilePath) async throws(FetchError) {
            content.change {
                $0.responses[response.key] = [response]
                $0.blobs[response.digest] = FetchCacheTests.bytes(of: path)
            }
        }

        func remove(_ key: String) async throws(FetchError) {
            if key.hasSuffix("/locked.png") {
                throw FetchError(.storage, url: key, detail: "locked")
            }
            content.change { $0.responses[key] = nil }
        }

        func close() async { isClosed.change { $0 = true } }
    }

    struct Setup {
        let origin: Origin
        let folder: TestFolder
        let downloader: FetchDownloader

        init() async throws {
            origin = try await Origin.start()
            origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"", cacheControl: "max-age=60")
            folder = try TestFolder()
            downloader = try folder.downloader()
        }

        func cache(_ name: String, _ others: [any CacheLevel] = []) throws -> FetchManager {
            let disk = try DiskLevel(at: FilePath("\(folder.path)/\(name)"))
            return try FetchManager(levels: [MemoryLevel(), disk] + others, downloader: downloader)
        }

        /// A folder that was filled by a load and is read only from now on.
        func filledLevel(by request: FetchRequest? = nil) async throws -> ReadOnlyLevel {
            let source = try cache("source")
            _ = try await source.load(request ?? self.request)
            await source.close()
            return try ReadOnlyLevel(at: FilePath("\(folder.path)/source"))
        }

        var request: FetchRequest { FetchRequest(origin.url + "/a.png") }

        func close() async {
            await downloader.close()
            await origin.shutdown()
        }
    }

    @Test func cacheOfPartsLoadsAndKeeps() async throws {
        let setup = try await Setup()
        let cache = try setup.cache("one")
        #expect(try await cache.load(setup.request).origin == .network)
        #expect(try await cache.load(setup.request).origin == .memory)
        cache.clearMemory()
        #expect(try await cache.load(setup.request).origin == .disk)
        #expect(try await cache.load(setup.request).origin == .memory)
        await cache.close()
        // The downloader is not closed with the cache, and another one can use it.
        let other = try setup.cache("two")
        #expect(try await other.load(setup.request).origin == .network)
        #expect(setup.origin.requestCount == 2)
    }

    @Test func cachesOfOneDownloaderHaveTheirOwnPolicies() async throws {
        let setup = try await Setup()
        var policy = CachePolicy()
        policy.timeToLive = .zero
        let disk = try DiskLevel(at: FilePath("\(setup.folder.path)/two"))
        let impatient = try FetchManager(
            levels: [disk], downloader: setup.downloader, policy: policy)
        for cache in [try setup.cache("one"), impatient] {
            _ = try await cache.load(setup.request)
            _ = try await cache.load(setup.request)
            await cache.close()
        }
        #expect(setup.origin.requestCount == 3)
        #expect(impatient.configuration.policy.timeToLive == .zero)
        #expect(impatient.configuration.folder.path == FilePath("\(setup.folder.path)/two"))
    }

    @Test func configurationTellsWhatThePartsAre() async throws {
        let setup = try await Setup()
        let own = FilePath("\(setup.folder.path)/own")
        let other = FilePath("\(setup.folder.path)/other")
        await (try setup.cache("other")).close()
        let disk = try DiskLevel(at: own, namespace: "part")
        let cache = try FetchManager(
            levels: [
                MemoryLevel(countLimit: 7, costLimit: 8_000), disk,
                try ReadOnlyLevel(at: other), Remote(),
            ], downloader: setup.downloader)
        #expect(cache.configuration.folder.path == own)
        #expect(cache.configuration.folder.namespace == "part")
        #expect(cache.configuration.folder.readOnlyCaches == [other])
        #expect(cache.configuration.memory.maximumCount == 7)
        #expect(cache.configuration.memory.maximumBytes == 8_000)
        #expect(try FetchManager.exists(cache.configuration))
        let bare = try FetchManager(
            levels: [DiskLevel(at: FilePath("\(setup.folder.path)/bare"))],
            downloader: setup.downloader)
        #expect(bare.configuration.memory.maximumCount == 0)
        await cache.close()
        await bare.close()
    }

    @Test func newResponseIsWrittenToLowerLevel() async throws {
        let setup = try await Setup()
        let remote = Remote([.write, .erase])
        let first = try setup.cache("one", [remote])
        let resource = try await first.load(setup.request)
        #expect(remote.content.value.blobs[resource.digest] == png(1))
        await first.close()
        #expect(remote.isClosed.value)

        // Another machine finds it there, without a request.
        let second = try setup.cache("two", [remote])
        let found = try await second.load(setup.request)
        #expect(found.origin == .disk)
        #expect(found.path.string.hasPrefix("\(setup.folder.path)/two/blobs/"))
        #expect(bytes(of: found.path) == png(1))
        // It was copied to the levels above.
        let askedCount = remote.asked.value.count
        second.clearMemory()
        #expect(try await second.load(setup.request).origin == .disk)
        #expect(remote.asked.value.count == askedCount)
        #expect(setup.origin.requestCount == 1)

        #expect(try await second.remove(setup.request))
        #expect(remote.content.value.responses[resource.key] == nil)
    }

    /// The failure belongs to the fields of the request, and the copied response suits them too.
    @Test func copyFromAnotherMachineForgetsTheFailureOfTheRequest() async throws {
        let setup = try await Setup()
        let remote = Remote([.write])
        var request = setup.request
        request.headers[.acceptLanguage] = "en"
        let late = try setup.cache("late", [remote])
        setup.origin["/a.png"] = .status(404)
        await #expect(throws: FetchError.self) { try await late.load(request) }
        #expect(try await late.failures().count == 1)

        setup.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        _ = try await setup.cache("early", [remote]).load(request)
        #expect(try await late.load(request).origin == .disk)
        #expect(try await late.failures().isEmpty)
    }

    @Test func readingLevelIsNotChanged() async throws {
        let setup = try await Setup()
        let remote = Remote()
        let cache = try setup.cache("one", [remote])
        _ = try await cache.load(setup.request)
        _ = try await cache.remove(setup.request)
        #expect(remote.content.value.blobs.isEmpty)
    }

    @Test func damagedBytesOfAnotherMachineAreNotUsed() async throws {
        let setup = try await Setup()
        let remote = Remote([.write])
        let first = try setup.cache("one", [remote])
        let digest = try await first.load(setup.request).digest
        await first.close()
        remote.content.change { $0.blobs[digest] = png(2) }

        let second = try setup.cache("two", [remote])
        let resource = try await second.load(setup.request)
        #expect(resource.origin == .network)
        #expect(bytes(of: resource.path) == png(1))
    }

    /// A transform that appends a byte, and counts how often it runs.
    private func transformed(_ request: FetchRequest, _ runs: Counter) -> FetchRequest {
        var request = request
        request.transform = Transform(identity: "append") { source, output in
            _ = runs.next()
            try write(try await source.bytes() + [7], to: output)
        }
        return request
    }

    @Test func variantOfAnotherMachineIsNotMadeAgain() async throws {
        let setup = try await Setup()
        let (remote, runs) = (Remote([.write]), Counter())
        let request = transformed(setup.request, runs)
        let made = try await setup.cache("one", [remote]).load(request)
        #expect(runs.value == 1)
        #expect(remote.content.value.blobs[made.digest] == png(1) + [7])

        let second = try setup.cache("two", [remote])
        let found = try await second.load(request)
        #expect(found.path.string.hasPrefix("\(setup.folder.path)/two/blobs/"))
        #expect(try await found.bytes() == png(1) + [7])
        // It was copied, so the level is not needed again.
        remote.content.change { $0 = .init() }
        second.clearMemory()
        #expect(try await second.load(request).digest == made.digest)
        #expect(runs.value == 1)
    }

    @Test(arguments: [[.write], [.write, .thisMachine]] as [LevelAbilities])
    func levelOfAnotherMachineGetsNothingPrivate(abilities: LevelAbilities) async throws {
        let setup = try await Setup()
        setup.origin["/a.png"]?.cacheControl = "private, max-age=60"
        let level = Remote(abilities)
        let request = transformed(setup.request, Counter())
        let made = try await setup.cache("one", [level]).load(request)
        #expect(bytes(of: made.path) == png(1) + [7])
        let count = abilities.contains(.thisMachine) ? 1 : 0
        let content = level.content.value
        #expect(content.responses.count == count)
        #expect(content.variants.count == count)
    }

    @Test func damagedVariantOfAnotherMachineIsMadeAgain() async throws {
        let setup = try await Setup()
        let (remote, runs) = (Remote([.write]), Counter())
        let request = transformed(setup.request, runs)
        let made = try await setup.cache("one", [remote]).load(request)
        remote.content.change { $0.blobs[made.digest] = png(2) + [7] }
        #expect(try await setup.cache("two", [remote]).load(request).digest == made.digest)
        #expect(runs.value == 2)
    }

    @Test func variantOfReadOnlyLevelStaysWhereItIs() async throws {
        let setup = try await Setup()
        let runs = Counter()
        let request = transformed(setup.request, runs)
        let level = try await setup.filledLevel(by: request)
        let found = try await setup.cache("one", [level]).load(request)
        #expect(found.path.string.hasPrefix("\(setup.folder.path)/source/blobs/"))
        #expect(runs.value == 1)
    }

    @Test func diskLevelStoresVariants() async throws {
        let folder = try TestFolder()
        let level = try DiskLevel(at: FilePath("\(folder.path)/one"))
        let path = FilePath("\(folder.path)/a.png")
        try write(png(2), to: path)
        let variant = LevelVariant(
            source: BlobDigest(hashing: png(1)), recipe: "r", encoder: "e",
            digest: BlobDigest(hashing: png(2)), byteCount: 200, metadata: "m")
        try await level.store(variant, blobAt: path)
        #expect(
            try await level.variant(of: variant.source, recipe: "r", encoder: "e") == variant)
        #expect(try await level.variant(of: variant.source, recipe: "s", encoder: "e") == nil)
        let draft = FilePath("\(folder.path)/draft")
        let blob = try await level.blob(variant.digest, byteCount: 200, draft: draft)
        #expect(blob.flatMap { bytes(of: $0) } == png(2))
    }

    /// A response from an unknown address is used only where private addresses are allowed.
    @Test(arguments: [true, false])
    func levelSaysWhereItsResponsesCameFrom(isPublic: Bool) async throws {
        let setup = try await Setup()
        let source = try setup.cache("one")
        let resource = try await source.load(setup.request)
        await source.close()
        let remote = Remote()
        remote.content.change {
            $0.responses["https://h.example/a.png"] = [
                LevelResponse(
                    key: "https://h.example/a.png", url: "https://h.example/a.png",
                    finalURL: "https://h.example/a.png", digest: resource.digest,
                    byteCount: resource.byteCount, mediaType: resource.mediaType,
                    response: resource.response, isFromPublicAddress: isPublic)
            ]
            $0.blobs[resource.digest] = png(1)
        }
        let folder = try TestFolder()
        let downloader = try folder.downloader {
            $0.downloader.network.allowsPrivateNetwork = false
        }
        let cache = try FetchManager(
            levels: [try DiskLevel(at: FilePath("\(folder.path)/disk")), remote],
            downloader: downloader)
        let request = FetchRequest("https://h.example/a.png", mode: .offline)
        if isPublic {
            #expect(try await cache.load(request).byteCount == 200)
        } else {
            await #expect(throws: FetchError.self) { try await cache.load(request) }
        }
    }

    /// The error of a level is logged, and the other levels and keys are done.
    @Test func removalFromTheCacheSucceedsIfLevelFails() async throws {
        let setup = try await Setup()
        let url = setup.request.url.replacing("/a.png", with: "/locked.png")
        setup.origin["/locked.png"] = .init(png(), cacheControl: "max-age=600")
        let cache = try setup.cache("one", [Remote([.write, .erase])])
        _ = try await cache.load(FetchRequest(url))
        #expect(try await cache.remove(FetchRequest(url)))
        #expect(try await !cache.remove(FetchRequest(url)))
        _ = try await cache.load(FetchRequest(url, mode: .offline))
        #expect(setup.origin.requestCount == 1)
    }

    @Test func variantsOfRemovedResponseAreRemoved() async throws {
        let setup = try await Setup()
        let runs = Counter()
        let request = transformed(setup.request, runs)
        let cache = try setup.cache("one")
        _ = try await cache.load(request)
        try await cache.remove(request)
        _ = try await cache.load(request)
        #expect(runs.value == 2)
    }

    /// A response of the cache's own folder is newer than those below, even if it does not suit.
    @Test func levelsBelowDoNotAnswerForResponseThatDoesNotSuit() async throws {
        let setup = try await Setup()
        let level = try await setup.filledLevel()
        let cache = try setup.cache("one")
        var other = setup.request
        other.acceptsAnyContent = true
        setup.origin["/a.png"] = OriginRoute(
            Array("text".utf8), contentType: "text/plain", cacheControl: "max-age=600")
        _ = try await cache.load(other)
        try cache.add(level)
        #expect(try await cache.resources(for: [setup.request.url]).isEmpty)
    }

    @Test func addsReadOnlyLevelAfterOpening() async throws {
        let setup = try await Setup()
        let level = try await setup.filledLevel()
        let cache = try setup.cache("one")
        var request = setup.request
        request.mode = .offline
        let error = await #expect(throws: FetchError.self) { try await cache.load(request) }
        #expect(error?.code == .offline)
        try cache.add(level)
        let resource = try await cache.load(request)
        #expect(resource.path.string.hasPrefix("\(setup.folder.path)/source/blobs/"))
        #expect(setup.origin.requestCount == 1)
    }

    @Test func levelsMustBeInOrder() async throws {
        let setup = try await Setup()
        let disk = try DiskLevel(at: FilePath("\(setup.folder.path)/one"))
        let orders: [[any CacheLevel]] = [
            [], [disk, MemoryLevel()], [disk, disk], [Remote(), disk],
            [MemoryLevel(), MemoryLevel()],
        ]
        for levels in orders {
            let error = #expect(throws: FetchError.self) {
                try FetchManager(levels: levels, downloader: setup.downloader)
            }
            #expect(error?.code == .configuration)
        }
    }

    @Test func noMemoryOrDiskLevelIsAddedBelowTheOthers() async throws {
        let setup = try await Setup()
        let cache = try setup.cache("one")
        let levels: [any CacheLevel] = [
            MemoryLevel(), try DiskLevel(at: FilePath("\(setup.folder.path)/two")),
        ]
        for level in levels {
            let error = #expect(throws: FetchError.self) { try cache.add(level) }
            #expect(error?.code == .configuration)
        }
    }

    @Test func diskLevelIsUsableAlone() async throws {
        let setup = try await Setup()
        let cache = try setup.cache("one")
        let resource = try await cache.load(setup.request)
        await cache.close()

        let first = try DiskLevel(at: FilePath("\(setup.folder.path)/one"))
        let second = try DiskLevel(at: FilePath("\(setup.folder.path)/two"))
        let response = try #require(try await first.responses(for: resource.key).first)
        let draft = FilePath("\(setup.folder.path)/draft")
        let path = try #require(
            try await first.blob(response.digest, byteCount: response.byteCount, draft: draft))
        try await second.store(response, blobAt: path)
        #expect(try await second.responses(for: resource.key).map(\.digest) == [resource.digest])
        try await second.remove(resource.key)
        #expect(try await second.responses(for: resource.key).isEmpty)
    }
}

@Suite("Bodies in memory", .timeLimit(.minutes(10)))
struct MemoryBodyTests {
    private func request(_ fixture: Fixture, _ path: String) -> FetchRequest {
        var request = FetchRequest(fixture.origin.url + path)
        request.storage = .memory
        return request
    }

    @Test func bodyEndsWithTheCache() async throws {
        let fixture = try await Fixture { $0.memory.maximumBytes = 50_000 }
        for (path, count) in [("/short", 9_000), ("/long", 60_000)] {
            fixture.origin[path] = OriginRoute(
                png(1, count: count), cacheControl: "max-age=60")
        }
        let short = try await fixture.cache.load(request(fixture, "/short"))
        #expect(bytes(of: short.path) == png(1, count: 9_000))
        let long = try await fixture.cache.load(request(fixture, "/long"))
        #expect(bytes(of: long.path) == png(1, count: 60_000))
        let stored = try await fixture.cache.store(png(2), for: request(fixture, "/stored"))
        #expect(fixture.folder.files(in: "blobs") == [])
        await fixture.close()
        for path in [short.path, long.path, stored.path] { #expect(bytes(of: path) == nil) }
    }

    @Test(arguments: [true, false])
    func interruptedBodyLeavesNoPart(isCancelled: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 100_000), etag: "\"1\"",
            delivery: isCancelled ? .stalled(after: 60_000) : .truncated(after: 60_000))
        let received = Box(0)
        let task = Task { [request = request(fixture, "/a.png")] in
            try await fixture.cache.load(request) { progress in
                received.change { $0 = progress.receivedBytes }
            }
        }
        if isCancelled {
            #expect(await eventually { received.value == 60_000 })
            task.cancel()
        }
        await #expect(throws: FetchError.self) { try await task.value }
        await fixture.close()
        #expect(fixture.folder.files(in: "tmp") == [])
    }
}
