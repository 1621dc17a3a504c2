import FetchCache
import Foundation
import TestSupport
import Testing

@Suite("A task that a caller holds", .timeLimit(.minutes(10)))
struct TaskTests {
    private let body = png(count: 20_000)

    /// An origin that sends the body slowly.
    private func slowFixture(
        _ cacheControl: String, pause: Duration = .milliseconds(10)
    ) async throws -> Fixture {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(
            body, cacheControl: cacheControl, delivery: .drip(piece: 1_000, pause: pause))
        return fixture
    }

    @Test func tellsProgressEventsAndBytesWhileTheyArrive() async throws {
        let fixture = try await slowFixture("max-age=60")
        let task = fixture.cache.start(fixture.origin.url + "/a.png")
        #expect(task.state == .running)
        var parts: [[UInt8]] = []
        var received: [Int] = []
        for await progress in task.progress {
            received.append(progress.receivedBytes)
            parts.append(await task.partialBytes())
        }
        let resource = try await task.value
        #expect(task.state == .finished(resource))
        #expect(received == received.sorted() && received.last == 20_000)
        #expect(parts.contains { !$0.isEmpty && $0.count < body.count })
        for part in parts { #expect(body.starts(with: part)) }
        #expect(await task.partialBytes() == body)
        // Who asks late gets what has happened.
        var kinds: [String] = []
        for await event in task.events {
            kinds.append(String("\(event)".prefix { $0.isLetter }))
        }
        #expect(kinds == ["queued", "started", "response", "progress", "finished"])
        var late: [FetchProgress] = []
        for await progress in task.progress { late.append(progress) }
        #expect(late == [FetchProgress(receivedBytes: 20_000, expectedBytes: 20_000)])
    }

    @Test func bytesThatMustNotBeStoredCanBeReadWhileTheyArrive() async throws {
        let fixture = try await slowFixture("no-store")
        let task = fixture.cache.start(fixture.origin.url + "/a.png")
        var longest = 0
        for await _ in task.progress {
            let part = await task.partialBytes()
            #expect(body.starts(with: part))
            longest = max(longest, part.count)
        }
        #expect(longest > 0)
        #expect(try await task.value.isNoStore)
    }

    @Test func callerWhoJoinsLateReadsAllBytes() async throws {
        let fixture = try await slowFixture("max-age=60", pause: .milliseconds(20))
        let first = fixture.cache.start(fixture.origin.url + "/a.png")
        for await progress in first.progress where progress.receivedBytes > 2_000 { break }
        let second = fixture.cache.start(fixture.origin.url + "/a.png")
        for await progress in second.progress where progress.receivedBytes > 4_000 { break }
        let part = await second.partialBytes()
        #expect(part.count >= 3_000 && body.starts(with: part))
        _ = try await (first.value, second.value)
        #expect(fixture.origin.requestCount == 1)
    }

    /// What SDWebImage calls a progressive download: a decoder sees the first rows before the end.
    @Test func decoderSeesAnImageBeforeItIsComplete() async throws {
        let folder = try TestFolder()
        let image = FilePath("\(folder.path)/whole.jpg")
        try run("/usr/bin/vips", "gaussnoise", "\(folder.path)/noise.v", "400", "400")
        try run(
            "/usr/bin/vips", "jpegsave", "\(folder.path)/noise.v", image.string, "--interlace")
        let body = try #require(bytes(of: image))
        let fixture = try await Fixture()
        fixture.origin["/a.jpg"] = OriginRoute(
            body, delivery: .drip(piece: body.count / 20, pause: .milliseconds(30)))
        let task = fixture.cache.start(fixture.origin.url + "/a.jpg")
        for await progress in task.progress where progress.receivedBytes > body.count / 3 { break }
        let part = await task.partialBytes()
        #expect(part.count < body.count)
        let partial = FilePath("\(folder.path)/part.jpg")
        try write(part, to: partial)
        let preview = FilePath("\(folder.path)/preview.png")
        try run("/usr/bin/vipsthumbnail", partial.string, "--size", "100", "-o", preview.string)
        let pixels = try #require(bytes(of: preview))
        #expect(MediaType.ofImage(beginningWith: pixels) == .png)
        _ = try await task.value
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func priorityCanBeChangedWhileItWaits() async throws {
        let fixture = try await Fixture { $0.downloader.limits.transfers = 1 }
        let gate = OriginGate()
        for path in ["/first", "/a", "/b", "/c"] { fixture.origin[path] = OriginRoute(png()) }
        fixture.origin["/first"]?.gate = gate
        let first = fixture.cache.start(fixture.origin.url + "/first")
        #expect(await eventually { fixture.origin.requestCount == 1 })
        let tasks = ["/a", "/b", "/c"].map { fixture.cache.start(fixture.origin.url + $0) }
        #expect(await eventually { fixture.cache.activity.waitingCount == 3 })
        tasks[2].priority = .high
        tasks[0].priority = .low
        #expect(tasks.map(\.priority) == [.low, .normal, .high])
        gate.open()
        for task in [first] + tasks { _ = try await task.value }
        #expect(fixture.origin.requests.map(\.path) == ["/first", "/c", "/b", "/a"])
    }

    @Test func cancelledTaskEndsItsStreams() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        let task = fixture.cache.start(fixture.origin.url + "/a.png")
        #expect(await eventually { fixture.origin.requestCount == 1 })
        let (progress, events) = (task.progress, task.events)
        task.cancel()
        let error = await #expect(throws: FetchError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        guard case .failed(let failure) = task.state else {
            return #expect(Bool(false), "\(task.state)")
        }
        #expect(failure.code == .cancelled)
        for await _ in progress {}
        for await _ in events {}
        #expect(await task.partialBytes() == [])
        // Neither has an effect any longer.
        task.cancel()
        task.priority = .high
    }

    @Test func cancelAllEndsTasksThatHaveJustStarted() async throws {
        let fixture = try await Fixture()
        fixture.origin["/a.png"] = OriginRoute(png(), delivery: .silent)
        let tasks = (0..<20).map { _ in fixture.cache.start(fixture.origin.url + "/a.png") }
        fixture.cache.cancelAll()
        for task in tasks {
            let error = await #expect(throws: FetchError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }
}

@Suite("Settings of one request", .timeLimit(.minutes(10)))
struct RequestSettingTests {
    @Test func timesOfOneRequestAreItsOwn() async throws {
        let fixture = try await Fixture { $0.downloader.times.stall = .seconds(600) }
        for path in ["/a.png", "/b.png"] {
            fixture.origin[path] = OriginRoute(png(), delivery: .silent)
        }
        var request = FetchRequest(fixture.origin.url + "/a.png")
        var times = DownloaderConfiguration.Times()
        times.stall = .milliseconds(200)
        request.times = times
        let patient = fixture.cache.start(fixture.origin.url + "/b.png")
        #expect(await fixture.failure(of: request)?.code == .timedOut)
        #expect(patient.state == .running)
        patient.cancel()
        times.stall = .seconds(600)
        times.total = .milliseconds(200)
        request.times = times
        #expect(await fixture.failure(of: request)?.code == .timedOut)
    }

    @Test func requestsOfOneKeyHaveOneEntry() async throws {
        let fixture = try await Fixture()
        for path in ["/a.png?one", "/a.png?two"] {
            fixture.origin[path] = OriginRoute(png(1), cacheControl: "max-age=60")
        }
        for (path, origin) in [("/a.png?one", "network"), ("/a.png?two", "memory")] {
            var request = FetchRequest(fixture.origin.url + path)
            request.key = "the same part"
            let resource = try await fixture.cache.load(request)
            #expect(resource.key == "the%20same%20part")
            #expect(resource.origin.rawValue == origin)
        }
        #expect(fixture.origin.requestCount == 1)
        #expect(try await fixture.cache.remove(key: "the%20same%20part"))
    }
}
