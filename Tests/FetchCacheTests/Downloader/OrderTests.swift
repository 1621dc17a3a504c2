import FetchCache
import TestSupport
import Testing

@Suite("The number and order of transfers", .timeLimit(.minutes(10)))
struct OrderTests {
    /// The order in which the server receives requests that were queued while one transfer used the
    /// only slot.
    private func order(
        configure: @escaping (inout FetchConfiguration) -> Void = { _ in },
        _ enqueue: (Fixture, _ wait: (Int) async -> Void) async -> Void
    ) async throws -> [String] {
        let fixture = try await Fixture {
            $0.downloader.limits.transfers = 1
            configure(&$0)
        }
        fixture.origin["/first"] = OriginRoute(delivery: .silent)
        for name in ["a", "b", "c"] { fixture.origin["/\(name)"] = OriginRoute(png()) }
        let first = Task { try await fixture.load("/first") }
        // A cancelled transfer may otherwise end before its request is sent.
        #expect(await eventually { fixture.origin.requestCount == 1 })
        await enqueue(fixture) { count in
            #expect(await eventually { fixture.cache.activity.waitingCount == count })
        }
        first.cancel()
        #expect(await eventually { fixture.origin.requestCount == 4 && !fixture.cache.isRunning })
        await fixture.close()
        return fixture.origin.requests.dropFirst().map(\.path)
    }

    private func start(
        _ fixture: Fixture, _ path: String, _ priority: FetchRequest.Priority = .normal
    ) {
        let request = FetchRequest(fixture.origin.url + path, priority: priority)
        Task { _ = try? await fixture.cache.load(request) }
    }

    private func startWithLowPriorityOfB(
        _ fixture: Fixture, _ wait: (Int) async -> Void
    ) async {
        start(fixture, "/a")
        await wait(1)
        start(fixture, "/b", .low)
        await wait(2)
        start(fixture, "/c")
        await wait(3)
    }

    @Test func firstInFirstOutByDefault() async throws {
        let order = try await order { fixture, wait in
            for (count, path) in ["/a", "/b", "/c"].enumerated() {
                start(fixture, path)
                await wait(count + 1)
            }
        }
        #expect(order == ["/a", "/b", "/c"])
    }

    /// The look-ups before the requests take different times.
    @Test(arguments: ["start", "prefetch"])
    func requestsAreSentInTheOrderOfTheCalls(way: String) async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 1 }
        let paths = (0..<51).map { "/\($0)" }
        for path in paths { fixture.origin[path] = OriginRoute(png(), cacheControl: "max-age=60") }
        // What is stored needs no request, and delays none.
        for path in ["/0", "/7", "/50"] { _ = try await fixture.load(path) }
        fixture.origin.forgetRequests()
        let cache = try FetchManager(
            fixture.folder.configuration { $0.downloader.limits.transfers = 1 })
        let urls = paths.map { fixture.origin.url + $0 }
        if way == "start" {
            for handle in urls.map({ cache.start(FetchRequest($0)) }) {
                _ = try await handle.value
            }
        } else {
            try await Prefetcher(cache).prefetch(urls)
        }
        #expect(
            fixture.origin.requests.map(\.path)
                == paths.filter { !["/0", "/7", "/50"].contains($0) })
        await cache.close()
    }

    /// Several callers want one URL, which a third cache is loading.
    @Test func callThatWaitsForAnotherDelaysNone() async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 1 }
        let gate = OriginGate()
        fixture.origin["/a"] = OriginRoute(png())
        fixture.origin["/a"]?.gate = gate
        fixture.origin["/b"] = OriginRoute(png(1))
        async let first = fixture.load("/a")
        #expect(await eventually { fixture.origin.requestCount == 1 })
        let other = try FetchManager(
            fixture.folder.configuration { $0.downloader.limits.transfers = 1 })
        let waiting = (0..<2).map { _ in
            other.start(FetchRequest(fixture.origin.url + "/a"))
        }
        _ = try await other.load(FetchRequest(fixture.origin.url + "/b"))
        gate.open()
        _ = try await first
        for handle in waiting { #expect(try await handle.value.byteCount == 200) }
        #expect(fixture.origin.requests.map(\.path).prefix(2) == ["/a", "/b"])
        await other.close()
    }

    @Test func lastInFirstOutIfConfigured() async throws {
        let order = try await order(configure: { $0.downloader.order = .lastInFirstOut }) {
            fixture, wait in
            for (count, path) in ["/a", "/b", "/c"].enumerated() {
                start(fixture, path)
                await wait(count + 1)
            }
        }
        #expect(order == ["/c", "/b", "/a"])
    }

    @Test func secondCallerRaisesPriority() async throws {
        let order = try await order { fixture, wait in
            await startWithLowPriorityOfB(fixture, wait)
            let heard = Counter()
            let request = FetchRequest(fixture.origin.url + "/b", priority: .high)
            Task { _ = try? await fixture.cache.load(request) { _ in _ = heard.next() } }
            #expect(await eventually { heard.value > 0 })
        }
        #expect(order == ["/b", "/a", "/c"])
    }

    @Test func loadHasThePriorityOfTheFlightThatNeedsIt() async throws {
        let order = try await order { fixture, wait in
            start(fixture, "/a")
            await wait(1)
            let (rising, falling) = (Flight(), Flight())
            rising.join(id: 1, Flight.Caller(.low))
            falling.join(id: 2, Flight.Caller(.low))
            falling.join(id: 3, Flight.Caller(.high))
            for (index, (path, flight)) in [("/b", rising), ("/c", falling)].enumerated() {
                var request = FetchRequest(fixture.origin.url + path)
                request.flight = flight
                Task { [request] in _ = try? await fixture.cache.load(request) }
                await wait(index + 2)
            }
            rising.join(id: 4, Flight.Caller(.high))
            falling.leave(id: 3)
        }
        #expect(order == ["/b", "/a", "/c"])
    }

    @Test func suspendedCacheStartsNoTransfers() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        fixture.cache.suspend()
        #expect(fixture.cache.isSuspended)
        let task = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.cache.activity.waitingCount == 1 })
        try await Task.sleep(for: .milliseconds(50))
        #expect(fixture.origin.requestCount == 0)
        fixture.cache.resume()
        #expect(try await task.value.byteCount == 200)
    }

    @Test func limitCanChangeWhileRunning() async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 1 }
        for number in 0..<4 { fixture.origin["/\(number)"] = OriginRoute(delivery: .silent) }
        let tasks = (0..<4).map { number in Task { try await fixture.load("/\(number)") } }
        #expect(
            await eventually {
                let activity = fixture.cache.activity
                return activity.waitingCount == 3 && activity.runningCount == 1
            })
        fixture.cache.maximumTransfers = 3
        #expect(await eventually { fixture.cache.activity.runningCount == 3 })
        #expect(fixture.cache.activity.waitingCount == 1)
        #expect(fixture.cache.maximumTransfers == 3)
        for task in tasks { task.cancel() }
    }
}
