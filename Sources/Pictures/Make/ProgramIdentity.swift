package import FetchCache
import Recipes
import Records

/// The programs that make results.
package struct Programs: Sendable {
    /// Stands for the encoders, under which variants are stored; see ``EncoderStore``.
    var encoders: String
    /// Changes with each build of the command or of the worker, and with the encoders.
    package var build: String
}

/// The identity of the programs that make results, determined once.
package actor ProgramIdentity {
    private let store: EncoderStore
    private let pool: WorkerPool
    private var task: Task<Result<Programs, WorkerPool.PoolError>, Never>?

    package init(worker: String, _ cache: FetchManager, _ pool: WorkerPool, allowsWeakSandbox: Bool)
    {
        store = EncoderStore(worker: worker, cache: cache, allowsWeakSandbox: allowsWeakSandbox)
        self.pool = pool
    }

    /// The programs.
    ///
    /// - Throws: ``WorkerPool/PoolError`` if a worker has to be started and cannot.
    package func programs() async throws(WorkerPool.PoolError) -> Programs {
        let task =
            task
            ?? Task { [store, pool] in
                do throws(WorkerPool.PoolError) {
                    let encoders = try await Self.encoders(store, pool)
                    let build = Self.build(of: encoders, store)
                    return .success(Programs(encoders: encoders, build: build))
                } catch {
                    return .failure(error)
                }
            }
        self.task = task
        return try await task.value.get()
    }

    /// Whether the programs are known without starting a worker.
    package func areKnown() async -> Bool { await store.recall() != nil }

    /// The build of the programs, as far as it is known without starting a worker.
    package func knownBuild() async -> String {
        let encoders = await store.recall()
        return Self.build(of: encoders ?? "none", store)
    }

    private static func build(of encoders: String, _ store: EncoderStore) -> String {
        let programs = [ProgramBuild.command, store.worker].map(ProgramBuild.digest)
        return String(derivedKey(of: [ImgbakeVersion.text, encoders] + programs).prefix(16))
    }

    private static func encoders(
        _ store: EncoderStore, _ pool: WorkerPool
    ) async throws(WorkerPool.PoolError) -> String {
        if let encoders = await store.recall() { return encoders }
        return await store.remember(try await pool.greeting())
    }
}
