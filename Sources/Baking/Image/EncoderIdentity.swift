import FetchCache
import FoundationEssentials
import Recipes

/// Which encoders the workers have, known without starting one while nothing was installed.
///
/// A warm bake must not pay for a worker's start, yet variants are cached under the encoders that
/// made them. So what a worker said of itself is remembered together with the state of its files.
struct EncoderMemory: Sendable {
    private struct Remembered: Codable {
        var encoder: String
        var libraries: [String]
        /// The sizes and times of the worker and of its libraries.
        var state: String
    }

    private static let namespace = "encoders"
    let worker: String
    let cache: FetchCache

    /// The name of the encoders, if the files that it was read from have not changed since.
    func recall() -> String? {
        guard let bytes = try? cache.value(for: worker, in: Self.namespace),
            let remembered = try? JSONDecoder().decode(Remembered.self, from: Data(bytes)),
            remembered.state == state(of: remembered.libraries)
        else { return nil }
        return remembered.encoder
    }

    /// Remembers `hello`; what cannot be remembered costs the next bake a worker's start.
    func remember(_ hello: Hello) async {
        guard let state = state(of: hello.libraries),
            let bytes = try? JSONEncoder().encode(
                Remembered(encoder: hello.encoder, libraries: hello.libraries, state: state))
        else { return }
        try? await cache.setValues([worker: [UInt8](bytes)], in: Self.namespace)
    }

    /// Nil where a file is missing.
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

/// The name of the encoders, found out once.
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
                    let hello = try await pool.hello()
                    await memory.remember(hello)
                    return .success(hello.encoder)
                } catch {
                    return .failure(error)
                }
            }
        self.task = task
        return try await task.value.get()
    }
}
