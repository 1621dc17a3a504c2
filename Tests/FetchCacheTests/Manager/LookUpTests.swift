import Dispatch
import Locks
import Logging
import TestSupport
import Testing

@testable import FetchCache

@Suite("Handles, and cancellation of lookups", .timeLimit(.minutes(10)))
struct LookUpTests {
    /// Runs a closure while lookups on disk are blocked.
    private func whileTheDiskIsBusy(
        _ fixture: Fixture, _ body: () async throws -> Void
    ) async throws {
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = Flag()
        let index = fixture.cache.levels.disk.index
        async let blocked: Void? = try? await index.read { _ in
            hasBegun.set()
            gate.wait()
        }
        #expect(await eventually { hasBegun.isSet })
        do {
            try await body()
        } catch {
            gate.signal()
            throw error
        }
        gate.signal()
        _ = await blocked
    }

    @Test func cancelledCallerDoesNotWaitForDisk() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        try await whileTheDiskIsBusy(fixture) {
            let handle = fixture.cache.start(FetchRequest(fixture.origin.url + "/a.png"))
            #expect(await eventually { fixture.cache.isRunning })
            handle.cancel()
            await expectCancelled { try await handle.value }
        }
        #expect(fixture.origin.requestCount == 0)
    }

    @Test func cancelAllEndsLoadsDuringLookUp() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        try await whileTheDiskIsBusy(fixture) {
            let handles = (0..<5).map { _ in
                fixture.cache.start(FetchRequest(fixture.origin.url + "/a.png"))
            }
            #expect(await eventually { fixture.cache.isRunning })
            #expect(await eventually { fixture.cache.loader.loads.keys.count == 5 })
            fixture.cache.cancelAll()
            for handle in handles {
                await expectCancelled { try await handle.value }
            }
        }
        #expect(fixture.origin.requestCount == 0)
    }

    @Test func handleCancelsItsTransfer() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        let handle = fixture.cache.start(FetchRequest(fixture.origin.url + "/a.png"))
        #expect(await eventually { fixture.origin.requestCount == 1 })
        handle.cancel()
        await expectCancelled { try await handle.value }
        #expect(await eventually { !fixture.cache.isRunning })
    }

    @Test func distinguishesDiskFromMemory() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        var request = FetchRequest(fixture.origin.url + "/a.png")
        request.storage = .memory
        _ = try await fixture.cache.load(request)
        #expect(try await fixture.cache.contains(request))
        #expect(try await !fixture.cache.containsOnDisk(request))
        request.storage = .everywhere
        _ = try await fixture.cache.load(request)
        #expect(try await fixture.cache.containsOnDisk(request))
    }

    @Test(
        arguments: [
            ("https://h/a?X-Amz-Signature=abc&w=1", "https://h/a?X-Amz-Signature=[hidden]&w=1"),
            ("https://h/a?w=1&sig=abc&h", "https://h/a?w=1&sig=[hidden]&h"),
            ("https://u:p@h/a?Token=x&token", "https://h/a?Token=[hidden]&token"),
            ("https://h/a?signal=1", "https://h/a?signal=1"), ("/a?sig=b", "/a?sig=b"),
            ("https://h/a", "https://h/a"),
        ])
    func errorsOmitSignatures(_ url: String, shown: String) {
        #expect(FetchError(.status, url, "").url == shown)
    }

    @Test func logOmitsSignatures() async throws {
        let lines = Box<[String]>([])
        let fixture = try await Fixture {
            $0.downloader.limits.retries = 1
            $0.logger = lines.logger
            $0.logger.logLevel = .trace
        }
        fixture.origin["/a.png"] = .redirect(to: "/b.png?X-Amz-Signature=hushhush")
        fixture.origin["/b.png"] = .status(500)
        _ = await fixture.failure("/a.png?sig=hushhush")
        _ = await fixture.failure("/b.png?sig=hushhush")
        #expect(!lines.value.isEmpty)
        #expect(!lines.value.contains { $0.contains("hushhush") }, "\(lines.value)")
    }

    @Test func cancelAllEndsLoadBetweenLookUpAndTransfer() async throws {
        let cache = Box<FetchManager?>(nil)
        let clock = TestClock()
        let calls = Counter()
        let fixture = try await Fixture { configuration in
            configuration.now = {
                // The first call is the lookup in the index, the second compares the entry with
                // the time.
                if let cache = cache.value, calls.next() == 2 { cache.cancelAll() }
                return clock.now
            }
        }
        fixture.origin["/a.png"] = OriginRoute(png())
        _ = try await fixture.load("/a.png")
        fixture.cache.clearMemory()
        cache.change { $0 = fixture.cache }
        await expectCancelled { try await fixture.load("/a.png") }
        #expect(calls.value >= 2)
        cache.change { $0 = nil }
        #expect(await eventually { !fixture.cache.isRunning })
        #expect(fixture.origin.requestCount == 1)
    }

    @Test func cancelAllEndsLoadThatJustStarted() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        for _ in 0..<50 {
            let handle = fixture.cache.start(FetchRequest(fixture.origin.url + "/a.png"))
            fixture.cache.cancelAll()
            await expectCancelled { try await handle.value }
        }
    }
}
