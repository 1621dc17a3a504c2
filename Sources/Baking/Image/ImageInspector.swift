import FetchCache
import FoundationEssentials
import Locks
import Recipes

/// The headers of sources; a worker reads each once, and the cache stores it.
struct ImageInspector: Sendable {
    /// The namespace of the stored headers, with a version.
    ///
    /// Increase the version when a change of the code gives another header or verdict for the same
    /// bytes.
    private static let namespace = "headers-v6"

    let cache: FetchCache
    let jobs: WorkerJobs
    /// The headers of sources that must not be stored, for the time of the bake.
    private let unstored = Locked<[BlobDigest: ImageHeader]>([:])

    init(cache: FetchCache, jobs: WorkerJobs) {
        self.cache = cache
        self.jobs = jobs
    }

    /// The header of a source.
    ///
    /// - Throws: ``Problem`` if it is not an image; ``WorkerPool/Failure``; ``FetchError``.
    func header(of source: SourceImage) async throws -> ImageHeader {
        if let header = try recall(source) { return header }
        guard case .header(let header) = try await jobs.perform(.probe, on: source) else {
            throw Problem(.workerFailed, "unexpected reply from the image worker")
        }
        try await remember(header, of: source)
        return header
    }

    /// The stored header of a source; nil if there is none, or one that this source cannot have.
    func recall(_ source: SourceImage) throws(FetchError) -> ImageHeader? {
        if source.isNoStore { return unstored.withLock { $0[source.digest] } }
        guard let bytes = try cache.value(for: source.digest.hex, in: Self.namespace) else {
            return nil
        }
        guard let header = try? JSONDecoder().decode(ImageHeader.self, from: Data(bytes)),
            (try? header.check(against: FileFacts(fileAt: source.path))) != nil
        else { return nil }
        return header
    }

    /// Records that the header of a source is still needed.
    func use(_ source: SourceImage) {
        cache.useValue(for: source.digest.hex, in: Self.namespace)
    }

    /// Stores the header of a source; if it must not be stored, an earlier one is removed.
    func remember(_ header: ImageHeader, of source: SourceImage) async throws {
        if source.isNoStore {
            unstored.withLock { $0[source.digest] = header }
            return try await cache.removeValues(for: [source.digest.hex], in: Self.namespace)
        }
        let bytes = [UInt8](try JSONEncoder().encode(header))
        try await cache.setValues([source.digest.hex: bytes], in: Self.namespace)
    }
}
