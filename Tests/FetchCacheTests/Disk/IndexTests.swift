import Dispatch
import GRDB
import Locks
import Testing

@testable import FetchCache

@Suite(.timeLimit(.minutes(10)))
struct IndexTests {
    private struct Failure: Error {}

    /// Runs jobs at the same time, and returns the error of each.
    private func concurrently(
        count: Int, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async -> [(any Error)?] {
        await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for number in 0..<count {
                group.addTask {
                    do { try await body(number) } catch { return (number, error) }
                    return (number, nil)
                }
            }
            var results = [(any Error)?](repeating: nil, count: count)
            for await (number, error) in group { results[number] = error }
            return results
        }
    }

    @Test func failedJobIsRolledBackAndOthersComplete() async throws {
        let folder = try TestFolder()
        let index = try Index(in: folder.path)
        let insert = "INSERT INTO value VALUES ('n', ?, x'00', 1)"
        let errors = await concurrently(count: 5) { number in
            try await index.write { database in
                try database.execute(sql: insert, arguments: ["\(number)"])
                if number == 2 { throw Failure() }
            }
        }
        #expect(errors.map { $0 != nil } == [false, false, true, false, false])
        let values = try await index.values(for: (0..<5).map(String.init), in: "n")
        #expect(values.keys.sorted() == ["0", "1", "3", "4"])
    }

    @Test func readsDoNotWaitForWriter() async throws {
        let folder = try TestFolder()
        let index = try Index(in: folder.path)
        try await index.put(["k": [1]], in: "n", at: .now)
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = Flag()
        async let written: Void = index.read { database in
            try database.inTransaction(.immediate) {
                try database.execute(sql: "DELETE FROM value")
                hasBegun.set()
                gate.wait()
                return .commit
            }
        }
        #expect(await eventually { hasBegun.isSet })
        for _ in 0..<8 { #expect(try await index.values(for: ["k"], in: "n")["k"]?.bytes == [1]) }
        gate.signal()
        try await written
        #expect(try await index.values(for: ["k"], in: "n").isEmpty)
    }

    @Test func limitsNumberOfBlockingJobs() async {
        let pool = BlockingPool(threadCount: 3)
        let running = Box(0)
        let most = Box(0)
        let gate = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    await pool.run {
                        running.change { $0 += 1 }
                        most.change { $0 = max($0, running.value) }
                        gate.wait()
                        running.change { $0 -= 1 }
                    }
                }
            }
            #expect(await eventually { running.value == 3 })
            for _ in 0..<40 { gate.signal() }
        }
        #expect(most.value == 3)
    }
}
