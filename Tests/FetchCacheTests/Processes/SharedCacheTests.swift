import FetchCache
import TestSupport
import Testing

/// The default folder depends on the environment, so each test runs a process of its own.
@Suite("The shared cache and the default folder", .timeLimit(.minutes(10)))
struct SharedCacheTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func output(_ environment: [String: String]) async throws -> [String] {
        let result = try await Command.run(
            Command.built("cache-probe"), ["shared", "https://h.invalid/a"],
            environment: environment, directory: folder.path)
        #expect(result.exitCode == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    /// The output of a process whose shared cache is in a folder.
    private func expect(_ lines: [String], in cache: String) throws {
        #expect(lines.count == 3)
        #expect(lines.prefix(2) == ["folder \(cache)", "same true"])
        let path = try #require(lines.last?.split(separator: " ").last)
        #expect(path.hasPrefix("\(cache)/blobs/"))
        #expect(bytes(of: String(path)) == [1, 2, 3])
    }

    @Test func isInFolderOfVariable() async throws {
        let lines = try await output(["XDG_CACHE_HOME": folder.path + "/x", "HOME": folder.path])
        try expect(lines, in: folder.path + "/x/fetchcache")
    }

    /// A relative path is invalid (XDG Base Directory Specification).
    @Test(arguments: ["", "relative"])
    func isInHomeFolderOtherwise(variable: String) async throws {
        let lines = try await output(["XDG_CACHE_HOME": variable, "HOME": folder.path])
        try expect(lines, in: folder.path + "/.cache/fetchcache")
    }

    @Test(arguments: ["", "relative"])
    func failsWithoutFolder(home: String) async throws {
        let lines = try await output(["XDG_CACHE_HOME": "", "HOME": home])
        #expect(lines == ["folder ", "error storage", "same true"])
    }

    @Test func laterProcessFindsWhatIsStored() async throws {
        let environment = ["XDG_CACHE_HOME": folder.path]
        let first = try await output(environment)
        #expect(try await output(environment) == first)
        let cache = try FetchManager(
            FetchConfiguration(folder: FilePath("\(folder.path)/fetchcache")))
        var request = FetchRequest("https://h.invalid/a", mode: .offline)
        request.acceptsAnyContent = true
        #expect(try await cache.load(request).bytes() == [1, 2, 3])
    }
}
