import FetchCache
import FoundationEssentials
import Glibc
import Recipes

/// Stores jobs that failed, so that the next bake does not repeat them.
///
/// Entries expire, because a time limit can also be exceeded on a busy machine.
struct RefusalMemory: Sendable {
    private static let namespace = "refusals-v5"

    private let cache: FetchCache
    /// In seconds.
    private let lifetime: Int64
    /// Whether stored refusals are used.
    private let isAsked: Bool

    init(cache: FetchCache, options: BakeOptions) {
        self.cache = cache
        lifetime = options.fetching.failureLifetime.components.seconds
        isAsked = options.mode != .refresh && !options.retryFailed
    }

    /// Runs a job in `pool`, unless the same job has failed recently.
    ///
    /// - Parameters:
    ///   - order: The job and its files.
    ///   - pool: The workers.
    ///   - key: Everything that affects the result; nil if it must not be stored.
    /// - Returns: The answer, which is never a failure.
    /// - Throws: ``Problem``, ``WorkerPool/Failure``.
    func perform(_ order: WorkerPool.Order, with pool: WorkerPool, key: String?) async throws
        -> JobResult
    {
        if isAsked, let key, let problem = recall(key) { throw problem }
        let answer: JobResult
        do throws(WorkerPool.Failure) {
            answer = try await pool.perform(order)
        } catch .lost(let reason) {
            let problem = Problem(.workerFailed, reason)
            await remember(problem, key)
            throw problem
        }
        guard case .failure(let failure) = answer else { return answer }
        let problem = failure.problem
        switch failure.code {
        case .unsupported, .corrupt, .tooManyPixels, .tooLargeForFormat, .unsafe:
            await remember(problem, key)
        case .outOfMemory, .output: break
        }
        throw problem
    }

    private func recall(_ key: String) -> Problem? {
        guard let bytes = try? cache.value(for: key, in: Self.namespace) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        guard lines.count == 2, let then = Int64(String(decoding: lines[0], as: UTF8.self)),
            var problem = try? JSONDecoder().decode(Problem.self, from: Data(lines[1]))
        else { return nil }
        let age = Int64(time(nil)) - then
        guard age >= 0, age < lifetime else { return nil }
        problem.remember(.seconds(age))
        return problem
    }

    private func remember(_ problem: Problem, _ key: String?) async {
        guard let key, let text = try? JSONEncoder().encode(problem) else { return }
        let value = Array("\(time(nil))\n".utf8) + text
        try? await cache.setValues([key: value], in: Self.namespace)
    }
}
