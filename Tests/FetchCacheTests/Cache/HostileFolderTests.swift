import Files
import Foundation
import GRDB
import TestSupport
import Testing

@testable import FetchCache

/// Tests with untrusted cache folders: restored, imported or read-only ones.
@Suite(.timeLimit(.minutes(10)))
struct HostileFolderTests {
    private let fresh = Fields([("Cache-Control", "max-age=60")])

    /// A folder with the layout of a cache, whose tables contain the rows that `sql` inserts.
    private func folder(_ sql: String) throws -> TestFolder {
        let folder = try TestFolder()
        let layout = CacheLayout(root: folder.path + "/cache")
        try makeFolders(layout.blobs)
        let queue = try DatabaseQueue(path: layout.root + "/index.sqlite")
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE entry (key, vary, url, final_url, digest, byte_count, media_type,
                    is_image, version, status, fields, initial_age, response_time, fresh_until,
                    revalidate_until, last_use, route, body_check, is_confirmed, gone_since,
                    gone_reason);
                    CREATE TABLE failure (key, url, code, detail, status, time, until, credentials);
                    CREATE TABLE variant (source, recipe, encoder, digest, byte_count, metadata,
                    last_use);
                    CREATE TABLE value (namespace, key, bytes, last_use);
                    CREATE TABLE meta (name, value);
                    PRAGMA user_version = \(Schema.version);
                    \(sql)
                    """)
        }
        try queue.close()
        return folder
    }

    private static let zeros = String(repeating: "0", count: 64)

    @Test(arguments: [
        "INSERT INTO entry (key) VALUES ('http://h/a')",
        """
        INSERT INTO entry VALUES ('http://h/a', '', 'u', 'f', '\(zeros)', 'much', 't', 'x', 'v',
        's', x'00', NULL, 'now', 1, 1, 1, 5, 5, 'x', 'now', 5)
        """,
        """
        INSERT INTO entry VALUES ('http://h/a', '', 'u', 'f', '\(zeros)', 9223372036854775807, 't',
        1, 'v', 200, '', 9223372036854775807, -9223372036854775807, 9223372036854775807, 0,
        -9223372036854775808, '', NULL, -1, -9223372036854775808, '')
        """,
        """
        INSERT INTO variant VALUES ('\(zeros)', 'r', 'e', '\(zeros)', 9223372036854775807, 'm', 1),
        ('\(zeros)', 's', 'e', '../../../../etc/passwd', 9223372036854775807, 'm', 1)
        """,
        "INSERT INTO value VALUES ('n', 'k', 5, 'never')",
        "INSERT INTO failure VALUES ('http://h/a', NULL, 'status', 5, 'x', 'y', 9e18, 3)",
        "DROP TABLE entry; CREATE TABLE entry (key, vary, digest)",
        "DROP TABLE variant; CREATE TABLE variant (digest, byte_count, last_use)",
    ])
    func invalidRowsAreMisses(_ sql: String) async throws {
        let hostile = try folder(sql)
        let own = try TestFolder()
        let cache = try FetchManager(
            own.configuration { $0.folder.readOnlyCaches = [FilePath(hostile.path + "/cache")] })
        let request = FetchRequest("http://h/a", mode: .offline)
        let error = await #expect(throws: FetchError.self) { try await cache.load(request) }
        #expect(error?.code == .offline)
        let digest = try #require(BlobDigest(hex: Self.zeros))
        #expect(try await cache.variant(of: digest, recipe: "r", encoder: "e") == nil)
        #expect(try await cache.value(for: "k", in: "n") == nil)
        let report = try? await cache.merge(folder: FilePath(hostile.path + "/cache"))
        #expect(report == nil || report?.entryCount == 0)
        #expect(try await cache.summary().blobCount == 0)
        _ = try await cache.clean()
    }

    @Test func doesNotChangeDamagedReadOnlyCache() async throws {
        let base = try TestFolder()
        let first = try FetchManager(base.configuration())
        for number in 0..<200 {
            try await first.store(
                png(number), for: FetchRequest("http://h/\(number)"), headers: fresh)
        }
        await first.close()
        let index = base.path + "/cache/index.sqlite"
        let handle = try FileHandle(forWritingTo: URL(filePath: index))
        try handle.seek(toOffset: 8_192)
        try handle.write(contentsOf: Data(repeating: 0xAB, count: 20_000))
        try handle.close()
        let before = bytes(of: index)

        let own = try TestFolder()
        let cache = try FetchManager(
            own.configuration { $0.folder.readOnlyCaches = [FilePath(base.path + "/cache")] })
        for number in 0..<200 {
            _ = try? await cache.load(FetchRequest("http://h/\(number)", mode: .offline))
        }
        _ = try? await cache.merge(folder: FilePath(base.path + "/cache"))
        await cache.close()
        #expect(bytes(of: index) == before)
    }

    @Test func recreatesRemovedFolder() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a"] = OriginRoute(png(1), cacheControl: "max-age=60")
        _ = try await fixture.load("/a")
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/cache")
        #expect(try await fixture.load("/a").byteCount == 200)
        await fixture.cache.close()
        let again = try fixture.reopened()
        #expect(
            try await again.load(FetchRequest(fixture.origin.url + "/a")).origin == .disk)
    }

    @Test(arguments: [(99, "newer"), (2, "older")])
    func setsIndexOfAnotherVersionAside(version: Int, age: String) async throws {
        let fixture = try await Fixture()
        await fixture.cache.close()
        let path = fixture.folder.path + "/cache/index.sqlite"
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "PRAGMA user_version = \(version)") }
        try queue.close()
        let before = bytes(of: path)
        let lines = Box<[String]>([])
        let cache = try FetchManager(fixture.folder.configuration { $0.logger = lines.logger })
        #expect(lines.value.count == 1)
        #expect(lines.value.first?.contains("\(age) version") == true)
        #expect(lines.value.first?.contains("\(version)") == true)
        #expect(lines.value.first?.contains(path + ".aside") == true)
        #expect(bytes(of: path + ".aside") == before)
        try await cache.store(png(1), for: FetchRequest("http://h/a"))
        #expect(try await cache.summary().entryCount == 1)
    }

    @Test func recreatesRemovedTemporaryFolder() async throws {
        let fixture = try await Fixture()
        for number in 0..<3 { fixture.origin["/\(number)"] = OriginRoute(png(number)) }
        _ = try await fixture.load("/0")
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/cache/tmp")
        #expect(try await fixture.load("/1").byteCount == 200)
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/cache/blobs")
        #expect(try await fixture.load("/2").byteCount == 200)
        #expect(try await fixture.load("/0").byteCount == 200)
        await fixture.close()
        #expect(fixture.folder.files(in: "tmp") == [])
    }

    @Test func doesNotFollowLinks() async throws {
        let precious = try TestFolder()
        try write([1, 2, 3], to: precious.path + "/file")
        let fixture = try await Fixture()
        let stored = try await fixture.cache.store(
            png(1), for: FetchRequest("http://h/a"), headers: fresh)
        await fixture.cache.close()
        let cache = fixture.folder.path + "/cache"
        // The removal of a dead process's temporary files must not follow links out of the folder.
        symlink(precious.path, cache + "/tmp/x")
        try write([], to: cache + "/tmp/x.lock")
        // A link to another file is not a blob either.
        unlink(stored.path.string)
        try write(png(2), to: precious.path + "/other.png")
        symlink(precious.path + "/other.png", stored.path.string)

        let second = try fixture.reopened()
        #expect(bytes(of: precious.path + "/file") == [1, 2, 3])
        let error = await #expect(throws: FetchError.self) {
            try await second.load(FetchRequest("http://h/a", mode: .offline))
        }
        #expect(error?.code == .offline)
    }

    @Test func pipeInPlaceOfBlobDoesNotBlock() async throws {
        let source = try await Fixture()
        let stored = try await source.cache.store(
            png(1), for: FetchRequest("http://h/a"), headers: fresh)
        await source.cache.close()
        unlink(stored.path.string)
        mkfifo(stored.path.string, 0o644)
        let destination = try await Fixture()
        let report = try await destination.cache.merge(
            folder: FilePath(source.folder.path + "/cache"))
        #expect(report.damaged == [stored.digest])
        await destination.close()
        let again = try source.reopened()
        #expect(try await again.verify().checkedCount <= 1)
    }
}
