internal import Files
import Locks
internal import SystemPackage

/// Applies transforms to resources, each once for all callers.
struct TransformedResources: Sendable {
    /// The encoder name under which the results of transforms are stored as variants.
    private static let encoder = "transform"

    private let levels: Levels
    /// As many transforms run at the same time as the machine has processors.
    private let limit = ConcurrencyLimit(processorCount)
    private let flights = Flights<String, StoredVariant>()

    init(_ levels: Levels) { self.levels = levels }

    func cancelAll() { flights.cancelAll() }

    func close() async { await flights.close() }

    /// The result of the transform of a request; the resource itself if it has none.
    func apply(_ request: FetchRequest, to resource: Resource) async throws -> Resource {
        guard let transform = request.transform else { return resource }
        if resource.isNoStore { return try await unstored(resource, by: transform) }
        let isInMemory = request.storage == .memory
        let isShared = request.storage == .everywhere && resource.isForOthers
        let key = "\(resource.digest) \(transform.identity)\(isInMemory ? " memory" : "")"
        let made = try await flights.value(for: key) { [self] flight in
            let known =
                isInMemory
                ? variantInMemory(key)
                : try await levels.variant(
                    of: resource.digest, recipe: transform.identity, encoder: Self.encoder)
            if let known { return known }
            let output = try await output(of: transform, resource, flight)
            return isInMemory
                ? try await keepInMemory(output, of: resource, as: key)
                : try await levels.storeVariant(
                    fileAt: output, of: resource.digest, recipe: transform.identity,
                    encoder: Self.encoder, metadata: type(of: output, resource).rawValue,
                    isShared ? .all : .none)
        }
        var result = resource
        (result.digest, result.path) = (made.digest, made.path)
        (result.byteCount, result.mediaType) = (
            made.byteCount, MediaType(rawValue: made.metadata)
        )
        return result
    }

    /// The result for a source that must not be stored; it exists as long as the resource.
    private func unstored(
        _ source: Resource, by transform: Transform
    ) async throws -> Resource {
        let output = try await output(of: transform, source, nil)
        defer { removeFile(output) }
        return try await BlockingPool.shared.run { () throws(FetchError) in
            try FetchError.ofFiles {
                var resource = source
                let held = try HeldFile(keeping: output)
                (resource.digest, resource.byteCount) = try BlobDigest.ofFile(held.path)
                resource.mediaType = type(of: output, source)
                (resource.path, resource.held) = (FilePath(held.path), held)
                return resource
            }
        }
    }

    private func variantInMemory(_ key: String) -> StoredVariant? {
        guard let entry = levels.memory.entry(for: key), let path = levels.path(of: entry) else {
            return nil
        }
        return StoredVariant(
            digest: entry.digest, path: FilePath(path), byteCount: entry.byteCount,
            metadata: entry.mediaType.rawValue)
    }

    /// Keeps the result for a source that is only in memory: nothing is written to the folder's index
    /// or blobs.
    private func keepInMemory(
        _ output: String, of source: Resource, as key: String
    ) async throws -> StoredVariant {
        let blobs = levels.disk.blobs
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            do throws(FetchError) {
                return try blobs.stage(fileAt: output, mediaType: type(of: output, source))
            } catch {
                removeFile(output)
                throw error
            }
        }
        levels.memory.remember(
            Entry(
                key: key, url: source.url, finalURL: source.finalURL, digest: staged.digest,
                byteCount: staged.byteCount, mediaType: staged.mediaType,
                response: source.response, lastUse: levels.now,
                location: .memory(path: staged.path)))
        return StoredVariant(
            digest: staged.digest, path: FilePath(staged.path), byteCount: staged.byteCount,
            metadata: staged.mediaType.rawValue)
    }

    private func type(of output: String, _ source: Resource) -> MediaType {
        MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
    }

    /// Runs a transform, which writes to a temporary file.
    private func output(
        of transform: Transform, _ source: Resource, _ flight: Flight?
    ) async throws -> String {
        let output = try levels.disk.blobs.temporary.newPath()
        do {
            let result = await limit.run(for: flight) { () async -> Result<Void, any Error> in
                do {
                    return .success(try await transform.apply(source, FilePath(output)))
                } catch {
                    return .failure(error)
                }
            }
            guard let result else { throw CancellationError() }
            try result.get()
        } catch {
            removeFile(output)
            throw error
        }
        return output
    }
}
