import FetchCache
import FoundationEssentials
import Glibc
import Recipes

/// Stores jobs that failed, so that the next bake does not repeat them.
///
/// Entries expire, because a time limit can also be exceeded on a busy machine.
struct RefusalMemory: Sendable {
    /// Increase the version when a change of the code gives another verdict on the same image.
    private static let namespace = "refusals-v6"
    /// The codes of the problems that are stored.
    private static let codes: Set<DiagnosticCode> = [
        .unsupportedFormat, .damagedImage, .tooManyPixels, .tooLargeForFormat, .unsafeImage,
        .workerFailed,
    ]

    /// A stored problem; the remedy is that of its code.
    private struct Stored: Codable {
        var code: DiagnosticCode
        var reason: String
    }

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
        } catch .untrusted(let rule) {
            // Another worker may give an answer that can be used, so it is asked in the next bake.
            throw Problem(
                .workerFailed, "the image worker gave an answer that is not used: \(rule)",
                remedy: "run again, or leave the image with data-imgbake=\"off\"")
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
            let stored = try? JSONDecoder().decode(Stored.self, from: Data(lines[1])),
            Self.codes.contains(stored.code), ForeignText.isTidy(stored.reason)
        else { return nil }
        let (age, isImpossible) = Int64(time(nil)).subtractingReportingOverflow(then)
        guard !isImpossible, age >= 0, age < lifetime else { return nil }
        var problem = Problem(stored.code, stored.reason)
        problem.remember(.seconds(age))
        return problem
    }

    private func remember(_ problem: Problem, _ key: String?) async {
        guard let key else { return }
        let stored = Stored(code: problem.code, reason: ForeignText.tidied(problem.reason))
        guard let text = try? JSONEncoder().encode(stored) else { return }
        let value = Array("\(time(nil))\n".utf8) + text
        try? await cache.setValues([key: value], in: Self.namespace)
    }
}
