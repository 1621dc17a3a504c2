import ImageFormats
import Locks
import Recipes
import TestSupport
import Testing

@testable import Baking
@testable import Pictures
@testable import Reports

/// The pool with workers that report a missing part of the sandbox.
@Suite(.timeLimit(.minutes(10))) struct WeakWorkerTests {
    private let folder: TemporaryDirectory
    private let job: WorkerPool.Order
    private let header = FakeWorker.header

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(dot(), to: "a.gif")
        job = WorkerPool.Order(job: Job(), source: folder.path("a.gif"))
    }

    private static let weak = #"{"gaps":[{"protection":"systemCalls","reason":"Not here"}]}"#
    private static let noLandlock = #"{"gaps":[{"protection":"landlock","reason":"Too old"}]}"#

    private func perform(
        sandbox: String, allowsWeak: Bool
    ) async throws -> (result: Result<JobResult, any Error>, told: [String], starts: Int) {
        let worker = try await FakeWorker(
            "\(FakeWorker.greeting(sandbox)); while read -r line; do echo \"$answer\"; done")
        let told = Locked<[String]>([])
        var options = WorkerPool.Options(size: 1)
        options.allowsWeakSandbox = allowsWeak
        let pool = WorkerPool(executable: worker.path, options: options) { gaps in
            told.withLock { $0.append(gaps) }
        }
        defer { pool.stop() }
        var result: Result<JobResult, any Error> = .failure(CancellationError())
        for _ in 0..<3 {
            do {
                result = .success(try await pool.perform(job))
            } catch {
                result = .failure(error)
            }
        }
        return (result, told.withLock(\.self), worker.startCount)
    }

    @Test func failsOnceForWeakSandbox() async throws {
        let (result, told, starts) = try await perform(sandbox: Self.weak, allowsWeak: false)
        guard case .failure(let error) = result,
            case .unavailable(let problem) = error as? WorkerPool.PoolError
        else {
            Issue.record("\(result)")
            return
        }
        #expect(problem.reason.contains("Not here"))
        #expect(problem.remedy.contains("--allow-weak-sandbox"))
        #expect(told.isEmpty)
        #expect(starts == 1)
    }

    @Test func warnsOnceIfWeakSandboxIsAllowed() async throws {
        let (result, told, _) = try await perform(sandbox: Self.weak, allowsWeak: true)
        #expect(try result.get() == header)
        #expect(told.count == 1)
        #expect(told.first?.contains("Not here") == true)
    }

    @Test(arguments: [false, true])
    func warnsOnceWithoutLandlock(allowsWeak: Bool) async throws {
        let (result, told, _) = try await perform(
            sandbox: Self.noLandlock, allowsWeak: allowsWeak)
        #expect(try result.get() == header)
        #expect(told.count == 1)
        #expect(told.first?.contains("Landlock") == true)
    }
}
