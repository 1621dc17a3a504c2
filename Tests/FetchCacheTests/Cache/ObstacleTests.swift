import FetchCache
import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

/// Something else that has the name of a file of the cache is set aside, and never deleted.
@Suite("Obstacles in the folder", .timeLimit(.minutes(10)))
struct ObstacleTests {
    enum Thing: String, CaseIterable {
        case folder, danglingLink, linkOutside, pipe

        func make(at path: String, _ folder: TestFolder) throws {
            switch self {
            case .folder:
                try FileManager.default.createDirectory(
                    atPath: path + "/inner", withIntermediateDirectories: true)
            case .danglingLink: symlink("/nowhere/at/all", path)
            case .linkOutside:
                let outside = folder.path + "/outside"
                try write(Array("precious".utf8), to: outside)
                symlink(outside, path)
            case .pipe: mkfifo(path, 0o600)
            }
        }

        func isIntact(at path: String, _ folder: TestFolder) -> Bool {
            var status = stat()
            guard lstat(path, &status) == 0 else { return false }
            switch self {
            case .folder: return FileManager.default.fileExists(atPath: path + "/inner")
            case .pipe: return status.st_mode & S_IFMT == S_IFIFO
            case .danglingLink: return status.st_mode & S_IFMT == S_IFLNK
            case .linkOutside:
                return status.st_mode & S_IFMT == S_IFLNK
                    && bytes(of: folder.path + "/outside") == Array("precious".utf8)
            }
        }
    }

    /// Opens and uses the cache, and returns the messages.
    private func use(_ folder: TestFolder) async throws -> [String] {
        let lines = Box<[String]>([])
        let cache = try FetchManager(folder.configuration { $0.logger = lines.logger })
        try await cache.store(png(1), for: FetchRequest("http://h/a"))
        let resource = try await cache.load(FetchRequest("http://h/a", mode: .offline))
        #expect(try await resource.bytes() == png(1))
        await cache.close()
        return lines.value
    }

    @Test(arguments: Thing.allCases, ["index.sqlite", "index-2.sqlite", "index.sqlite-wal"])
    func indexIsSetAside(_ thing: Thing, _ name: String) async throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/cache", withIntermediateDirectories: true)
        let path = folder.path + "/cache/" + name
        try thing.make(at: path, folder)
        // An index with a lower number is used as it is.
        if name == "index-2.sqlite" {
            #expect(try await use(folder) == [])
            #expect(thing.isIntact(at: path, folder))
            return
        }
        #expect(try await use(folder).count == 1)
        #expect(thing.isIntact(at: path + ".aside", folder))
        #expect(try await use(folder) == [])
    }

    @Test(arguments: Thing.allCases)
    func damagedIndexIsReplacedAlthoughSomethingHasTheNextName(_ thing: Thing) async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let path = folder.path + "/cache/index-2.sqlite"
        try thing.make(at: path, folder)
        truncate(folder.path + "/cache/index.sqlite", 10_000)
        #expect(try await use(folder).count == 1)
        #expect(thing.isIntact(at: path + ".aside", folder))
        #expect(try await use(folder) == [])
    }

    @Test(arguments: Thing.allCases, ["locks", "index.lock", "cookies", "CACHEDIR.TAG"])
    func fileIsSetAside(_ thing: Thing, _ name: String) async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let path = folder.path + "/cache/" + name
        unlink(path)
        try thing.make(at: path, folder)
        #expect(try await use(folder).count == 1)
        #expect(thing.isIntact(at: path + ".aside", folder))
    }

    @Test(arguments: [Thing.danglingLink, .linkOutside, .pipe], ["blobs", "tmp"])
    func folderIsSetAside(_ thing: Thing, _ name: String) async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let path = folder.path + "/cache/" + name
        rmdir(path)
        try thing.make(at: path, folder)
        #expect(try await use(folder).count == 1)
        #expect(thing.isIntact(at: path + ".aside", folder))
    }

    /// In place of the folder of some blobs, or of the blob itself.
    @Test(arguments: [2, 64]) func blobIsNotLost(_ length: Int) async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let hex = BlobDigest(hashing: png(1)).hex
        let start = folder.path + "/cache/blobs/" + hex.prefix(2)
        if length == 2 {
            mkfifo(start, 0o600)
        } else {
            try FileManager.default.createDirectory(
                atPath: start + "/" + hex.dropFirst(2) + "/inner",
                withIntermediateDirectories: true)
        }
        #expect(try await use(folder) == [])
    }

    /// The answer of a pipe never comes.
    @Test func pipesDoNotBlock() async throws {
        let fixture = try await Fixture()
        let cache = fixture.folder.path + "/cache"
        mkfifo(cache + "/tmp/1-x.lock", 0o600)
        let key = try fixture.cache.key(for: FetchRequest(fixture.origin.url + "/a.png"))
        await fixture.cache.close()
        mkdir(cache + "/partial", 0o700)
        mkfifo("\(cache)/partial/\(sha256(key).prefix(32)).json", 0o600)
        fixture.origin["/a.png"] = OriginRoute(png())
        let again = try fixture.reopened()
        #expect(
            try await again.load(FetchRequest(fixture.origin.url + "/a.png")).origin == .network)
    }

    private func sha256(_ text: String) -> String { BlobDigest(hashing: Array(text.utf8)).hex }

    @Test(arguments: [
        "PRAGMA application_id = 12345",
        "CREATE TABLE entry (id, text); CREATE TABLE letters (id)",
        "PRAGMA user_version = -7", "PRAGMA user_version = 99",
    ])
    func databaseOfAnotherProgramIsSetAside(_ sql: String) async throws {
        let folder = try TestFolder()
        let cache = folder.path + "/cache"
        try FileManager.default.createDirectory(
            atPath: cache, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: cache + "/index.sqlite")
        try await queue.write { try $0.execute(sql: "CREATE TABLE precious (x); " + sql) }
        try queue.close()
        let before = bytes(of: cache + "/index.sqlite")
        #expect(try await use(folder).count == 1)
        #expect(bytes(of: cache + "/index.sqlite.aside") == before)
        #expect(try await use(folder) == [])
    }

    @Test(.enabled(if: geteuid() != 0, "permissions do not restrict root"))
    func unreadableIndexIsSetAside() async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let path = folder.path + "/cache/index.sqlite"
        chmod(path, 0)
        #expect(try await use(folder).count == 1)
        #expect(FileManager.default.fileExists(atPath: path + ".aside"))
    }

    /// Two versions that take turns do not fill the disk.
    @Test func numberOfThingsSetAsideIsBounded() async throws {
        let folder = try TestFolder()
        for _ in 1...10 {
            try await FetchManager(folder.configuration()).close()
            let path = folder.path + "/cache/index.sqlite"
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
            try queue.close()
            _ = try await use(folder)
            unlink(path)
        }
        try await FetchManager(folder.configuration()).close()
        let queue = try DatabaseQueue(path: folder.path + "/cache/index.sqlite")
        try await queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        try queue.close()
        let error = #expect(throws: FetchError.self) { try FetchManager(folder.configuration()) }
        #expect(error?.code == .storage)
    }
}
