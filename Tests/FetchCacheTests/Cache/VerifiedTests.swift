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

    @Test func copiesVerifiedBytes() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 300_000), cacheControl: "max-age=60")
        let resource = try await fixture.load("/a.png")
        let target = FilePath(fixture.folder.path + "/copy.png")
        try await fixture.cache.copy(resource.digest, at: resource.path, to: target)
        #expect(bytes(of: target) == png(count: 300_000))
        try await fixture.cache.verify(resource.digest, at: resource.path)
        let again = await error {
            () throws(FetchError) in
            try await fixture.cache.copy(resource.digest, at: resource.path, to: target)
        }
        #expect(again?.code == .storage)
    }

    @Test(arguments: [false, true])
    func removesAndRefetchesDamagedBlob(isCopied: Bool) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        let resource = try await fixture.load("/a.png")
        try await fixture.cache.storeVariant(sameAs: resource.digest, recipe: "r", encoder: "e")
        try flip(resource.path.string)
        let target = FilePath(fixture.folder.path + "/copy.png")
        let damage = await error {
            () throws(FetchError) in
            if isCopied {
                try await fixture.cache.copy(resource.digest, at: resource.path, to: target)
            } else {
                try await fixture.cache.verify(resource.digest, at: resource.path)
            }
        }
        #expect(damage?.code == .damaged)
        #expect(bytes(of: target) == nil)
        #expect(
            try await fixture.cache.variant(of: resource.digest, recipe: "r", encoder: "e") == nil)
        let fetched = try await fixture.load("/a.png")
        #expect(fetched.origin == .network)
        try await fixture.cache.verify(fetched.digest, at: fetched.path)
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
