import FetchCache
import Foundation
import Glibc
import TestSupport
import Testing

/// Only the owner has access to the folder of a cache.
@Suite("Access to the folder", .timeLimit(.minutes(10)))
struct PrivateFolderTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// The files and folders below a path to which others have access.
    private func open(_ path: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return ([""] + names).filter { mode(path + "/" + $0) & 0o077 != 0 }
    }

    /// A cache with an entry, a variant, a value, an incomplete download and running locks.
    private func fill(_ fixture: Fixture) async throws {
        let source = try await fixture.cache.store(
            png(1), for: FetchRequest("http://h/a"), headers: Fields([("ETag", "\"1\"")]))
        let file = try fixture.cache.temporaryFile()
        try write(png(2), to: file)
        try await fixture.cache.storeVariant(
            fileAt: file, of: source.digest, recipe: "r", encoder: "e")
        try await fixture.cache.setValues(["k": [1]], in: "n")
        var route = OriginRoute(
            png(3, count: 90_000), etag: "\"1\"", delivery: .truncated(after: 60_000))
        route.acceptsRanges = true
        fixture.origin["/a.png"] = route
        #expect(await fixture.failure("/a.png") != nil)
        let names = FileManager.default.enumerator(atPath: fixture.folder.path)?.compactMap {
            $0 as? String
        }
        #expect(names?.contains { $0.contains("/blobs/") } == true)
        #expect(names?.contains { $0.contains("/tmp/") } == true)
    }

    @Test func newFolderIsPrivate() async throws {
        let fixture = try await Fixture { $0.downloader.keepsCookies = true }
        try await fill(fixture)
        let cache = fixture.folder.path + "/cache"
        #expect(open(cache) == [])
        #expect(mode(cache) == 0o700)
        for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "locks"] {
            #expect(mode(cache + "/" + name) == 0o600, "\(name)")
        }
        let copy = fixture.folder.path + "/copy"
        _ = try await fixture.cache.export(to: FilePath(copy))
        #expect(open(copy) == [])
        await fixture.close()
        #expect(open(cache) == [])
    }

    @Test(arguments: ["", "docs"])
    func existingFolderBecomesPrivate(_ namespace: String) async throws {
        let fixture = try await Fixture { $0.folder.namespace = namespace }
        try await fill(fixture)
        await fixture.close()
        let cache = fixture.folder.path + "/cache"
        for name in FileManager.default.enumerator(atPath: cache)?.allObjects ?? [] {
            guard let name = name as? String else { continue }
            chmod(cache + "/" + name, mode(cache + "/" + name) | 0o055)
        }
        chmod(cache, 0o755)
        let again = try FetchManager(
            fixture.folder.configuration { $0.folder.namespace = namespace })
        #expect(mode(cache) == 0o700)
        let root = namespace.isEmpty ? cache : "\(cache)/namespaces/\(namespace)"
        #expect(mode(root) == 0o700)
        #expect(mode(root + "/index.sqlite") == 0o600)
        #expect(try await again.value(for: "k", in: "n") == [1])
    }

    /// For example a home folder that was named as the cache.
    @Test func folderWithOtherThingsKeepsItsMode() async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let cache = folder.path + "/cache"
        try write(Array("x".utf8), to: cache + "/letter.txt")
        chmod(cache, 0o755)
        chmod(cache + "/letter.txt", 0o644)
        chmod(cache + "/index.sqlite", 0o644)
        chmod(cache + "/blobs", 0o755)
        try await FetchManager(folder.configuration()).close()
        #expect(mode(cache) == 0o755)
        #expect(mode(cache + "/letter.txt") == 0o644)
        #expect(mode(cache + "/index.sqlite") == 0o600)
        #expect(mode(cache + "/blobs") == 0o700)
    }

    @Test func readOnlyCacheKeepsItsModes() async throws {
        let base = try await Fixture()
        try await fill(base)
        await base.close()
        let path = base.folder.path + "/cache"
        chmod(path, 0o755)
        chmod(path + "/index.sqlite", 0o644)
        let own = try TestFolder()
        let cache = try FetchManager(
            own.configuration { $0.folder.readOnlyCaches = [FilePath(path)] })
        let resource = try await cache.load(FetchRequest("http://h/a", mode: .offline))
        #expect(try await resource.bytes() == png(1))
        await cache.close()
        #expect(mode(path) == 0o755)
        #expect(mode(path + "/index.sqlite") == 0o644)
    }
}
