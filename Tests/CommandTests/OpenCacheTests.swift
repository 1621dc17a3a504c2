import FetchCache
import TestSupport
import Testing

@testable import imgbake

/// The cache is open for as long as the work takes.
@Suite(.timeLimit(.minutes(10))) struct OpenCacheTests {
    private struct Odd: Error {}

    private let folder: TemporaryDirectory
    private let configuration: FetchConfiguration

    init() throws {
        folder = try TemporaryDirectory()
        configuration = FetchConfiguration(folder: FilePath(folder.path("cache")))
    }

    private func isClosed(_ cache: FetchManager?) async -> Bool {
        do throws(FetchError) {
            _ = try await cache?.load(FetchRequest("http://h/", mode: .offline))
            return false
        } catch {
            return error.code == .closed
        }
    }

    @Test func closesCacheAfterSuccess() async throws {
        var used: FetchManager?
        let result = try await withCache(configuration) { cache in
            used = cache
            #expect(await !isClosed(cache))
            return 5
        }
        #expect(result == 5)
        #expect(await isClosed(used))
    }

    @Test func closesCacheAfterFailure() async throws {
        var used: FetchManager?
        await #expect(throws: Odd.self) {
            try await withCache(configuration) { cache in
                used = cache
                throw Odd()
            }
        }
        #expect(await isClosed(used))
    }

    @Test func fileInPlaceOfCacheIsAUsageFault() async throws {
        try folder.write("a file", to: "cache")
        let error = await #expect(throws: UsageError.self) {
            try await withCache(configuration) { _ in Issue.record("there is no cache") }
        }
        #expect(error?.description.contains(folder.path("cache")) == true)
        #expect(try folder.text("cache") == "a file")
    }

    @Test func distinguishesCancellationFromFailure() async throws {
        #expect(CancellationError().isCancellation)
        #expect(!Odd().isCancellation)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await withCache(configuration) { cache in
                try await cache.load(FetchRequest("http://h/"))
            }
        }
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(error?.isCancellation == true)
    }
}
