import FetchCache
import FoundationEssentials
import Locks
import Recipes

/// The headers of sources; a worker reads each once, and the cache stores it.
struct HeaderStore: Sendable {
    /// The result of a look-up.
    enum Found: Sendable {
        case none
        /// Another build has read the header, so there may be variants of the source.
        case outdated
        case header(ImageHeader)
    }

    private let values: BuildValues
    private let programs: ProgramIdentity
    /// The headers of sources that must not be stored, for the time of the bake.
    private let unstored = Locked<[BlobDigest: ImageHeader]>([:])

    init(cache: FetchManager, programs: ProgramIdentity) {
        values = BuildValues(name: "headers", cache: cache)
        self.programs = programs
    }

    /// The stored header of a source; ``Found/none`` also for one that the source cannot have.
    ///
    /// - Throws: ``FetchError``, ``WorkerPool/PoolError``.
    func find(_ source: SourceImage) async throws -> Found {
        if source.isNoStore {
            return unstored.withLock { $0[source.digest] }.map { .header($0) } ?? .none
        }
        let build = try await programs.programs().build
        switch try await values.find(source.digest.hex, of: build) {
        case .none: return .none
        case .outdated: return .outdated
        case .value(let bytes):
            guard let header = try? JSONDecoder().decode(ImageHeader.self, from: Data(bytes)),
                (try? header.check(against: FileFacts(fileAt: source.path))) != nil
            else { return .none }
            return .header(header)
        }
    }

    /// Records that the header of a source is still needed.
    func use(_ source: SourceImage) { values.use(source.digest.hex) }

    /// Stores the header of a source; if it must not be stored, an earlier one is removed.
    ///
    /// - Throws: ``FetchError``, ``WorkerPool/PoolError``.
    func remember(_ header: ImageHeader, of source: SourceImage) async throws {
        if source.isNoStore {
            unstored.withLock { $0[source.digest] = header }
            return try await values.remove(source.digest.hex)
        }
        let bytes = [UInt8](try JSONEncoder().encode(header))
        try await values.set(
            bytes, for: source.digest.hex, of: try await programs.programs().build)
    }
}
