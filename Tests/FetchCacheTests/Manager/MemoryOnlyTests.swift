import FetchCache
import TestSupport
import Testing

@Suite("Resources that are only in memory", .timeLimit(.minutes(10)))
struct MemoryOnlyTests {
    private func request(_ fixture: Fixture, _ path: String = "/a.png") -> FetchRequest {
        var request = FetchRequest(fixture.origin.url + path)
        request.storage = .memory
        return request
    }

    @Test func onlyThisCacheFindsResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        #expect(try await fixture.cache.load(request(fixture)).origin == .network)
        let again = try await fixture.cache.load(request(fixture))
        #expect(again.origin == .memory)
        #expect(try await again.bytes() == png(1))
        #expect(fixture.folder.files(in: "blobs") == [])
        #expect(try await fixture.cache.summary().entryCount == 0)

        let other = try fixture.reopened()
        #expect(try await !other.contains(FetchRequest(fixture.origin.url + "/a.png")))
        await other.close()
        await fixture.close()
        #expect(bytes(of: again.path) == nil)
    }

    @Test func failureIsNotInIndex() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = .status(404)
        for _ in 0..<2 { #expect(await fixture.failure(of: request(fixture))?.status == 404) }
        #expect(try await fixture.cache.failures().isEmpty)
        #expect(fixture.origin.requestCount == 2)
    }

    @Test func rangeIsInMemoryToo() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"", cacheControl: "max-age=60")
        fixture.origin["/a.png"]?.acceptsRanges = true
        var part = request(fixture)
        part.headers = Fields([("Range", "bytes=10-19")])
        part.acceptsAnyContent = true
        // From the server, and from the whole response.
        for isStored in [false, true] {
            if isStored { _ = try await fixture.cache.load(request(fixture)) }
            let resource = try await fixture.cache.load(part)
            #expect(try await resource.bytes() == Array(png(1)[10...19]))
            #expect(fixture.folder.files(in: "blobs") == [])
            #expect(try await fixture.cache.summary().entryCount == 0)
        }
    }

    /// A response to POST is not kept, so its file is there for the caller alone.
    @Test func responseThatIsNotKeptEndsWithItsResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(4711))
        var request = request(fixture)
        request.method = .post
        var resource: Resource? = try await fixture.cache.load(request)
        let path = try #require(resource?.path)
        #expect(bytes(of: path) == png(4711))
        #expect(path.string.hasPrefix("/proc/self/fd/"))
        #expect(resource?.isNoStore == true)
        resource = nil
        // The task that has loaded it may hold it a moment longer.
        #expect(await eventually { bytes(of: path) != png(4711) })
    }

    @Test func evictionRemovesFiles() async throws {
        let fixture = try await Fixture { $0.memory.maximumBytes = 25_000 }
        for number in 0..<4 {
            fixture.origin["/\(number)"] = OriginRoute(
                png(number, count: 9000), cacheControl: "max-age=60")
        }
        var paths: [FilePath] = []
        for number in 0..<4 {
            paths.append(try await fixture.cache.load(request(fixture, "/\(number)")).path)
        }
        #expect(paths.map { bytes(of: $0) != nil } == [false, false, true, true])
        fixture.cache.clearMemory()
        #expect(paths.allSatisfy { bytes(of: $0) == nil })
    }

    @Test func diskRequestDoesNotUseMemoryOnlyResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        _ = try await fixture.cache.load(request(fixture))
        let kept = try await fixture.load("/a.png")
        #expect(kept.path.string.contains("/blobs/"))
        fixture.cache.clearMemory()
        #expect(bytes(of: kept.path) == png(1))
    }

    /// A transform that takes long enough for callers to meet, and keeps 50 bytes.
    private func shortening(_ made: Counter) -> Transform {
        Transform(identity: "shorter") { source, output in
            _ = made.next()
            try await Task.sleep(for: .milliseconds(50))
            try write(Array(try await source.bytes().prefix(50)), to: output)
        }
    }

    @Test func keepsVariantsInMemory() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let made = Counter()
        var request = request(fixture)
        request.transform = shortening(made)
        for _ in 0..<2 {
            let resource = try await fixture.cache.load(request)
            #expect(try await resource.bytes() == Array(png(1).prefix(50)))
            #expect(resource.mediaType == .png)
        }
        #expect(made.value == 1)
        #expect(fixture.folder.files(in: "blobs") == [])
        let summary = try await fixture.cache.summary()
        #expect(summary.entryCount + summary.variantCount == 0)
        await fixture.close()
        #expect(fixture.folder.files(in: "tmp") == [])
    }

    @Test func variantInMemoryIsMadeOnceForCallersAtTheSameTime() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let made = Counter()
        var request = request(fixture)
        request.transform = shortening(made)
        let resources = try await withThrowingTaskGroup(of: Resource.self) { [request] group in
            for _ in 0..<8 { group.addTask { try await fixture.cache.load(request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.value == 1)
        for resource in resources { #expect(bytes(of: resource.path) == Array(png(1).prefix(50))) }
    }

    @Test func returnsResourceAtSizeZero() async throws {
        let fixture = try await Fixture { $0.memory.maximumCount = 0 }
        fixture.origin["/a.png"] = OriginRoute(png(1), cacheControl: "max-age=60")
        for _ in 0..<2 {
            let resource = try await fixture.cache.load(request(fixture))
            #expect(resource.origin == .network)
            #expect(try await resource.bytes() == png(1))
        }
        _ = try await fixture.load("/a.png")
        #expect(try await fixture.load("/a.png").origin == .disk)
    }

    @Test func revalidatesMemoryOnlyResource() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"", cacheControl: "max-age=60")
        _ = try await fixture.cache.load(request(fixture))
        fixture.clock.advance(seconds: 100)
        #expect(try await fixture.cache.load(request(fixture)).byteCount == 200)
        #expect(fixture.origin.requestCount == 2)
        #expect(try await fixture.cache.summary().entryCount == 0)
    }
}
