import FetchCache
import Glibc
import TestSupport
import Testing

@Suite("Blobs are hashed before they are used", .timeLimit(.minutes(10)))
struct VerifiedTests {
    private func flip(_ path: String) throws {
        var content = try #require(bytes(of: path))
        content[content.count / 2] ^= 1
        unlink(path)
        try write(content, to: path)
    }

    private func error(_ body: () async throws(FetchError) -> Void) async -> FetchError? {
        do throws(FetchError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func removesAndRefetchesDamagedBlob() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        let resource = try await fixture.load("/a.png")
        try await fixture.cache.storeVariant(sameAs: resource.digest, recipe: "r", encoder: "e")
        try flip(resource.path.string)
        let damage = await error {
            () throws(FetchError) in
            try await fixture.cache.verify(resource.digest, at: resource.path)
        }
        #expect(damage?.code == .damaged)
        #expect(
            try await fixture.cache.variant(of: resource.digest, recipe: "r", encoder: "e") == nil)
        let fetched = try await fixture.load("/a.png")
        #expect(fetched.origin == .network)
        try await fixture.cache.verify(fetched.digest, at: fetched.path)
    }

    /// Two URLs with the same content, of which one has a damaged blob.
    @Test func newBytesReplaceDamagedBlob() async throws {
        let fixture = try await Fixture()
        for path in ["/a.png", "/b.png"] {
            fixture.origin[path] = OriginRoute(png(), cacheControl: "max-age=60")
        }
        try flip(try await fixture.load("/a.png").path.string)
        let other = try await fixture.load("/b.png")
        #expect(other.origin == .network)
        #expect(bytes(of: other.path) == png())
        #expect(try await fixture.load("/a.png").bytes() == png())
    }

    @Test func newBytesReplaceDamagedBlobOfLostIndex() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        try flip(try await fixture.load("/a.png").path.string)
        await fixture.cache.close()
        for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
            unlink("\(fixture.folder.path)/cache/\(name)")
        }
        let resource = try await fixture.reopened().load(
            FetchRequest(fixture.origin.url + "/a.png"))
        #expect(bytes(of: resource.path) == png())
    }

    @Test func newVariantReplacesDamagedBlob() async throws {
        let fixture = try await Fixture()
        let source = BlobDigest(hashing: [1])
        var paths: [FilePath] = []
        for recipe in ["r", "s"] {
            let file = try fixture.cache.temporaryFile()
            try write(png(5), to: file)
            let variant = try await fixture.cache.storeVariant(
                fileAt: file, of: source, recipe: recipe, encoder: "e")
            if recipe == "r" { try flip(variant.path.string) }
            paths.append(variant.path)
        }
        #expect(paths.map { bytes(of: $0) } == [png(5), png(5)])
    }

    @Test func importReplacesDamagedBlob() async throws {
        let (source, destination) = (try await Fixture(), try await Fixture())
        for fixture in [source, destination] {
            try await fixture.cache.store(png(), for: FetchRequest("http://h/a"))
        }
        let path = try #require(try await destination.cache.path(forKey: "http://h/a"))
        try flip(path.string)
        await source.cache.close()
        let report = try await destination.cache.merge(
            folder: FilePath(source.folder.path + "/cache"))
        #expect(report.blobCount == 1)
        #expect(bytes(of: path) == png())
    }

    @Test func returnsPathOfBlobForKey() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let resource = try await fixture.load("/a.png")
        #expect(try await fixture.cache.path(forKey: resource.key) == resource.path)
        #expect(try await fixture.cache.path(forKey: "http://h/other") == nil)
        try damage(resource.path, isMissing: true)
        #expect(try await fixture.cache.path(forKey: resource.key) == nil)
    }

    @Test func existenceCheckCreatesNoCache() throws {
        let folder = try TestFolder()
        #expect(try !FetchManager.exists(folder.configuration()))
        #expect(folder.files(in: "") == [])
        #expect(throws: FetchError.self) {
            try FetchManager.exists(folder.configuration { $0.folder.namespace = "../x" })
        }
    }

    @Test func cleaningReportsFilesItCannotRemove() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 500))
        let resource = try await fixture.load("/a.png")
        // A folder at the path of the file is not removed.
        unlink(resource.path.string)
        mkdir(resource.path.string, 0o755)
        try await fixture.cache.store(png(2), for: FetchRequest("http://h/b"))
        let report = try await fixture.cache.clear()
        #expect(report.removedEntryCount == 2)
        #expect(report.removedBlobCount == 1)
        #expect(report.removedBytes == 200)
        #expect(report.remainingBlobCount == 0)
        rmdir(resource.path.string)
    }
}
