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
            let gate = OriginGate()
            // A response that cannot be reused would be requested again by each caller.
            fixture.origin[path] = OriginRoute(png(round, count: 5000), cacheControl: "no-store")
            fixture.origin[path]?.gate = gate
            let joined = Counter()
            let digests = try await withThrowingTaskGroup(of: BlobDigest.self) { group in
                for _ in 0..<64 {
                    group.addTask { try await fixture.load(path, counting: joined).digest }
                }
                #expect(await eventually { joined.value == 64 })
                gate.open()
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(digests.count == 1)
            #expect(fixture.origin.requestCount(for: path) == 1)
        }
    }

    @Test func limitsTransfersInTotalAndPerHost() async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 8 }
        let gate = OriginGate()
        fixture.origin.handle("/slow.png") { request in
            var route = OriginRoute(png(request.target.count), cacheControl: "no-store")
            route.gate = gate
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
            #expect(await eventually { fixture.origin.maximumSimultaneous == 8 })
            #expect(await eventually { fixture.cache.activity.waitingCount == 82 })
            gate.open()
            try await group.waitForAll()
        }
        #expect(fixture.origin.requestCount == 90)
        #expect(fixture.origin.maximumSimultaneous == 8)
        #expect(fixture.origin.maximumSimultaneousPerHost.values.allSatisfy { $0 <= 6 })
    }

    @Test func usesSixTransfersPerHostByDefault() async throws {
        let fixture = try await Fixture()
        let gate = OriginGate()
        for number in 0..<60 {
            fixture.origin["/\(number)"] = OriginRoute(png(number))
            fixture.origin["/\(number)"]?.gate = gate
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 { group.addTask { _ = try await fixture.load("/\(number)") } }
            #expect(await eventually { fixture.cache.activity.waitingCount == 54 })
            #expect(await eventually { fixture.origin.maximumSimultaneous == 6 })
            gate.open()
            try await group.waitForAll()
        }
        #expect(fixture.origin.maximumSimultaneous == 6)
        #expect(fixture.origin.connectionCount <= 8)
    }

    @Test func highPriorityRunsFirst() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.transfers = 1
            $0.downloader.times.stall = .seconds(60)
        }
        fixture.origin["/first.png"] = OriginRoute(delivery: .silent)
        fixture.origin["/low.png"] = OriginRoute(png(2))
        fixture.origin["/high.png"] = OriginRoute(png(3))
        let url = fixture.origin.url
        let cache = fixture.cache
        let first = Task { try await fixture.load("/first.png") }
        // A cancelled transfer may otherwise end before its request is sent.
        #expect(await eventually { fixture.origin.requestCount == 1 })
        async let low = cache.load(FetchRequest(url + "/low.png", priority: .low))
        #expect(await eventually { cache.activity.waitingCount == 1 })
        async let high = cache.load(FetchRequest(url + "/high.png", priority: .high))
        #expect(await eventually { cache.activity.waitingCount == 2 })
        first.cancel()
        _ = try await (low, high)
        #expect(fixture.origin.requests.map(\.path) == ["/first.png", "/high.png", "/low.png"])
    }

    @Test(arguments: [
        OriginRoute.Delivery.silent, .stalled(after: 3000),
        .drip(piece: 100, pause: .milliseconds(50)),
    ])
    func cancelledLoadEndsAtOnceAndLeavesNoFileBehind(_ delivery: OriginRoute.Delivery) async throws
    {
        let fixture = try await Fixture { $0.downloader.times.stall = .seconds(60) }
        fixture.origin["/a.png"] = OriginRoute(png(count: 9000), delivery: delivery)
        let task = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.origin.requestCount == 1 })
        try await Task.sleep(for: .milliseconds(60))

        task.cancel()
        // The origin would continue for a minute, which exceeds the time limit of this suite.
        await expectCancelled { try await task.value }
        #expect(await eventually { fixture.cache.activity.runningCount == 0 })
        #expect(
            await eventually {
                fixture.folder.files(in: "tmp").count == 1
                    || fixture.folder.files(in: "tmp").isEmpty
            })
        #expect(fixture.folder.files(in: "blobs") == [])
    }

    @Test func cancellingOneCallerKeepsTheOther() async throws {
        let fixture = try await Fixture()
        for round in 0..<50 {
            let path = "/\(round).png"
            let gate = OriginGate()
            fixture.origin[path] = OriginRoute(png(round), cacheControl: "no-store")
            fixture.origin[path]?.gate = gate
            let joined = Counter()
            // In half of the rounds the first caller leaves, in the other half the last one.
            let callers = (0..<2).map { _ in
                Task { try await fixture.load(path, counting: joined) }
            }
            #expect(await eventually { joined.value == 2 })
            let (leaving, staying) = (callers[round % 2], callers[1 - round % 2])
            leaving.cancel()
            await expectCancelled { try await leaving.value }
            gate.open()
            #expect(try await staying.value.byteCount == 200)
            #expect(fixture.origin.requestCount(for: path) == 1)
        }
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
                #expect((error as? FetchError)?.code == .cancelled)
            }
        }
        #expect(try await fixture.load("/0").byteCount == 200)
    }

    @Test func cancelledTaskMakesNoRequest() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.load("/a.png")
        }
        await expectCancelled { try await task.value }
        #expect(fixture.origin.requestCount == 0)
    }

    @Test func cancelAllAndCloseEndRunningLoads() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        fixture.origin["/b.png"] = OriginRoute(png(), delivery: .silent)
        let first = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.origin.requestCount == 1 })
        #expect(fixture.cache.isRunning)
        fixture.cache.cancelAll()
        await expectCancelled { try await first.value }

        let second = Task { try await fixture.load("/b.png") }
        #expect(await eventually { fixture.origin.requestCount == 2 })
        await fixture.cache.close()
        await expectCancelled { try await second.value }
        #expect(!fixture.cache.isRunning)
        #expect(fixture.folder.files(in: "tmp") == [])
    }

    @Test func loadAfterCancelAllMakesNewRequest() async throws {
        let fixture = try await Fixture()
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            OriginRoute(png(), delivery: counter.next() == 1 ? .silent : .whole)
        }
        let first = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.origin.requestCount == 1 })
        fixture.cache.cancelAll()
        #expect(try await fixture.load("/a.png").byteCount == 200)
        await expectCancelled { try await first.value }
    }

    @Test func cachesOnOneFolderShareDownloads() async throws {
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
    }

    @Test func activityCountsBytesAndRequests() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 70_000))
        _ = try await fixture.load("/a.png")
        #expect(fixture.cache.activity.receivedBytes == 70_000)
        #expect(fixture.cache.activity.requestCount == 1)
        #expect(await eventually { fixture.cache.activity.runningCount == 0 })
    }
}
