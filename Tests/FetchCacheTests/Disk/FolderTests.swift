import Dispatch
import Files
import GRDB
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import FetchCache

@Suite(.timeLimit(.minutes(10)))
struct FolderTests {
    @Test func createsFolderWithTagAndIndex() async throws {
        let folder = try TestFolder()
        let cache = try FetchManager(folder.configuration())
        let tag = String(
            decoding: bytes(of: folder.path + "/cache/CACHEDIR.TAG") ?? [], as: UTF8.self)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
        #expect(
            bytes(of: folder.path + "/cache/index.sqlite")?.starts(with: "SQLite format 3".utf8)
                == true)
        await cache.close()
        #expect(folder.files(in: "tmp") == [])
    }

    @Test func manyCanCreateFolderAtTheSameTime() async throws {
        let folder = try TestFolder()
        let lines = Box<[String]>([])
        let errors = Box<[String]>([])
        let levels = Box<[DiskLevel]>([])
        for round in 0..<20 {
            let path = FilePath("\(folder.path)/\(round)")
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let level = try DiskLevel(at: path, logger: lines.logger)
                    levels.change { $0.append(level) }
                } catch {
                    errors.change { $0.append("\(error)") }
                }
            }
        }
        for level in levels.value {
            #expect(try await level.index.read { try $0.tableExists("entry") })
        }
        #expect(errors.value == [])
        #expect(lines.value == [])
    }

    /// Linux releases the locks of a process on a file when the process closes any descriptor of it.
    @Test func openingFolderAgainKeepsLocksOfIndex() async throws {
        let folder = try TestFolder()
        let cache = try FetchManager(folder.configuration())
        let files = ["", "-shm"].map { open(folder.path + "/cache/index.sqlite" + $0, O_RDONLY) }
        defer { for file in files { close(file) } }
        #expect(files.map(isLocked) == [true, true])
        // The modes of all files are looked at.
        chmod(folder.path + "/cache", 0o755)
        try await FetchManager(folder.configuration()).close()
        #expect(files.map(isLocked) == [true, true])
        await cache.close()
        #expect(files.map(isLocked) == [false, false])
    }

    @Test func refusesEmptyPath() {
        #expect(throws: FetchError.self) {
            try FetchManager(FetchConfiguration(folder: ""))
        }
    }

    @Test func failsIfFileIsInPlaceOfFolder() throws {
        let folder = try TestFolder()
        try writeNewFile("x", to: folder.path + "/cache")
        let error = #expect(throws: FetchError.self) { try FetchManager(folder.configuration()) }
        #expect(error?.code == .storage)
        #expect(error?.url == folder.path + "/cache")
    }

    @Test func setsNewerLayoutAside() async throws {
        let folder = try TestFolder()
        try await FetchManager(folder.configuration()).close()
        let index = folder.path + "/cache/index.sqlite"
        try overwrite(index, at: 60, with: [0, 0, 0, 99])
        let before = bytes(of: index)
        try await FetchManager(folder.configuration()).close()
        #expect(bytes(of: index + ".aside") == before)
    }

    @Test(arguments: ["garbage", ""])
    func recreatesDamagedIndex(_ text: String) async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        await fixture.cache.close()
        let index = fixture.folder.path + "/cache/index.sqlite"
        unlink(index)
        unlink(index + "-wal")
        unlink(index + "-shm")
        try writeNewFile(String(repeating: text, count: 1000), to: index)

        let cache = try fixture.reopened()
        let resource = try await cache.load(FetchRequest(fixture.origin.url + "/a.png"))
        #expect(resource.origin == .network)
    }

    @Test func removesTemporaryFilesOfDeadProcessesOnly() async throws {
        let folder = try TestFolder()
        let living = try FetchManager(folder.configuration())
        let held = try living.temporaryFile().string
        try writeNewFile("x", to: held)
        let dead = folder.path + "/cache/tmp/1-dead"
        try makeFolders(dead)
        try writeNewFile("", to: dead + ".lock")
        try writeNewFile("half", to: dead + "/1")

        let cache = try FetchManager(folder.configuration())

        #expect(bytes(of: held) == Array("x".utf8))
        #expect(bytes(of: dead + "/1") == nil)
        #expect(bytes(of: dead + ".lock") == nil)
        await cache.close()
        #expect(bytes(of: held) == Array("x".utf8))
        await living.close()
        #expect(bytes(of: held) == nil)
    }

    @Test func storesReadOnlyBlobsByContent() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        fixture.origin["/b.png"] = OriginRoute(png())
        let first = try await fixture.load("/a.png")
        let second = try await fixture.load("/b.png")
        #expect(first.path == second.path)
        var info = stat()
        #expect(stat(first.path.string, &info) == 0)
        #expect(info.st_mode & 0o777 == 0o400)
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test func reportsUnwritableFolderAsStorageError() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        // Replace the temporary folder by a file.
        rmdir(fixture.folder.path + "/cache/tmp")
        try writeNewFile("", to: fixture.folder.path + "/cache/tmp")
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == .storage)
    }

    /// Whether a connection has a lock on a file.
    private func isLocked(_ file: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        // The value of F_OFD_GETLK, which Glibc defines only with _GNU_SOURCE.
        #expect(fcntl(file, 36, &lock) == 0)
        return lock.l_type != F_UNLCK
    }

    private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let handle = open(path, O_WRONLY)
        defer { close(handle) }
        guard pwrite(handle, bytes, bytes.count, offset) == bytes.count else {
            throw POSIXFailure(code: errno)
        }
    }
}
