internal import Files
import Locks
internal import SystemPackage

extension FetchCache {
    /// The encoder name under which the results of transforms are stored as variants.
    private static let encoder = "transform"

    /// The result of applying a transform to a resource.
    ///
    /// It is made once for all callers.
    func transformed(_ source: Resource, by transform: Transform) async throws -> Resource {
        if source.isNoStore { return try await transformedUnstored(source, by: transform) }
        let digest = source.digest
        let key = "\(digest) \(transform.identity)"
        let made: StoredVariant
        if let stored = try variant(of: digest, recipe: transform.identity, encoder: Self.encoder) {
            made = stored
        } else {
            made = try await transforms.value(for: key) {
                let output = try self.blobs.temporary.newPath()
                do {
                    try await transform.apply(source, FilePath(output))
                } catch {
                    removeFile(output)
                    throw error
                }
                let type = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
                return try await self.storeVariant(
                    fileAt: FilePath(output), of: digest, recipe: transform.identity,
                    encoder: Self.encoder,
                    metadata: type.rawValue)
            }
        }
        var resource = source
        resource.digest = made.digest
        resource.path = made.path
        resource.byteCount = made.byteCount
        resource.mediaType = MediaType(rawValue: made.metadata)
        return resource
    }

    /// The same for a resource that must not be stored; the result exists as long as the resource.
    private func transformedUnstored(
        _ source: Resource, by transform: Transform
    ) async throws -> Resource {
        let output = try blobs.temporary.newPath()
        defer { removeFile(output) }
        try await transform.apply(source, FilePath(output))
        return try await BlockingPool.shared.run { () throws(FetchError) in
            try FetchError.ofFiles {
                var resource = source
                let held = try HeldFile(keeping: output)
                (resource.digest, resource.byteCount) = try BlobDigest.ofFile(held.path)
                resource.mediaType = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
                (resource.path, resource.held) = (FilePath(held.path), held)
                return resource
            }
        }
    }

    /// The same for a resource that is only in memory: nothing is written to the folder's index or
    /// blobs.
    func transformedInMemory(
        _ source: Resource, by transform: Transform
    ) async throws -> Resource {
        if source.isNoStore { return try await transformedUnstored(source, by: transform) }
        let key = "\(source.digest) \(transform.identity) memory"
        if let entry = memory.withLock({ $0[key] }), let path = path(of: entry) {
            return source.replaced(by: entry, at: path)
        }
        let output = try blobs.temporary.newPath()
        let blobs = self.blobs
        let staged: StagedBlob
        do {
            try await transform.apply(source, FilePath(output))
            staged = try await BlockingPool.shared.run { () throws(FetchError) in
                let type = MediaTypeSniffer.type(ofFileAt: output) ?? source.mediaType
                return try blobs.stage(fileAt: output, mediaType: type)
            }
        } catch {
            removeFile(output)
            throw error
        }
        let entry = Entry(
            key: key, url: source.url, finalURL: source.finalURL, digest: staged.digest,
            byteCount: staged.byteCount, mediaType: staged.mediaType, response: source.response,
            lastUse: now, location: .memory(path: staged.path))
        remember(entry)
        return source.replaced(by: entry, at: staged.path)
    }
}

extension Resource {
    /// A copy of this resource with the bytes of the transformed entry.
    fileprivate func replaced(by entry: Entry, at path: String) -> Resource {
        var resource = self
        (resource.digest, resource.path) = (entry.digest, FilePath(path))
        (resource.byteCount, resource.mediaType) = (entry.byteCount, entry.mediaType)
        return resource
    }
}
