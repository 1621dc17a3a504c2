import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import FetchCache

@Suite("Cleaning by age and by size", .timeLimit(.minutes(10)))
struct CleaningTests {
    private static let day: Int64 = 86_400

    /// Loads images of 1,000 bytes at intervals of a minute, so that their order of use is known.
    private func fill(_ fixture: Fixture, _ numbers: Range<Int>) async throws {
        for number in numbers {
            fixture.origin["/\(number)"] = OriginRoute(
                png(number, count: 1_000), cacheControl: "max-age=9999999")
            _ = try await fixture.load("/\(number)")
            fixture.clock.advance(seconds: 660)
        }
    }

    private func stored(_ fixture: Fixture, _ numbers: Range<Int>) async throws -> [Int] {
        var stored: [Int] = []
        for number in numbers
        where try await fixture.cache.contains(FetchRequest(fixture.origin.url + "/\(number)")) {
            stored.append(number)
        }
        return stored
    }

    @Test func removesEntriesUnusedForAWeek() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<4)
        fixture.origin["/missing"] = .status(404)
        _ = await fixture.failure("/missing")
        try makeOld(fixture)
        fixture.clock.advance(seconds: 6 * Self.day)
        // A use of an entry in memory counts too.
        fixture.cache.clearMemory()
        _ = try await fixture.load("/2")
        fixture.clock.advance(seconds: 2 * Self.day)

        let report = try await fixture.cache.clean()

        #expect(try await stored(fixture, 0..<4) == [2])
        #expect(fixture.folder.files(in: "blobs").count == 1)
        #expect(report.removedBlobCount == 3)
        #expect(report.removedBytes == 3_000)
        #expect(report.removedEntryCount == 4)
        #expect(report.remainingBytes == 1_000)
        #expect(try await fixture.load("/2").origin == .memory)
        #expect(try await fixture.load("/0").origin == .network)
    }

    @Test func removesLeastRecentlyUsedDownToHalfTheLimit() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<10)
        fixture.cache.clearMemory()
        _ = try await fixture.load("/1")

        let report = try await fixture.cache.clean(maximumAge: nil, maximumBytes: 9_000)

        #expect(try await stored(fixture, 0..<10) == [1, 7, 8, 9])
        #expect(report.removedBytes == 6_000)
        #expect(report.remainingBytes == 4_000)
        #expect(fixture.folder.files(in: "blobs").count == 4)
        #expect(try await fixture.cache.summary().byteCount == 4_000)
    }

    @Test func keepsProtectedUsesOverTheLimit() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<5)
        let start = fixture.clock.date
        try await fill(fixture, 5..<10)
        fixture.cache.clearMemory()
        _ = try await fixture.load("/1")
        try await fixture.cache.protect(usesSince: start, by: "a")

        let report = try await fixture.cache.clean(maximumAge: nil, maximumBytes: 1_000)

        #expect(try await stored(fixture, 0..<10) == [1, 5, 6, 7, 8, 9])
        #expect(report.protectedBytes == 6_000)
        #expect(report.remainingBytes == 6_000)
    }

    /// Each name protects what it needs, until it gives a later time or is too old.
    @Test func earliestProtectedUseDecides() async throws {
        let fixture = try await Fixture()
        var starts: [Date] = []
        for number in 0..<6 {
            starts.append(fixture.clock.date)
            try await fill(fixture, number..<number + 1)
        }
        let cache = fixture.cache
        func clean(_ maximumAge: Duration? = nil) async throws -> [Int] {
            try await cache.clean(maximumAge: maximumAge, maximumBytes: 0)
            return try await stored(fixture, 0..<6)
        }
        try await cache.protect(usesSince: starts[1], by: "a")
        try await cache.protect(usesSince: starts[3], by: "b")
        #expect(try await clean() == [1, 2, 3, 4, 5])
        try await cache.protect(usesSince: starts[4], by: "a")
        try await cache.protect(usesSince: starts[2], by: "b")
        #expect(try await clean() == [3, 4, 5])
        try await cache.protect(usesSince: starts[5], by: "b")
        #expect(try await clean() == [4, 5])
        // Time "a" is older, time "b" is not.
        #expect(try await clean(.seconds(1_000)) == [5])
    }

    @Test func tellsTheSizeThatItNeeds() async throws {
        let fixture = try await Fixture {
            $0.policy.cleansByItself = true
            $0.policy.maximumBytes = 1_500
        }
        let start = fixture.clock.date
        try await fill(fixture, 0..<2)
        try await fixture.cache.protect(usesSince: start, by: "a")
        #expect(fixture.cache.neededBytes == nil)
        await fixture.cache.close()
        #expect(fixture.cache.neededBytes == 2_000)
        let next = try fixture.reopened()
        #expect(try await next.summary().byteCount == 2_000)
    }

    /// The other process has not written its use to the index yet.
    @Test func keepsWhatAnotherProcessHasJustUsed() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<10)
        try makeUsedLater(try await fixture.load("/0", .offline).path)
        try await fixture.cache.clean(maximumAge: nil, maximumBytes: 9_000)
        #expect(try await stored(fixture, 0..<10) == [0, 7, 8, 9])
    }

    @Test func keepsTheFileThatAnotherProcessUsesDuringTheCleaning() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<3)
        let used = try await fixture.load("/0", .offline).path
        try makeUsedLater(used)
        try await fixture.cache.clean(maximumAge: nil, maximumBytes: 0)
        #expect(bytes(of: used) != nil)
        #expect(fixture.folder.files(in: "blobs").count == 1)
    }

    private func makeUsedLater(_ path: FilePath) throws {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_sec += 1_000_000
        #expect(utimensat(AT_FDCWD, path.string, [time, time], 0) == 0)
    }

    @Test func keepsAllEntriesUnderTheLimit() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<3)
        let report = try await fixture.cache.clean(maximumAge: nil, maximumBytes: 3_000)
        #expect(report.removedEntryCount == 0)
        #expect(fixture.folder.files(in: "blobs").count == 3)
    }

    @Test func keepsAllEntriesWithoutLimits() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<3)
        fixture.clock.advance(seconds: 1_000 * Self.day)
        let report = try await fixture.cache.clean(maximumAge: nil, maximumBytes: nil)
        #expect(report.removedEntryCount == 0)
        #expect(try await stored(fixture, 0..<3) == [0, 1, 2])
    }

    @Test func keepsBlobSharedWithRemainingEntry() async throws {
        let fixture = try await Fixture()
        for path in ["/a", "/b"] { fixture.origin[path] = OriginRoute(png(1)) }
        _ = try await fixture.load("/a")
        fixture.clock.advance(seconds: 8 * Self.day)
        _ = try await fixture.load("/b")
        try makeOld(fixture)
        try await fixture.cache.clean()
        #expect(try await fixture.load("/b", .offline).byteCount == 200)
        #expect(fixture.folder.files(in: "blobs").count == 1)
    }

    @Test func removesOldUnreferencedBlobs() async throws {
        let fixture = try await Fixture()
        // A response to POST is not stored.
        fixture.origin["/a"] = OriginRoute(png(1))
        var request = FetchRequest(fixture.origin.url + "/a")
        request.method = .post
        _ = try await fixture.cache.load(request)
        #expect(try await fixture.cache.clean().removedBlobCount == 0)
        try makeOld(fixture)
        #expect(try await fixture.cache.clean().removedBlobCount == 1)
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func cleansVariantsLikeEntries() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a"] = OriginRoute(png(1), cacheControl: "max-age=60")
        let source = try await fixture.load("/a")
        let path = try fixture.cache.temporaryFile()
        try write(png(9, count: 5_000), to: path)
        let variant = try await fixture.cache.storeVariant(
            fileAt: path, of: source.digest, recipe: "r", encoder: "e")
        #expect(try await fixture.cache.summary().byteCount == 5_200)
        try await fixture.cache.clean(maximumAge: nil, maximumBytes: 1_000)
        #expect(bytes(of: variant.path) == nil)
        #expect(
            try await fixture.cache.variant(of: source.digest, recipe: "r", encoder: "e") == nil)
    }

    @Test func cleansWhenOpenedAfterADay() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<2)
        try makeOld(fixture)
        await fixture.cache.close()
        fixture.clock.advance(seconds: 8 * Self.day)
        let second = try FetchManager(
            fixture.folder.configuration(fixture.clock) { $0.policy.cleansByItself = true })
        #expect(await eventually { fixture.folder.files(in: "blobs") == [] })
        await second.close()
    }

    @Test func cleansWhenClosedOverLimit() async throws {
        let fixture = try await Fixture {
            $0.policy.cleansByItself = true
            $0.policy.maximumBytes = 3_500
        }
        // The look of a new cache at its contents, which would clean too if it came late.
        let index = fixture.cache.levels.disk.index
        #expect(await eventually { (try? await index.cleaningTime()) != .distantPast })
        try await fill(fixture, 0..<5)
        await fixture.cache.close()
        #expect(fixture.folder.files(in: "blobs").count == 1)
    }

    @Test func reportsRemovalsAsEvents() async throws {
        let fixture = try await Fixture()
        try await fill(fixture, 0..<2)
        let stream = fixture.cache.events
        try await fixture.cache.clean(maximumAge: nil, maximumBytes: 0)
        await fixture.close()
        let keys = await stream.reduce(into: []) { $0.append($1.key) }
        #expect(keys == [0, 1].map { "\(fixture.origin.url)/\($0)" })
    }

    @Test func cleaningKeepsBlobsOfRunningLoads() async throws {
        let fixture = try await Fixture()
        for number in 0..<40 {
            fixture.origin["/\(number)"] = OriginRoute(
                png(number, count: 1_000), cacheControl: "max-age=9999999")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<10 {
                group.addTask {
                    try await fixture.cache.clean(maximumAge: nil, maximumBytes: 20_000 - round)
                }
                for number in 0..<40 {
                    group.addTask {
                        let resource = try await fixture.load("/\(number)")
                        #expect(resource.byteCount == 1_000)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.cache.verify().damaged == [])
    }

    /// Makes every blob older than the grace period of new blobs.
    private func makeOld(_ fixture: Fixture) throws {
        let times = [
            timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0),
        ]
        for name in fixture.folder.files(in: "blobs") {
            let path = fixture.folder.path + "/cache/blobs/" + name
            guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw POSIXFailure(code: errno) }
        }
    }
}
