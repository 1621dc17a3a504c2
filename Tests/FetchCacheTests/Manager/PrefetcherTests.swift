import FetchCache
import TestSupport
import Testing

@Suite("The prefetcher", .timeLimit(.minutes(10)))
struct PrefetcherTests {
    @Test func loadsAllAndCountsResults() async throws {
        let fixture = try await Fixture()
        for number in 0..<20 {
            fixture.origin["/\(number)"] = OriginRoute(png(number), cacheControl: "max-age=60")
        }
        fixture.origin["/old"] = OriginRoute(png(99), etag: "\"1\"")
        _ = try await fixture.load("/old")
        _ = try await fixture.load("/0")
        let paths = (0..<20).map { "/\($0)" } + ["/old", "/missing"]
        let seen = Box<[Int]>([])

        let totals = try await Prefetcher(fixture.cache).prefetch(
            paths.map { fixture.origin.url + $0 } + ["no url"]
        ) { totals in seen.change { $0.append(totals.doneCount) } }

        #expect(totals.totalCount == 23)
        #expect(totals.downloadedCount == 19)
        #expect(totals.downloadedBytes == 19 * 200)
        #expect(totals.revalidatedCount == 1)
        #expect(totals.skippedCount == 1)
        #expect(totals.failedCount == 2)
        #expect(seen.value == Array(1...23))
    }

    @Test func runsAfterOtherLoads() async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 1 }
        fixture.origin["/first"] = OriginRoute(delivery: .silent)
        for name in ["/late", "/early"] { fixture.origin[name] = OriginRoute(png()) }
        let first = Task { try await fixture.load("/first") }
        // A cancelled transfer may otherwise end before its request is sent.
        #expect(await eventually { fixture.origin.requestCount == 1 })
        async let prefetched = Prefetcher(fixture.cache).prefetch([fixture.origin.url + "/late"])
        #expect(await eventually { fixture.cache.activity.waitingCount == 1 })
        async let wanted = fixture.load("/early")
        #expect(await eventually { fixture.cache.activity.waitingCount == 2 })
        first.cancel()
        _ = try await (prefetched, wanted)
        #expect(fixture.origin.requests.map(\.path) == ["/first", "/early", "/late"])
    }

    @Test func cancellationEndsPrefetch() async throws {
        let fixture = try await Fixture()
        let urls = (0..<50).map { number in
            fixture.origin["/\(number)"] = OriginRoute(delivery: .silent)
            return fixture.origin.url + "/\(number)"
        }
        let task = Task { try await Prefetcher(fixture.cache).prefetch(urls) }
        #expect(await eventually { fixture.cache.activity.runningCount == 6 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await eventually { !fixture.cache.isRunning })
    }

    @Test func limitsSimultaneousLoads() async throws {
        let fixture = try await Fixture()
        let urls = (0..<60).map { number in
            fixture.origin["/\(number)"] = OriginRoute(png(number))
            return fixture.origin.url + "/\(number)"
        }
        let most = Box(0)
        let totals = try await Prefetcher(fixture.cache, maximumInFlight: 3).prefetch(urls) { _ in
            let activity = fixture.cache.activity
            most.change { $0 = max($0, activity.runningCount + activity.waitingCount) }
        }
        #expect(totals.downloadedCount == 60)
        #expect(most.value <= 3)
        #expect(fixture.origin.maximumSimultaneous <= 3)
    }

    @Test func emptyListCompletes() async throws {
        let fixture = try await Fixture()
        #expect(try await Prefetcher(fixture.cache).prefetch([String]()).doneCount == 0)
    }
}
