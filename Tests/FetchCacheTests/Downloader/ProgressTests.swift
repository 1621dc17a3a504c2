import FetchCache
import TestSupport
import Testing

@Suite("The progress of each caller", .timeLimit(.minutes(10)))
struct ProgressTests {
    @Test func eachCallerGetsAllProgress() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 10_000), delivery: .drip(piece: 2_000, pause: .milliseconds(20)))
        let gate = OriginGate()
        fixture.origin["/a.png"]?.gate = gate
        let heard = (0..<3).map { _ in Box<[FetchProgress]>([]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for box in heard {
                group.addTask {
                    let request = FetchRequest(fixture.origin.url + "/a.png")
                    _ = try await fixture.cache.load(request) { progress in
                        box.change { $0.append(progress) }
                    }
                }
            }
            #expect(await eventually { heard.allSatisfy { !$0.value.isEmpty } })
            gate.open()
            try await group.waitForAll()
        }
        #expect(fixture.origin.requestCount == 1)
        for box in heard {
            let received = box.value.map(\.receivedBytes)
            #expect(box.value.first == FetchProgress())
            #expect(received == received.sorted())
            #expect(box.value.last == FetchProgress(receivedBytes: 10_000, expectedBytes: 10_000))
        }
    }

    @Test func unknownLengthIsNil() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(count: 500), delivery: .chunked)
        let heard = Box<[FetchProgress]>([])
        _ = try await fixture.cache.load(FetchRequest(fixture.origin.url + "/a.png")) { progress in
            heard.change { $0.append(progress) }
        }
        #expect(heard.value.last == FetchProgress(receivedBytes: 500, expectedBytes: nil))
    }

    @Test func cancelledCallerGetsNoProgress() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            png(count: 4_000), delivery: .drip(piece: 100, pause: .milliseconds(20)))
        let heard = Box(0)
        let request = FetchRequest(fixture.origin.url + "/a.png")
        let leaving = Task {
            _ = try await fixture.cache.load(request) { _ in heard.change { $0 += 1 } }
        }
        let staying = Task { try await fixture.cache.load(request) }
        #expect(await eventually { heard.value > 2 })
        leaving.cancel()
        _ = try? await leaving.value
        let count = heard.value
        #expect(try await staying.value.byteCount == 4_000)
        // One more call may have been running.
        #expect(heard.value <= count + 1)
    }

    @Test func storedResourceReportsProgressOnce() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), cacheControl: "max-age=60")
        _ = try await fixture.load("/a.png")
        let heard = Box(0)
        _ = try await fixture.cache.load(FetchRequest(fixture.origin.url + "/a.png")) { _ in
            heard.change { $0 += 1 }
        }
        #expect(heard.value == 1)
    }
}
