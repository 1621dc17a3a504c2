import FetchCache
import Files
import FoundationEssentials
import Recipes

/// Stores the identity of the workers' encoders between bakes.
///
/// Variants are cached under the encoders that made them. A warm bake needs no other report of a
/// worker, and to start one is slow. So the report is stored with the sizes and times of the
/// worker's files.
struct EncoderMemory: Sendable {
    private struct Remembered: Codable {
        var encoder: String
        var libraries: [String]
        /// The sizes and times of the worker and of its libraries.
        var state: String
        /// Whether the sandbox of the worker was weak.
        var isWeak: Bool
    }

    private static let namespace = "encoders-v2"
    let worker: String
    let cache: FetchCache
    /// Whether the results of workers in a weak sandbox may be used.
    let allowsWeakSandbox: Bool

    /// The name of the encoders, if the worker and its libraries have not changed since.
    func recall() -> String? {
        guard let bytes = try? cache.value(for: worker, in: Self.namespace),
            let remembered = try? JSONDecoder().decode(Remembered.self, from: Data(bytes)),
            (try? WorkerGreeting.check(
                encoder: remembered.encoder, libraries: remembered.libraries)) != nil,
            remembered.state == state(of: remembered.libraries),
            allowsWeakSandbox || !remembered.isWeak
        else { return nil }
        return remembered.encoder
    }

    /// Stores the encoders of a worker.
    ///
    /// A failure is not an error; the next bake then has to start a worker.
    func remember(_ greeting: WorkerGreeting) async {
        guard let state = state(of: greeting.libraries),
            let bytes = try? JSONEncoder().encode(
                Remembered(
                    encoder: greeting.name, libraries: greeting.libraries, state: state,
                    isWeak: !greeting.sandbox.isClosed))
        else { return }
        try? await cache.setValues([worker: [UInt8](bytes)], in: Self.namespace)
    }

    /// Nil if a file is missing.
    private func state(of libraries: [String]) -> String? {
        var parts: [String] = []
        for file in [worker] + libraries {
            guard let status = FileStatus(file, followingLinks: true) else { return nil }
            parts.append(
                "\(status.byteCount):\(status.modified.seconds).\(status.modified.nanoseconds)")
        }
        return parts.joined(separator: " ")
    }
}

extension WorkerGreeting {
    /// The name of the encoders, which tells whether they run in a weak sandbox.
    ///
    /// Variants from a weak sandbox are not used any more once it is not allowed.
    fileprivate var name: String { sandbox.isClosed ? encoder : encoder + " in a weak sandbox" }
}

/// The name of the encoders, determined once.
actor EncoderIdentity {
    private let memory: EncoderMemory
    private let pool: WorkerPool
    private var task: Task<Result<String, WorkerPool.Failure>, Never>?

    init(memory: EncoderMemory, pool: WorkerPool) {
        self.memory = memory
        self.pool = pool
    }

    func name() async throws(WorkerPool.Failure) -> String {
        let task =
            task
            ?? Task { [memory, pool] in
                if let name = memory.recall() { return .success(name) }
                do throws(WorkerPool.Failure) {
                    let greeting = try await pool.greeting()
                    await memory.remember(greeting)
                    return .success(greeting.name)
                } catch {
                    return .failure(error)
                }
            }
        self.task = task
        return try await task.value.get()
    }
}
