import FetchCache
import Glibc
import Recipes

/// Why an image is not made, in words that follow its URL.
struct ImageRefusal: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Which jobs the workers have refused or failed at, so that the next bake does not spend the same time
/// on them again.
///
/// They are forgotten after a while, since a time limit is also passed on a busy machine.
struct RefusalMemory: Sendable {
    private static let namespace = "refusals-v2"

    private let cache: FetchCache
    /// In seconds.
    private let lifetime: Int64
    /// Whether what is remembered counts.
    private let isAsked: Bool

    init(cache: FetchCache, options: BakeOptions) {
        self.cache = cache
        lifetime = options.fetching.failureLifetime.components.seconds
        isAsked = options.mode != .refresh && !options.retryFailed
    }

    /// Has `pool` do a job, unless it is known to fail.
    ///
    /// - Parameters:
    ///   - order: The job and its files.
    ///   - pool: The workers.
    ///   - key: Everything that decides what comes of it.
    /// - Returns: The answer, which is no failure.
    /// - Throws: ``ImageRefusal``, ``WorkerPool/Failure``.
    func perform(_ order: WorkerPool.Order, with pool: WorkerPool, key: String) async throws
        -> Answer
    {
        if isAsked, let reason = recall(key) { throw ImageRefusal(reason) }
        let answer: Answer
        do throws(WorkerPool.Failure) {
            answer = try await pool.perform(order)
        } catch .lost(let reason) {
            await remember(key, reason)
            throw ImageRefusal(reason)
        }
        guard case .failure(let failure) = answer else { return answer }
        switch failure.code {
        case .unsupported, .corrupt, .tooManyPixels, .unsafe: await remember(key, failure.reason)
        case .outOfMemory, .output: break
        }
        throw ImageRefusal(failure.reason)
    }

    private func recall(_ key: String) -> String? {
        guard let bytes = try? cache.value(for: key, in: Self.namespace) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        guard lines.count == 2, let then = Int64(String(decoding: lines[0], as: UTF8.self)) else {
            return nil
        }
        let age = Int64(time(nil)) - then
        guard age >= 0, age < lifetime else { return nil }
        let reason = String(decoding: lines[1], as: UTF8.self)
        return "\(reason), \(Duration.seconds(age).asAge) ago; --retry-failed tries again"
    }

    private func remember(_ key: String, _ reason: String) async {
        let value = Array("\(time(nil))\n\(reason)".utf8)
        try? await cache.setValues([key: value], in: Self.namespace)
    }
}
