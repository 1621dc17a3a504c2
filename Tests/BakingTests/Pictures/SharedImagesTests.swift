import FetchCache
import Locks
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pages
@testable import Pictures
@testable import Reports
@testable import Sites

struct StartedWorkTests {
    @Test func countsRunningWork() async {
        let work = StartedWork()
        #expect(!work.isRunning && !work.isStopping)
        let value = await work.run {
            #expect(work.isRunning)
            await work.run { #expect(work.isRunning) }
            #expect(work.isRunning)
            return 5
        }
        #expect(value == 5 && !work.isRunning)
        await #expect(throws: CancellationError.self) {
            try await work.run { throw CancellationError() }
        }
        #expect(!work.isRunning)
        work.stop()
        #expect(work.isStopping && !work.isRunning)
    }
}

@Suite(.timeLimit(.minutes(10))) struct SharedImagesTests {
    private func request(_ path: String) -> ImageRequest {
        ImageRequest(source: .local(path), options: VariantOptions())
    }

    @Test func makesSharedImageOnce() async throws {
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x"), "b.png": dot("y")]))
        let images = SharedImages(fixture.pipeline, limit: 4)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let outcome = await images.outcome(
                        for: request(index % 2 == 0 ? "a.png" : "b.png"), remembered: nil, .normal)
                    guard case .baked = outcome else {
                        Issue.record("\(outcome)")
                        return
                    }
                }
            }
        }
        #expect(fixture.worker.jobs.sorted() == ["image", "image"])
        #expect(fixture.tally.now.images == 2 && fixture.tally.now.local == 2)
        await fixture.close()
    }

    @Test func laterCallerRaisesWaitingImage() async throws {
        let origin = try await Origin.start()
        let gate = OriginGate()
        for name in ["first", "a", "b", "hero"] {
            var route = OriginRoute(Array(dot(name).utf8), contentType: "image/gif")
            if name == "first" { route.gate = gate }
            origin["/\(name).gif"] = route
        }
        let fixture = try await ImageFixture(BakeFolder())
        let images = SharedImages(fixture.pipeline, limit: 1)
        await withTaskGroup(of: Void.self) { group in
            let load = { (name: String, priority: FetchRequest.Priority) in
                let image = ImageRequest(
                    source: .remote("\(origin.url)/\(name).gif"), options: VariantOptions())
                return { @Sendable in
                    _ = await images.outcome(for: image, remembered: nil, priority)
                }
            }
            group.addTask(operation: load("first", .normal))
            while origin.requestCount == 0 { await Task.yield() }
            for name in ["a", "b", "hero"] {
                group.addTask(operation: load(name, .low))
                try? await Task.sleep(for: .milliseconds(50))
            }
            group.addTask(operation: load("hero", .high))
            try? await Task.sleep(for: .milliseconds(50))
            gate.open()
        }
        #expect(
            origin.requests.map(\.path) == ["/first.gif", "/hero.gif", "/a.gif", "/b.gif"])
        await fixture.close()
        await origin.shutdown()
    }

    @Test func failsOncePerImage() async throws {
        let fixture = try await ImageFixture(BakeFolder())
        let images = SharedImages(fixture.pipeline, limit: 1)
        for _ in 0..<5 {
            guard
                case .failed(let problem) = await images.outcome(
                    for: request("gone.png"), remembered: nil, .normal)
            else {
                Issue.record("there is no such image")
                return
            }
            #expect(problem.code == .missingImage)
        }
        #expect(fixture.tally.now.failed == 1)
        await fixture.close()
    }

    @Test func startsNoImageAfterStop() async throws {
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x"), "b.png": dot("y")]))
        let images = SharedImages(fixture.pipeline, limit: 1)
        _ = await images.outcome(for: request("a.png"), remembered: nil, .normal)
        #expect(!images.isStopping)
        await images.stop(within: .seconds(60))
        #expect(images.isStopping)
        guard case .baked = await images.outcome(for: request("a.png"), remembered: nil, .normal)
        else {
            Issue.record("a known outcome stays known")
            return
        }
        guard case .stopped = await images.outcome(for: request("b.png"), remembered: nil, .normal)
        else {
            Issue.record("no image is started any more")
            return
        }
        #expect(fixture.published.count == 1)
        await fixture.close()
    }

    @Test func stopCancelsWaitingImages() async throws {
        let fixture = try await ImageFixture(BakeFolder(["a.png": dot("x")]))
        let images = SharedImages(fixture.pipeline, limit: 1)
        images.cancel()
        guard case .stopped = await images.outcome(for: request("a.png"), remembered: nil, .normal)
        else {
            Issue.record("the images is stopped")
            return
        }
        #expect(fixture.worker.jobs.isEmpty && fixture.published.isEmpty)
        await fixture.close()
    }
}
