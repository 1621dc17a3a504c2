import FetchCache
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConcurrencyTests {
    @Test func sixtyFourCallersShareOneDownload() async throws {
        let fixture = try await Fixture()
        for round in 0..<20 {
            let path = "/\(round).png"
            fixture.origin[path] = OriginRoute(png(round, count: 5000), cacheControl: "max-age=60")
            fixture.origin[path]?.delay = .milliseconds(20)
            let digests = try await withThrowingTaskGroup(of: BlobDigest.self) { group in
                for _ in 0..<64 { group.addTask { try await fixture.load(path).digest } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(digests.count == 1)
            #expect(fixture.origin.requestCount(for: path) == 1)
        }
        await fixture.close()
    }

    @Test func transfersAreBoundedInAllAndPerHost() async throws {
        let fixture = try await Fixture { $0.maximumTransfers = 8 }
        fixture.origin.handle("/slow.png") { request in
            var route = OriginRoute(png(request.target.count), cacheControl: "no-store")
            route.delay = .milliseconds(60)
            return route
        }
        let port = fixture.origin.port
        try await withThrowingTaskGroup(of: Void.self) { group in
            for host in ["127.0.0.1", "localhost", "a.localhost"] {
                for number in 0..<30 {
                    let url = "http://\(host):\(port)/slow.png?\(number)"
                    group.addTask { _ = try await fixture.cache.load(FetchRequest(url)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.origin.requestCount == 90)
        #expect(fixture.origin.maximumSimultaneous == 8)
        #expect(fixture.origin.maximumSimultaneousPerHost.values.allSatisfy { $0 <= 6 })
        await fixture.close()
    }

    @Test func sixToAHostByDefaultOverFewConnections() async throws {
        let fixture = try await Fixture()
        for number in 0..<60 { fixture.origin["/\(number)"] = OriginRoute(png(number)) }
        for number in 0..<60 { fixture.origin["/\(number)"]?.delay = .milliseconds(5) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 { group.addTask { _ = try await fixture.load("/\(number)") } }
            try await group.waitForAll()
        }
        #expect(fixture.origin.maximumSimultaneous == 6)
        #expect(fixture.origin.connectionCount <= 8)
        await fixture.close()
    }

    @Test func highPriorityOvertakes() async throws {
        let fixture = try await Fixture {
            $0.maximumTransfers = 1
            $0.stallTimeout = .seconds(60)
        }
        fixture.origin["/first.png"] = OriginRoute(delivery: .silent)
        fixture.origin["/low.png"] = OriginRoute(png(2))
        fixture.origin["/high.png"] = OriginRoute(png(3))
        let url = fixture.origin.url
        let cache = fixture.cache
        let first = Task { try await fixture.load("/first.png") }
        #expect(await eventually { cache.activity.runningCount == 1 })
        async let low = cache.load(FetchRequest(url + "/low.png", priority: .low))
        #expect(await eventually { cache.activity.waitingCount == 1 })
        async let high = cache.load(FetchRequest(url + "/high.png", priority: .high))
        #expect(await eventually { cache.activity.waitingCount == 2 })
        first.cancel()
        _ = try await (low, high)
        #expect(fixture.origin.requests.map(\.path) == ["/first.png", "/high.png", "/low.png"])
        await fixture.close()
    }

    @Test(arguments: [
        OriginRoute.Delivery.silent, .stalled(after: 3000),
        .drip(piece: 100, pause: .milliseconds(50)),
    ])
    func aCancelledCallerLeavesAtOnceAndNothingBehind(_ delivery: OriginRoute.Delivery) async throws
    {
        let fixture = try await Fixture { $0.stallTimeout = .seconds(60) }
        fixture.origin["/a.png"] = OriginRoute(png(count: 9000), delivery: delivery)
        let task = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.origin.requestCount == 1 })
        try await Task.sleep(for: .milliseconds(60))

        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(await eventually { fixture.cache.activity.runningCount == 0 })
        #expect(
            await eventually {
                fixture.folder.files(in: "tmp").count == 1
                    || fixture.folder.files(in: "tmp").isEmpty
            })
        #expect(fixture.folder.files(in: "blobs") == [])
        await fixture.close()
    }

    @Test func oneCallerLeavesAndTheOtherGetsTheResult() async throws {
        let fixture = try await Fixture()
        for round in 0..<50 {
            let path = "/\(round).png"
            fixture.origin[path] = OriginRoute(png(round))
            fixture.origin[path]?.delay = .milliseconds(Int64(round % 5))
            let leaving = Task { try await fixture.load(path) }
            let staying = Task { try await fixture.load(path) }
            await Task.yield()
            leaving.cancel()
            #expect(try await staying.value.byteCount == 200)
            _ = try? await leaving.value
            // Both at once, or the first alone and then the second: never more.
            #expect(fixture.origin.requestCount(for: path) <= 2)
        }
        await fixture.close()
    }

    @Test func cancellingWhileRedirectingIsSafe() async throws {
        let fixture = try await Fixture()
        for step in 0..<8 { fixture.origin["/\(step)"] = .redirect(to: "/\(step + 1)") }
        fixture.origin["/8"] = OriginRoute(png())
        for round in 0..<60 {
            let task = Task { try await fixture.load("/0", .refresh) }
            try await Task.sleep(for: .microseconds(round * 100))
            task.cancel()
            do {
                #expect(try await task.value.byteCount == 200)
            } catch {
                #expect(error is CancellationError)
            }
        }
        #expect(try await fixture.load("/0").byteCount == 200)
        await fixture.close()
    }

    @Test func aTaskThatIsCancelledBeforehandMakesNoRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.load("/a.png")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(fixture.origin.requestCount == 0)
        await fixture.close()
    }

    @Test func cancelAllAndCloseEndWhatIsRunning() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        fixture.origin["/b.png"] = OriginRoute(png(), delivery: .silent)
        let first = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.origin.requestCount == 1 })
        #expect(fixture.cache.isRunning)
        fixture.cache.cancelAll()
        await #expect(throws: CancellationError.self) { try await first.value }

        let second = Task { try await fixture.load("/b.png") }
        #expect(await eventually { fixture.origin.requestCount == 2 })
        await fixture.cache.close()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(!fixture.cache.isRunning)
        #expect(fixture.folder.files(in: "tmp") == [])
        await fixture.close()
    }

    @Test func whoAsksRightAfterCancelAllBeginsAnew() async throws {
        let fixture = try await Fixture()
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            OriginRoute(png(), delivery: counter.next() == 1 ? .silent : .whole)
        }
        let first = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.origin.requestCount == 1 })
        fixture.cache.cancelAll()
        #expect(try await fixture.load("/a.png").byteCount == 200)
        await #expect(throws: CancellationError.self) { try await first.value }
        await fixture.close()
    }

    @Test func severalCachesOnOneFolder() async throws {
        let fixture = try await Fixture()
        for number in 0..<40 {
            fixture.origin["/\(number)"] = OriginRoute(png(number % 10), cacheControl: "max-age=60")
        }
        let caches = try (0..<4).map { _ in try fixture.reopened() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for cache in caches {
                for number in 0..<40 {
                    group.addTask {
                        let request = FetchRequest(fixture.origin.url + "/\(number)")
                        let resource = try await cache.load(request)
                        #expect(bytes(of: resource.path) == png(number % 10))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fixture.folder.files(in: "blobs").count == 10)
        for number in 0..<40 { #expect(fixture.origin.requestCount(for: "/\(number)") == 1) }
        for cache in caches { await cache.close() }
        await fixture.close()
    }

    @Test func activityCountsBytesAndRequests() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 70_000))
        _ = try await fixture.load("/a.png")
        #expect(fixture.cache.activity.receivedBytes == 70_000)
        #expect(fixture.cache.activity.requestCount == 1)
        #expect(await eventually { fixture.cache.activity.runningCount == 0 })
        await fixture.close()
    }
}
