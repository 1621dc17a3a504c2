import FetchCache
import Files
import FoundationEssentials
import Recipes

/// The programs that make results.
struct Programs: Sendable {
    /// The names and versions of the encoders, under which variants are stored.
    var encoders: String
    /// Changes with each build of the command or of the worker, and with the encoders.
    var build: String
}

/// Stores the names of the workers' encoders between bakes.
///
/// Variants are cached under the encoders that made them. A warm bake needs no other report of a
/// worker, and to start one is slow. So the report is stored with the sizes and times of the
/// worker's files.
struct EncoderStore: Sendable {
    private struct Stored: Codable {
        var encoder: String
        var libraries: [String]
        /// The sizes and times of the worker and of its libraries.
        var state: String
        /// Whether the sandbox of the worker was weak.
        var isWeak: Bool
    }

    private static let namespace = "encoders"
    let worker: String
    let cache: FetchManager
    /// Whether the results of workers in a weak sandbox may be used.
    let allowsWeakSandbox: Bool

    /// The name of the encoders, if the worker and its libraries have not changed since.
    func recall() async -> String? {
        guard let bytes = try? await cache.value(for: worker, in: Self.namespace),
            let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
            (try? WorkerGreeting.check(
                encoder: stored.encoder, libraries: stored.libraries)) != nil,
            stored.state == state(of: stored.libraries),
            allowsWeakSandbox || !stored.isWeak
        else { return nil }
        return stored.encoder
    }

    /// Stores the encoders of a worker.
    ///
    /// A failure is not an error; the next bake then has to start a worker.
    func remember(_ greeting: WorkerGreeting) async {
        guard let state = state(of: greeting.libraries),
            let bytes = try? JSONEncoder().encode(
                Stored(
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
            parts.append(status.stateText)
        }
        return parts.joined(separator: " ")
    }
}

extension FileStatus {
    /// The size and the time of the content.
    var stateText: String { "\(byteCount):\(modified.seconds).\(modified.nanoseconds)" }
}

extension WorkerGreeting {
    /// The name of the encoders, which tells whether they run in a weak sandbox.
    ///
    /// Variants from a weak sandbox are not used any more once it is not allowed.
    fileprivate var name: String { sandbox.isClosed ? encoder : encoder + " in a weak sandbox" }
}

/// The identity of the programs that make results, determined once.
actor ProgramIdentity {
    private let store: EncoderStore
    private let pool: WorkerPool
    private var task: Task<Result<Programs, WorkerPool.PoolError>, Never>?

    init(store: EncoderStore, pool: WorkerPool) {
        self.store = store
        self.pool = pool
    }

    init(_ options: BakeOptions, _ cache: FetchManager, _ pool: WorkerPool) {
        store = EncoderStore(
            worker: options.worker, cache: cache, allowsWeakSandbox: options.allowsWeakSandbox)
        self.pool = pool
    }

    /// The programs.
    ///
    /// - Throws: ``WorkerPool/PoolError`` if a worker has to be started and cannot.
    func programs() async throws(WorkerPool.PoolError) -> Programs {
        let task =
            task
            ?? Task { [store, pool] in
                do throws(WorkerPool.PoolError) {
                    let encoders = try await Self.encoders(store, pool)
                    let build = await Self.build(of: encoders, store)
                    return .success(Programs(encoders: encoders, build: build))
                } catch {
                    return .failure(error)
                }
            }
        self.task = task
        return try await task.value.get()
    }

    /// Whether the programs are known without starting a worker.
    func areKnown() async -> Bool { await store.recall() != nil }

    /// The build of the programs, as far as it is known without starting a worker.
    func knownBuild() async -> String {
        let encoders = await store.recall()
        return await Self.build(of: encoders ?? "none", store)
    }

    private static func build(of encoders: String, _ store: EncoderStore) async -> String {
        var parts = [ImgbakeVersion.text, encoders]
        for file in [ProgramBuild.command, store.worker] {
            parts.append(await ProgramBuild.digest(of: file, in: store.cache))
        }
        return String(derivedKey(of: parts).prefix(16))
    }

    private static func encoders(
        _ store: EncoderStore, _ pool: WorkerPool
    ) async throws(WorkerPool.PoolError) -> String {
        if let name = await store.recall() { return name }
        let greeting = try await pool.greeting()
        await store.remember(greeting)
        return greeting.name
    }
}
