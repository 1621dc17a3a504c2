import TestSupport
import Testing

@testable import FetchCache

@Suite(.timeLimit(.minutes(10)))
struct RetryTests {
    @Test(
        arguments: [
            .status(408), .status(425), .status(429), .status(500), .status(502), .status(503),
            .status(504),
            OriginRoute(png(), delivery: .reset(after: nil)),
            OriginRoute(png(count: 9000), delivery: .truncated(after: 100)),
            OriginRoute(png(count: 9000), delivery: .chunkedCut(after: 100)),
            OriginRoute(png(), delivery: .silent),
        ] as [OriginRoute])
    func retriesTransientFailures(_ bad: OriginRoute) async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 2
            // The good answer must arrive within this time too.
            if bad.delivery == .silent { $0.downloader.times.stall = .seconds(5) }
        }
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in counter.next() <= 2 ? bad : OriginRoute(png(1)) }

        let resource = try await fixture.load("/a.png")

        #expect(bytes(of: resource.path) == png(1))
        #expect(fixture.origin.requestCount == 3)
        #expect(fixture.cache.activity.retryCount == 2)
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test func retryLeavesNoFileOfAnAcceptedStatus() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 2 }
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            counter.next() <= 2 ? .status(503) : OriginRoute(png(1))
        }
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.acceptsAnyStatus = true
        #expect(try await fixture.cache.load(request).response.status == 200)
        #expect(fixture.origin.requestCount == 3)
        #expect(fixture.folder.files(in: "tmp").allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test(
        arguments: [
            .status(400), .status(401), .status(403), .status(404), .status(410), .status(501),
            .status(505), .page("<html>"), OriginRoute([]), .redirect(to: "/a.png"),
        ] as [OriginRoute])
    func doesNotRetryPermanentFailures(_ bad: OriginRoute) async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 2 }
        fixture.origin["/a.png"] = bad
        #expect(await fixture.failure("/a.png")?.isTransient == false)
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func limitsNumberOfRetries() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 2 }
        fixture.origin["/a.png"] = .status(500)
        #expect(await fixture.failure("/a.png")?.status == 500)
        #expect(fixture.origin.requestCount == 3)
    }

    @Test func obeysRetryAfter() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 1 }
        let counter = Counter()
        fixture.origin.handle("/a.png") { _ in
            counter.next() == 1
                ? .status(503, headers: [("Retry-After", "1")]) : OriginRoute(png())
        }
        let events = fixture.cache.events
        _ = try await fixture.load("/a.png")
        await fixture.close()
        var delays: [Duration] = []
        for await event in events {
            if case .retried(_, let delay) = event.kind { delays.append(delay) }
        }
        #expect(delays.count == 1)
        #expect(delays.allSatisfy { (.seconds(1) ... .milliseconds(1_010)).contains($0) })
    }

    @Test func failsIfRetryAfterIsTooLong() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 3
            $0.downloader.times.longestRetryAfter = .seconds(2)
        }
        fixture.origin["/a.png"] = .status(503, headers: [("Retry-After", "3")])
        let failure = await fixture.failure("/a.png")
        #expect(failure?.retryAfter == .seconds(3))
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func cancellingEndsWaitForRetry() async throws {
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 3
            $0.downloader.times.retryDelay = .seconds(30)
        }
        fixture.origin["/a.png"] = .status(500)
        let task = Task { try await fixture.load("/a.png") }
        #expect(await eventually { fixture.cache.activity.retryCount == 1 })
        task.cancel()
        await expectCancelled { try await task.value }
    }

    /// Loads 40 images from a host that accepts five requests at a time.
    @Test func completesAllLoadsFromOverloadedHost() async throws {
        let fixture = try await Fixture { $0.downloader.limits.retries = 3 }
        let origin = fixture.origin
        let running = Counter()
        for number in 0..<40 {
            origin.handle("/\(number).png") { _ in
                // Every sixth concurrent request exceeds the limit.
                if running.next() % 6 == 0, running.value < 30 {
                    return .status(429, headers: [("Retry-After", "1")])
                }
                var route = OriginRoute(png(number))
                route.delay = .milliseconds(10)
                return route
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { _ = try await fixture.load("/\(number).png") }
            }
            try await group.waitForAll()
        }
        #expect(fixture.folder.files(in: "blobs").count == 40)
    }
}

struct RetryPolicyTests {
    private func policy() -> RetryPolicy {
        RetryPolicy(DownloaderConfiguration(), DownloaderConfiguration.Times())
    }

    private let error = FetchError(.interrupted, "u", "d")

    @Test func doublesDelayWithJitter() {
        for (attempts, delay) in [(1, 300), (2, 600), (3, 1200)] as [(Int, Int64)] {
            let shortest = policy().delay(after: error, attempts: attempts, spent: 0, random: 0)
            let longest = policy().delay(after: error, attempts: attempts, spent: 0, random: 1)
            #expect(shortest == delay / 2)
            #expect(longest == delay)
        }
        #expect(policy().delay(after: error, attempts: 4, spent: 0, random: 0) == nil)
    }

    @Test func retriesExactlyTransientErrors() {
        let statuses = (300..<600).map { FetchError(.status, "u", "d", status: $0) }
        let codes = FetchError.Code.Value.allCases.map { FetchError(.init(value: $0), "u", "d") }
        for error in statuses + codes {
            let delay = policy().delay(after: error, attempts: 1, spent: 0, random: 0)
            #expect((delay != nil) == error.isTransient, "\(error.code) \(error.status ?? 0)")
        }
        let permanent = statuses.filter { !$0.isTransient }.compactMap(\.status)
        #expect(
            Set(300..<600).subtracting(permanent)
                == Set(500..<600).subtracting([501, 505]).union([408, 425, 429]))
    }

    @Test func givesUpAfterMaximumTime() {
        #expect(policy().delay(after: error, attempts: 1, spent: 30_001, random: 0) == nil)
    }

    @Test func waitsAtLeastForRetryAfter() {
        let asked = FetchError(.status, "u", "d", status: 429, retryAfter: .seconds(60))
        #expect(policy().delay(after: asked, attempts: 1, spent: 0, random: 0) ?? 0 >= 60_000)
        let tooLong = FetchError(.status, "u", "d", status: 429, retryAfter: .seconds(61))
        #expect(policy().delay(after: tooLong, attempts: 1, spent: 0, random: 0) == nil)
    }

    @Test(
        arguments: [
            ("120", 120_000), ("0", 0), ("Sun, 06 Nov 1994 08:50:37 GMT", 60_000),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0), ("-1", nil), ("soon", nil),
            ("99999999999999", 4_294_967_296_000),
        ] as [(String, Int64?)])
    func parsesBothFormsOfRetryAfter(_ text: String, milliseconds: Int64?) {
        let now = Timestamp(milliseconds: 784_111_777_000)
        let fields = HeaderFields([(name: "retry-after", value: text)])
        #expect(RetryPolicy.retryAfter(fields, now: now)?.milliseconds == milliseconds)
    }
}
