import FetchCache
import Recipes

/// Jobs for the workers.
///
/// Failed jobs are stored and not tried again.
struct WorkerJobs: Sendable {
    let pool: WorkerPool
    let encoder: EncoderIdentity
    let refusals: RefusalMemory
    let limits: Limits

    /// Runs a job in a worker.
    ///
    /// - Parameters:
    ///   - task: The job.
    ///   - source: The image.
    ///   - header: The header of the image, if it is known.
    ///   - recipe: The key of the recipe or of the options, if there is one.
    ///   - output: The path of the file to write, if there is one.
    /// - Returns: The answer, which is never a failure.
    /// - Throws: ``Problem``, ``WorkerPool/Failure``.
    func perform(
        _ task: Job.Task, on source: SourceImage, _ header: ImageHeader? = nil,
        recipe: String = "", output: String? = nil
    ) async throws -> JobResult {
        let bounds = "\(limits.pixels) \(limits.seconds) \(limits.memoryBytes)"
        let key = "\(source.digest.hex) \(try await encoder.name()) \(bounds) \(recipe)"
        let estimate = MemoryEstimate(source: FileFacts(fileAt: source.path), limits: limits)
        let order = WorkerPool.Order(
            Job(task, limits: limits), source: source.path, output: output, header: header,
            memoryBytes: estimate.bytes(for: task))
        return try await refusals.perform(order, with: pool, key: source.isNoStore ? nil : key)
    }
}
