import TestSupport
import Testing

@testable import FetchCache

@Suite("Time limits", .timeLimit(.minutes(10)))
struct TimeLimitTests {
    @Test func totalTimeoutEndsLoad() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 100
            $0.downloader.times.total = .milliseconds(400)
        }
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 100_000), delivery: .drip(piece: 10, pause: .milliseconds(10)))
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == .timedOut)
        #expect(failure?.detail.contains("not complete within 400 ms") == true)
        // On a busy machine the time limit can pass before the server gets the request.
        #expect(fixture.origin.requestCount <= 1)
    }

    /// Each redirect uses part of the time.
    @Test func redirectsShareTotalTimeout() async throws {
        let fixture = try await Fixture { $0.downloader.times.total = .milliseconds(500) }
        for step in 0..<10 {
            fixture.origin["/\(step)"] = .redirect(to: "/\(step + 1)")
            fixture.origin["/\(step)"]?.delay = .milliseconds(100)
        }
        #expect(await fixture.failure("/0")?.code == .timedOut)
        #expect(fixture.origin.requestCount < 10)
    }

    @Test func doesNotRetryBeyondTotalTimeout() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 3
            $0.downloader.times.total = .seconds(20)
        }
        fixture.origin["/a.png"] = .status(503, headers: [("Retry-After", "30")])
        #expect(await fixture.failure("/a.png")?.status == 503)
        #expect(fixture.origin.requestCount == 1)
    }

    /// The server replies twice with 500.
    ///
    /// The next attempt waits for a transfer that uses its full time limit.
    @Test func totalTimeoutExcludesTimeInQueue() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.transfers = 1
            $0.downloader.limits.retries = 3
            $0.downloader.times.total = .seconds(3)
        }
        fixture.cache.suspend()
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            counter.next() <= 2 ? .status(500) : OriginRoute(png())
        }
        fixture.origin["/slow"] = OriginRoute(delivery: .silent)
        async let resource = fixture.load("/a.png")
        #expect(await eventually { fixture.cache.activity.waitingCount == 1 })
        async let other = fixture.failure("/slow")
        #expect(await eventually { fixture.cache.activity.waitingCount == 2 })
        fixture.cache.resume()
        #expect(try await resource.byteCount == 200)
        #expect(counter.value == 3)
        #expect(await other?.code == .timedOut)
    }

    @Test func reportsHeaderThatIsTooLong() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        fixture.origin["/a.png"]?.headers = [("X-Long", String(repeating: "x", count: 200_000))]
        let failure = await fixture.failure("/a.png")
        #expect(failure?.code == .badResponse)
        #expect(failure?.detail.contains("header is too long") == true)
    }
}

@Suite("A host that fails repeatedly", .timeLimit(.minutes(10)))
struct HostFailureTests {
    private func fixture(
        probeInterval: Duration = .seconds(600), _ path: String = "/a.png"
    ) async throws -> Fixture {
        try await Fixture {
            $0.downloader.limits.transfersPerHost = 1
            $0.downloader.times.hostProbe = probeInterval
        }
    }

    private func failures(_ fixture: Fixture, _ count: Int) async -> [FetchError] {
        await withTaskGroup(of: FetchError?.self) { group in
            for number in 0..<count { group.addTask { await fixture.failure("/\(number)") } }
            return await group.reduce(into: []) { all, error in all += error.map { [$0] } ?? [] }
        }
    }

    private func breakAll(_ fixture: Fixture, _ count: Int) {
        for number in 0..<count {
            fixture.origin["/\(number)"] = OriginRoute(
                png(count: 9_000), delivery: .truncated(after: 100))
        }
    }

    @Test func failingHostFailsRemainingLoadsAtOnce() async throws {
        let fixture = try await fixture()
        breakAll(fixture, 60)
        let errors = await failures(fixture, 60)
        #expect(fixture.origin.requestCount == 5)
        #expect(errors.count == 60)
        #expect(errors.allSatisfy { $0.isTransient })
        #expect(errors.filter { $0.code == .interrupted }.count == 60)
        // The failure is not remembered, so the next process tries again.
        #expect(try await fixture.cache.failures().isEmpty)
    }

    @Test func triesFailingHostAgain() async throws {
        let fixture = try await fixture(probeInterval: .milliseconds(1))
        breakAll(fixture, 5)
        _ = await failures(fixture, 5)
        fixture.origin["/a.png"] = OriginRoute(png())
        try await Task.sleep(for: .milliseconds(20))
        #expect(try await fixture.load("/a.png").origin == .network)
        breakAll(fixture, 4)
        #expect(await failures(fixture, 4).count == 4)
        #expect(fixture.origin.requestCount == 10)
    }

    @Test func failingHostDoesNotAffectOthers() async throws {
        let fixture = try await fixture()
        breakAll(fixture, 10)
        _ = await failures(fixture, 10)
        fixture.origin["/a.png"] = OriginRoute(png())
        #expect(await fixture.failure("/a.png")?.code == fixture.failure("/0")?.code)
        let other = FetchRequest("http://localhost:\(fixture.origin.port)/a.png")
        #expect(try await fixture.cache.load(other).origin == .network)
    }

    @Test func repliesInBetweenResetFailures() async throws {
        let fixture = try await fixture()
        breakAll(fixture, 12)
        for number in [4, 8] { fixture.origin["/\(number)"] = .status(404) }
        for number in 0..<12 { _ = await fixture.failure("/\(number)") }
        #expect(fixture.origin.requestCount == 12)
    }

    @Test func usesStaleImageOfFailingHost() async throws {
        let fixture = try await fixture()
        fixture.origin["/0"] = OriginRoute(png())
        _ = try await fixture.load("/0")
        breakAll(fixture, 20)
        _ = await failures(fixture, 20)
        #expect(try await fixture.load("/0").origin == .stale)
        #expect(fixture.origin.requestCount == 6)
    }

    /// A server that restarts ends all its connections once.
    @Test func transfersThatFallTogetherCountOnce() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.transfersPerHost = 12
            $0.downloader.limits.retries = 1
        }
        let (gate, arrivals) = (OriginGate(), Counter())
        for number in 0..<40 {
            fixture.origin.handle("/\(number)") { _ in
                var route = OriginRoute(png(number, count: 9_000))
                if arrivals.next() > 12 { return route }
                route.delivery = .reset(after: 100)
                route.resetGate = gate
                return route
            }
        }
        async let errors = failures(fixture, 40)
        #expect(await eventually { arrivals.value == 12 })
        gate.open()
        #expect(await errors.isEmpty)
        #expect(fixture.origin.requestCount == 52)
    }

    /// A server that is being started refuses connections for a moment.
    @Test func hostIsNotGivenUpBeforeRetriesCanTell() {
        var health = HostHealth(maximumFailures: 3, probeInterval: 10_000, retryTime: 2_000)
        func fail(_ code: FetchError.Code, from start: Int64, to end: Int64) -> Bool {
            health.failed(
                "h", FetchError(code, "", ""), start: start, count: health.failureCount, now: end)
        }
        #expect((0..<20).allSatisfy { !fail(.unreachable, from: $0 * 99, to: $0 * 100) })
        #expect(fail(.unreachable, from: 2_000, to: 2_000))
        health.succeeded("h")
        // Each of these has waited by itself.
        #expect((0..<2).allSatisfy { !fail(.timedOut, from: $0, to: 5_000) })
        #expect(fail(.timedOut, from: 2, to: 5_001))
    }

    @Test func logsFailingHostOnce() async throws {
        let lines = Box<[String]>([])
        let fixture = try await Fixture {
            $0.downloader.limits.transfersPerHost = 2
            $0.logger = lines.logger
        }
        breakAll(fixture, 30)
        _ = await failures(fixture, 30)
        #expect(lines.value.count == 1)
        #expect(lines.value.first?.contains("127.0.0.1:\(fixture.origin.port)") == true)
    }
}
