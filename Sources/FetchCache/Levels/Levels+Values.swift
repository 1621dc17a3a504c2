internal import Files
package import SystemPackage

/// Variants: blobs that were made from others.
extension Levels {
    /// Finds a variant; nil if there is none, or if its blob is missing or has the wrong size.
    ///
    /// A blob of another machine is copied to the cache's own folder, and recorded there.
    func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> StoredVariant? {
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        if let (variant, lastUse) = try await disk.index.variant(key),
            let path = disk.blobs.path(of: variant.digest, byteCount: variant.byteCount)
        {
            if Touch.isDue(lastUse, at: now) {
                disk.index.touch(.variant(key), at: now)
                touchFile(path)
            }
            return variant.stored(at: path)
        }
        for level in lower {
            let found = try? await level.variant(of: source, recipe: recipe, encoder: encoder)
            guard let found, let stored = await located(found, in: level) else { continue }
            return stored
        }
        return nil
    }

    private func located(
        _ variant: LevelVariant, in level: any CacheLevel
    ) async -> StoredVariant? {
        let found = await blob(
            variant.digest, variant.byteCount, MediaType(rawValue: ""), in: level)
        guard let staged = found?.staged else { return found.map { variant.stored(at: $0.path) } }
        let path = try? await disk.index.put(variant, at: now, placing: staged, in: disk.blobs)
        return path.map(variant.stored)
    }

    /// Stores a variant, and moves its file from the temporary folder.
    func storeVariant(
        fileAt path: String, of source: BlobDigest, recipe: String, encoder: String,
        metadata: String, _ sharing: Sharing
    ) async throws(FetchError) -> StoredVariant {
        let blobs = disk.blobs
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(fileAt: path, mediaType: MediaType(rawValue: ""))
        }
        let variant = LevelVariant(
            source: source, recipe: recipe, encoder: encoder, digest: staged.digest,
            byteCount: staged.byteCount, metadata: metadata)
        let place = try await disk.index.put(variant, at: now, placing: staged, in: blobs)
        await share(variant, at: place, sharing)
        return variant.stored(at: place)
    }

    /// Records that a variant is identical to its source, which must be in one of the folders.
    func storeVariant(
        sameAs source: BlobDigest, recipe: String, encoder: String, metadata: String,
        _ sharing: Sharing
    ) async throws(FetchError) -> StoredVariant {
        let blobs = disk.blobs
        let path = blobs.layout.blob(source)
        let places = [path] + readOnly.map { $0.blobs.layout.blob(source) }
        guard let place = places.first(where: { fileSize($0) != nil }),
            let byteCount = fileSize(place)
        else { throw FetchError(.storage, path, "the blob does not exist") }
        if place != path {
            _ = try await BlockingPool.shared.run { () throws(FetchError) in
                try blobs.copy(from: place, source, byteCount: byteCount)
            }
        }
        let variant = LevelVariant(
            source: source, recipe: recipe, encoder: encoder, digest: source,
            byteCount: byteCount, metadata: metadata)
        guard try await disk.index.put(variant, at: now, ifIn: blobs) else {
            throw FetchError(.storage, path, "the blob does not exist")
        }
        await share(variant, at: path, sharing)
        return variant.stored(at: path)
    }

    /// Writes a variant to the levels below the disk level that may get it.
    func share(_ variant: LevelVariant, at path: String, _ sharing: Sharing) async {
        if sharing == .fill { return await fill(variant, at: path) }
        for level in written(isForOthers: sharing == .all) {
            await logged { () async throws(FetchError) in
                try await level.store(variant, blobAt: FilePath(path))
            }
        }
    }
}

/// A stored blob that was made from a source with a recipe.
package struct StoredVariant: Sendable, Hashable {
    /// The SHA-256 of the variant's bytes.
    package var digest: BlobDigest
    /// The absolute path of the blob, a read-only file that never changes.
    package var path: FilePath
    /// The length of the blob in bytes.
    package var byteCount: Int
    /// The text that the caller stored with the variant.
    package var metadata: String
}
