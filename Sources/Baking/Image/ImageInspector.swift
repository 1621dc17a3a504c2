import FetchCache
import FoundationEssentials
import Recipes

/// Stage 2 of an image: its header, from a worker or the cache.
struct ImageInspector: Sendable {
    /// The namespace of the stored headers, with a version.
    ///
    /// Increase the version when a change of the code gives another header or verdict for the same
    /// bytes.
    private static let namespace = "headers-v4"

    let cache: FetchCache
    let jobs: WorkerJobs

    /// The header of a source.
    ///
    /// - Throws: ``Problem`` if it is not an image; ``WorkerPool/Failure``; ``FetchError``.
    func header(of source: SourceImage) async throws -> ImageHeader {
        let key = source.digest.hex
        if let bytes = try cache.value(for: key, in: Self.namespace),
            let header = try? JSONDecoder().decode(ImageHeader.self, from: Data(bytes))
        {
            return header
        }
        guard case .header(let header) = try await jobs.perform(.probe, on: source) else {
            throw Problem(.workerFailed, "unexpected reply from the image worker")
        }
        let bytes = [UInt8](try JSONEncoder().encode(header))
        try await cache.setValues([key: bytes], in: Self.namespace)
        return header
    }
}

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
    ///   - recipe: The key of the recipe, if there is one.
    ///   - output: The path of the file to write, if there is one.
    /// - Returns: The answer, which is never a failure.
    /// - Throws: ``Problem``, ``WorkerPool/Failure``.
    func perform(
        _ task: Job.Task, on source: SourceImage, recipe: String = "", output: String? = nil
    ) async throws -> Answer {
        let bounds = "\(limits.pixels) \(limits.seconds) \(limits.memoryBytes)"
        let key = "\(source.digest.hex) \(try await encoder.name()) \(bounds) \(recipe)"
        let order = WorkerPool.Order(
            Job(task, limits: limits), source: source.path, output: output)
        return try await refusals.perform(order, with: pool, key: key)
    }
}
