import FetchCache
import Files
import FoundationEssentials
import Recipes

/// What other machines may know of a worker, so that they need not start one to know its encoders.
struct SharedEncoders: Codable, Hashable, Sendable {
    /// The digest of the worker's build; see ``ProgramBuild``.
    var worker: String
    /// ``Programs/encoders``.
    var encoders: String
    /// The paths of the worker's libraries; of those in its folder or below, relative to the folder.
    ///
    /// They are the paths under which the worker has opened the libraries, so nearly all end with the
    /// version of an interface.
    var libraries: [String]
    /// A digest of the build IDs of the libraries.
    var builds: String
}

/// Stores which encoders the workers have, between bakes.
///
/// Variants are cached under the encoders that made them. To start a worker only to ask for its
/// encoders is slow, so its answer is stored with the sizes and times of its files. The levels of
/// other machines get it too. There, build IDs tell that the files are the same.
struct EncoderStore: Sendable {
    private struct Stored: Codable {
        var encoders: String
        var libraries: [String]
        /// The sizes and times of the worker and of its libraries.
        var state: String
        /// Whether the sandbox of the worker was weak.
        var isWeak: Bool
    }

    /// The recipe under which a level of another machine has ``SharedEncoders``, as a variant of the
    /// worker.
    static let recipe = "encoders"
    private static let namespace = "encoders"

    let worker: String
    let cache: FetchManager
    /// Whether the results of workers in a weak sandbox may be used.
    let allowsWeakSandbox: Bool

    /// The encoders, if the worker and its libraries have not changed since.
    func recall() async -> String? { await stored()?.encoders }

    /// The encoders, if a level of another machine knows them and the files are the same there.
    ///
    /// Only a worker can tell whether the sandbox is weak on this machine, if that is allowed.
    func recallFromOtherMachine() async -> String? {
        guard !allowsWeakSandbox, let build = await workerBuild(),
            let text = await cache.variantMetadata(
                of: build, recipe: Self.recipe, encoder: Self.recipe),
            let shared = try? JSONDecoder().decode(SharedEncoders.self, from: Data(text.utf8)),
            shared.worker == build.hex
        else { return nil }
        let libraries = shared.libraries.map { $0.hasPrefix("/") ? $0 : folder + $0 }
        guard
            (try? WorkerGreeting.check(encoder: shared.encoders, libraries: libraries)) != nil,
            builds(of: libraries) == shared.builds
        else { return nil }
        await store(shared.encoders, libraries, isWeak: false)
        return shared.encoders
    }

    /// Stores the encoders of a worker.
    ///
    /// A failure is not an error; the next bake then has to start a worker.
    ///
    /// - Returns: The encoders.
    func remember(_ greeting: WorkerGreeting) async -> String {
        let encoders = greeting.encoders
        await store(encoders, greeting.libraries, isWeak: !greeting.sandbox.isClosed)
        if cache.isShared { try? await share(.all) }
        return encoders
    }

    /// Gives the encoders, which were known here, to a store that lacks them.
    func fill() async {
        if cache.isFilling { try? await share(.fill) }
    }

    private func share(_ sharing: Sharing) async throws {
        guard let shared = await shared(), let build = await workerBuild() else { return }
        let text = canonicalText(of: shared)
        let file = try cache.temporaryFile()
        try OpenFile(creating: file.string, mode: 0o600).write(text.utf8)
        try await cache.storeVariant(
            fileAt: file, of: build, recipe: Self.recipe, encoder: Self.recipe, metadata: text,
            sharing: sharing)
    }

    /// What other machines may know.
    ///
    /// - Returns: Nil if the encoders are not known, or are in a weak sandbox, or if a library has no
    ///   build ID.
    func shared() async -> SharedEncoders? {
        guard let stored = await stored(), !stored.isWeak, let build = await workerBuild(),
            let builds = builds(of: stored.libraries)
        else { return nil }
        return SharedEncoders(
            worker: build.hex, encoders: stored.encoders,
            libraries: stored.libraries.map {
                $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0
            }, builds: builds)
    }

    private func stored() async -> Stored? {
        guard let bytes = try? await cache.value(for: worker, in: Self.namespace),
            let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
            (try? WorkerGreeting.check(
                encoder: stored.encoders, libraries: stored.libraries)) != nil,
            stored.state == state(of: stored.libraries),
            allowsWeakSandbox || !stored.isWeak
        else { return nil }
        return stored
    }

    private func store(_ encoders: String, _ libraries: [String], isWeak: Bool) async {
        guard let state = state(of: libraries),
            let bytes = try? JSONEncoder().encode(
                Stored(encoders: encoders, libraries: libraries, state: state, isWeak: isWeak))
        else { return }
        try? await cache.setValues([worker: [UInt8](bytes)], in: Self.namespace)
    }

    /// The folder of the worker, with a slash at its end.
    private var folder: String {
        let path = resolvedPath(worker) ?? worker
        return path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private func workerBuild() async -> BlobDigest? {
        BlobDigest(hex: await ProgramBuild.digest(of: worker, in: cache))
    }

    /// Nil if a file is missing, or has no build ID.
    private func builds(of libraries: [String]) -> String? {
        var ids: [[UInt8]] = []
        for path in libraries {
            guard let id = ProgramBuild.buildID(ofFile: path) else { return nil }
            ids.append(id)
        }
        return derivedKey(of: ids)
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
    /// Stands for the encoders and for whether they run in a weak sandbox.
    ///
    /// Variants from a weak sandbox are not used any more once it is not allowed.
    fileprivate var encoders: String {
        let name = sandbox.isClosed ? encoder : encoder + " in a weak sandbox"
        return String(BlobDigest(hashing: Array(name.utf8)).hex.prefix(32))
    }
}
