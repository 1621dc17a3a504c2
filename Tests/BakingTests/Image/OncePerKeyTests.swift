import FetchCache
import Locks
import Recipes
import Testing

@testable import Baking

/// Work that is done once for many callers.
@Suite(.timeLimit(.minutes(10))) struct OncePerKeyTests {
    /// A gate that a test opens.
    private final class Gate: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream<Void>.makeStream() }

        func open() { continuation.finish() }

        func wait() async { for await _ in stream {} }
    }

    @Test func thousandCallersGetOneValue() async {
        let once = OncePerKey<String, Int>()
        let count = Locked(0)
        let gate = Gate()
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    await once.value(for: "a") {
                        await gate.wait()
                        return count.withLock {
                            $0 += 1
                            return $0
                        }
                    }
                }
            }
            gate.open()
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1])
        #expect(count.withLock(\.self) == 1)
    }

    @Test func onlyOneCallerIsFirst() async {
        let once = OncePerKey<String, Int>()
        let first = await once.outcome(for: "a") { 1 }
        let second = await once.outcome(for: "a") { 2 }
        let other = await once.outcome(for: "b") { 3 }
        #expect(first == (1, true))
        #expect(second == (1, false))
        #expect(other == (3, true))
    }

    @Test func recreatesForgottenValue() async {
        let once = OncePerKey<String, Int>()
        for key in ["a", "b", "c"] { _ = await once.value(for: key) { 1 } }
        await once.forget("a")
        await once.forget { $0 == "b" }
        for (key, expected) in [("a", 2), ("b", 2), ("c", 1)] {
            #expect(await once.value(for: key) { 2 } == expected, "\(key)")
        }
    }

    @Test func valueForgottenWhileRunningDoesNotReplaceNewValue() async {
        let once = OncePerKey<String, Int>()
        let gate = Gate()
        let started = Gate()
        let old = Task {
            await once.value(for: "a") {
                started.open()
                await gate.wait()
                return 1
            }
        }
        await started.wait()
        await once.forget("a")
        #expect(await once.value(for: "a") { 2 } == 2)
        gate.open()
        #expect(await old.value == 1)
        #expect(await once.value(for: "a") { 3 } == 2)
    }

    @Test func stopCancelsRunningAndLaterWork() async {
        let once = OncePerKey<String, Bool>()
        let started = Gate()
        let running = Task {
            await once.value(for: "a") {
                started.open()
                // Ends when the task is cancelled.
                let never = Gate()
                await never.wait()
                return Task.isCancelled
            }
        }
        await started.wait()
        await once.stop()
        #expect(await running.value)
        #expect(await once.value(for: "b") { Task.isCancelled })
    }

    @Test func countsRunningWork() async {
        let work = StartedWork()
        #expect(!work.isRunning && !work.isStopping)
        let value = await work.count {
            #expect(work.isRunning)
            await work.count { #expect(work.isRunning) }
            #expect(work.isRunning)
            return 5
        }
        #expect(value == 5 && !work.isRunning)
        await #expect(throws: CancellationError.self) {
            try await work.count { throw CancellationError() }
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
        #expect(fixture.worker.jobs.sorted() == ["probe", "probe", "transform", "transform"])
        #expect(fixture.tally.now.images == 2 && fixture.tally.now.local == 2)
        await fixture.close()
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
        await images.finish(within: .seconds(60))
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
        await images.stop()
        guard case .stopped = await images.outcome(for: request("a.png"), remembered: nil, .normal)
        else {
            Issue.record("the images is stopped")
            return
        }
        #expect(fixture.worker.jobs.isEmpty && fixture.published.isEmpty)
        await fixture.close()
    }
}
