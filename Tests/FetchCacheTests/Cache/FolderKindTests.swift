import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Namespaces and read-only caches", .timeLimit(.minutes(10)))
struct FolderKindTests {
    private let fresh = Fields([("Cache-Control", "max-age=60"), ("ETag", "\"1\"")])

    @Test func namespacesAreSeparate() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        let other = try FetchManager(
            fixture.folder.configuration(fixture.clock) { $0.folder.namespace = "docs-2.0" })
        let request = FetchRequest(fixture.origin.url + "/a.png")
        #expect(try await !other.contains(request))
        #expect(try await other.load(request).path.string.contains("/namespaces/docs-2.0/blobs/"))
        try await other.clear()
        #expect(try await fixture.load("/a.png").origin == .memory)
    }

    @Test(arguments: ["../x", "a/b", ".", "..", ".hidden", "ä", "a b", "a\0"])
    func refusesInvalidNamespace(_ name: String) throws {
        let folder = try TestFolder()
        let error = #expect(throws: FetchError.self) {
            try FetchManager(folder.configuration { $0.folder.namespace = name })
        }
        #expect(error?.code == .storage)
    }

    /// A closed cache folder with one fresh entry, and another cache that uses it read-only.
    private func withBase(
        _ body: (_ cache: FetchManager, _ fixture: Fixture, _ base: String) async throws -> Void
    ) async throws {
        let fixture = try await Fixture()
        let request = FetchRequest(fixture.origin.url + "/a.png")
        try await fixture.cache.store(png(1), for: request, headers: fresh)
        await fixture.cache.close()
        let base = fixture.folder.path + "/cache"
        let own = try TestFolder()
        let cache = try FetchManager(
            own.configuration(fixture.clock) {
                $0.folder.readOnlyCaches = ["/nowhere", FilePath(base)]
            })
        try await body(cache, fixture, base)
    }

    /// `MountTests` covers file systems that are not writable: file permissions do not restrict
    /// root.
    @Test func usesResourcesOfReadOnlyCache() async throws {
        try await withBase { cache, fixture, base in
            let request = FetchRequest(fixture.origin.url + "/a.png")
            #expect(try await cache.contains(request))
            let resource = try await cache.load(request)
            #expect(resource.origin == .disk)
            #expect(resource.path.string.hasPrefix(base + "/blobs/"))
            #expect(try await cache.load(request).origin == .memory)
            #expect(try await cache.resources(for: [request.url]).count == 1)
            #expect(fixture.origin.requestCount == 0)
            #expect(try await cache.summary().entryCount == 0)
        }
    }

    @Test func storesRevalidatedResourceInOwnFolder() async throws {
        try await withBase { cache, fixture, base in
            fixture.origin["/a.png"] = OriginRoute(png(1), etag: "\"1\"")
            fixture.clock.advance(seconds: 100)
            let request = FetchRequest(fixture.origin.url + "/a.png")
            let resource = try await cache.load(request)
            #expect(resource.origin == .revalidated)
            #expect(!resource.path.string.hasPrefix(base))
            #expect(bytes(of: resource.path) == png(1))
            #expect(try await cache.summary().entryCount == 1)
            #expect(try await cache.verify().checkedCount == 1)
        }
    }

    @Test func findsVariantsAndValuesOfReadOnlyCache() async throws {
        let fixture = try await Fixture()
        let request = FetchRequest(fixture.origin.url + "/a.png")
        let source = try await fixture.cache.store(png(1), for: request, headers: fresh)
        try await fixture.cache.storeVariant(sameAs: source.digest, recipe: "r", encoder: "e")
        try await fixture.cache.setValues(["k": [1, 2]], in: "n")
        await fixture.cache.close()
        let own = try TestFolder()
        let cache = try FetchManager(
            own.configuration(fixture.clock) {
                $0.folder.readOnlyCaches = [FilePath(fixture.folder.path + "/cache")]
            })
        let variant = try await cache.variant(of: source.digest, recipe: "r", encoder: "e")
        #expect(variant.map { bytes(of: $0.path) } == png(1))
        #expect(try await cache.value(for: "k", in: "n") == [1, 2])
        let same = try await cache.storeVariant(sameAs: source.digest, recipe: "s", encoder: "e")
        #expect(bytes(of: same.path) == png(1))
    }

    @Test func damagedBlobOfReadOnlyCacheIsAMiss() async throws {
        try await withBase { cache, fixture, base in
            fixture.origin["/a.png"] = OriginRoute(png(1))
            let request = FetchRequest(fixture.origin.url + "/a.png")
            let name = try #require(fixture.folder.files(in: "blobs").first)
            try damage("\(base)/blobs/\(name)", isMissing: false)
            #expect(try await cache.load(request).origin == .network)
        }
    }

    /// Replaces the only blob of a cache by other bytes of the same length.
    ///
    /// - Returns: Its path.
    private func spoilBlob(of fixture: Fixture) throws -> String {
        let name = try #require(fixture.folder.files(in: "blobs").first)
        let path = "\(fixture.folder.path)/cache/blobs/\(name)"
        unlink(path)
        try write([UInt8](repeating: 7, count: png(1).count), to: path)
        return path
    }

    /// Expects that bytes do not have their digest.
    private func expectDamage(
        _ digest: BlobDigest, _ path: FilePath, _ cache: FetchManager
    ) async {
        let error = await #expect(throws: FetchError.self) {
            try await cache.verify(digest, at: path)
        }
        #expect(error?.code == .damaged)
    }

    /// A stale response is confirmed by its server before its bytes are copied.
    @Test(arguments: [false, true])
    func blobFoundDamagedInReadOnlyCacheIsFetchedAgain(isStale: Bool) async throws {
        try await withBase { cache, fixture, base in
            fixture.origin["/a.png"] = OriginRoute(
                png(1), etag: "\"1\"", cacheControl: "max-age=60")
            let request = FetchRequest(fixture.origin.url + "/a.png")
            let path = try spoilBlob(of: fixture)
            let spoilt = bytes(of: path)
            if isStale {
                fixture.clock.advance(seconds: 100)
            } else {
                let resource = try await cache.load(request)
                #expect(resource.path.string == path)
                await expectDamage(resource.digest, resource.path, cache)
                #expect(try await cache.resources(for: [request.url]).isEmpty)
            }
            let resource = try await cache.load(request)
            #expect(resource.origin == .network)
            #expect(bytes(of: resource.path) == png(1))
            #expect(cache.damagedCaches.map(\.string) == [base])
            #expect(bytes(of: path) == spoilt)
        }
    }

    @Test func variantFoundDamagedInReadOnlyCacheIsMissing() async throws {
        let fixture = try await Fixture()
        let request = FetchRequest(fixture.origin.url + "/a.png")
        let source = try await fixture.cache.store(png(1), for: request, headers: fresh)
        try await fixture.cache.storeVariant(sameAs: source.digest, recipe: "r", encoder: "e")
        await fixture.cache.close()
        _ = try spoilBlob(of: fixture)
        let own = try TestFolder()
        let cache = try FetchManager(
            own.configuration(fixture.clock) {
                $0.folder.readOnlyCaches = [FilePath(fixture.folder.path + "/cache")]
            })
        let found = try #require(
            try await cache.variant(of: source.digest, recipe: "r", encoder: "e"))
        await expectDamage(found.digest, found.path, cache)
        #expect(try await cache.variant(of: source.digest, recipe: "r", encoder: "e") == nil)
    }
}
