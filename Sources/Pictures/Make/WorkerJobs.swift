import FetchCache
import Recipes
import Reports

/// Jobs for the workers.
///
/// Failures of jobs and of their variants are stored. A job that has failed is not tried again; the
/// caller leaves out a variant that has failed.
struct WorkerJobs: Sendable {
    let pool: WorkerPool
    let errors: JobErrorStore
    let limits: Limits
    let tally: Tally

    /// Lets a worker read the header of a source and make variants.
    ///
    /// - Parameters:
    ///   - variants: The options of the variants; none to read the header only.
    ///   - source: The source.
    ///   - outputs: The paths of the files to write, one for each variant.
    /// - Returns: The header and an outcome for each variant; that of a single one is no failure.
    /// - Throws: ``Problem``, ``WorkerPool/PoolError``.
    func perform(
        _ variants: [VariantOptions], on source: LoadedImage, outputs: [String] = []
    ) async throws -> JobResult.Image {
        if let problem = try await errors.recall(source, []) { throw problem }
        if !variants.isEmpty, let problem = try await errors.recall(source, variants) {
            throw problem
        }
        let image = try await image(variants, on: source, outputs)
        for (options, outcome) in zip(variants, image.variants) {
            guard case .failure(let failure) = outcome else { continue }
            let problem = failure.problem
            await errors.remember(problem, of: source, [options])
            if variants.count == 1 { throw problem }
        }
        return image
    }

    private func image(
        _ variants: [VariantOptions], on source: LoadedImage, _ outputs: [String]
    ) async throws -> JobResult.Image {
        let job = Job(variants, limits: limits)
        let estimate = MemoryEstimate(source: FileFacts(fileAt: source.path), limits: limits)
        let answer: JobResult
        do throws(WorkerPool.PoolError) {
            answer = try await pool.perform(
                WorkerPool.Order(
                    job: job, source: source.path, outputs: outputs,
                    memoryBytes: estimate.bytes(for: job),
                    tell: { tally.add(seconds: $0, on: source.digest) }))
        } catch .lost(let reason) {
            let problem = Problem(.workerFailed, reason)
            await errors.remember(problem, of: source, variants)
            throw problem
        } catch .untrusted(let rule) {
            // Another worker may give an answer that can be used, so it is asked in the next bake.
            throw Problem(
                .workerFailed, "the image worker gave an answer that is not used: \(rule)",
                remedy: "run again, or leave the image with data-imgbake=\"off\"")
        }
        switch answer {
        case .image(let image): return image
        case .failure(let failure):
            let problem = failure.problem
            await errors.remember(problem, of: source, [])
            throw problem
        }
    }
}
