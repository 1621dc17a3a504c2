import FetchCache
import TestSupport
import Testing

@Suite("The events of a load", .timeLimit(.minutes(10)))
struct EventTests {
    /// The names of a load's events in order; repeated progress counts once.
    private func names(_ events: [FetchEvent]) -> [String] {
        var names: [String] = []
        for event in events {
            let name =
                switch event.kind {
                case .queued: "queued"
                case .started: "started"
                case .response(let status, _): "response \(status)"
                case .progress: "progress"
                case .finished(let count): "finished \(count)"
                case .revalidated: "revalidated"
                case .failed(let error): "failed \(error.status ?? 0)"
                case .cancelled: "cancelled"
                case .retried: "retried"
                case .evicted: "evicted"
                }
            if names.last != name { names.append(name) }
        }
        return names
    }

    private func events(
        configure: (inout FetchConfiguration) -> Void = { _ in },
        _ body: (Fixture) async throws -> Void
    ) async throws -> [FetchEvent] {
        let fixture = try await Fixture(configure: configure)
        let stream = fixture.cache.events
        let collector = Task { await stream.reduce(into: []) { $0.append($1) } }
        try await body(fixture)
        await fixture.close()
        return await collector.value
    }

    @Test func reportsDownload() async throws {
        let events = try await events { fixture in
            fixture.origin["/a.png"] = .redirect(to: "/b.png")
            fixture.origin["/b.png"] = OriginRoute(png(count: 5_000))
            _ = try await fixture.load("/a.png")
        }
        #expect(
            names(events) == [
                "queued", "started", "response 302", "queued", "started", "response 200",
                "progress", "finished 5000",
            ])
        #expect(events.allSatisfy { $0.key.hasSuffix("/a.png") })
        guard case .started(let url) = events[4].kind else { throw POSIXFailure(code: 0) }
        #expect(url.hasSuffix("/b.png"))
    }

    @Test func reportsRevalidationAndFailure() async throws {
        let events = try await events { fixture in
            fixture.origin["/a.png"] = OriginRoute(png(), etag: "\"1\"")
            _ = try await fixture.load("/a.png")
            _ = try await fixture.load("/a.png")
            _ = await fixture.failure("/missing.png")
        }
        #expect(
            names(events).suffix(8) == [
                "queued", "started", "response 304", "revalidated",
                "queued", "started", "response 404", "failed 404",
            ])
    }

    @Test func reportsRetryAndCancellation() async throws {
        let events = try await events(configure: { $0.downloader.limits.retries = 1 }) { fixture in
            let counter = Counter()
            fixture.origin.handle("/a.png") { _ in
                counter.next() == 1 ? .status(500) : OriginRoute(png(), delivery: .silent)
            }
            let task = Task { try await fixture.load("/a.png") }
            #expect(await eventually { fixture.origin.requestCount == 2 })
            task.cancel()
            _ = try? await task.value
            #expect(await eventually { !fixture.cache.isRunning })
        }
        #expect(
            names(events) == [
                "queued", "started", "response 500", "retried", "queued", "started", "cancelled",
            ])
    }

    @Test func storedResourceHasNoEvents() async throws {
        let events = try await events { fixture in
            fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
            _ = try await fixture.load("/a.png")
            _ = try await fixture.load("/a.png")
        }
        #expect(events.count(where: { $0.kind == .queued }) == 1)
    }

    @Test func everyListenerGetsAllEvents() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png())
        let collectors = (0..<3).map { _ in
            let stream = fixture.cache.events
            return Task { await stream.reduce(into: []) { $0.append($1) } }
        }
        _ = try await fixture.load("/a.png")
        await fixture.close()
        let all = await [collectors[0].value, collectors[1].value, collectors[2].value]
        #expect(all[0].count >= 4)
        #expect(all.allSatisfy { $0 == all[0] })
    }
}
