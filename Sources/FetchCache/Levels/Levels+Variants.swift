internal import Files

/// Variants: blobs that were made from others.
extension Levels {
    /// Finds a variant; nil if there is none, or if its blob is missing or has the wrong size.
    func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> StoredVariant? {
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        if let row = try await disk.index.variant(key),
            let path = disk.blobs.path(of: row.digest, byteCount: row.byteCount)
        {
            if Touch.isDue(row.lastUse, at: now) {
                disk.index.touch(.variant(key), at: now)
                touchFile(path)
            }
            return row.stored(at: path)
        }
        for level in readOnly {
            guard let row = try? await level.index.variant(key),
                let path = level.blobs.path(of: row.digest, byteCount: row.byteCount)
            else { continue }
            return row.stored(at: path)
        }
        return nil
    }

    /// Stores a variant, and moves its file from the temporary folder.
    func storeVariant(
        fileAt path: String, of source: BlobDigest, recipe: String, encoder: String,
        metadata: String
    ) async throws(FetchError) -> StoredVariant {
        let blobs = disk.blobs
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(fileAt: path, mediaType: MediaType(rawValue: ""))
        }
        let row = VariantRow(
            digest: staged.digest, byteCount: staged.byteCount, metadata: metadata, lastUse: now)
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        return row.stored(at: try await disk.index.put(row, for: key, placing: staged, in: blobs))
    }

    /// Records that a variant is identical to its source, which must be in one of the folders.
    func storeVariant(
        sameAs source: BlobDigest, recipe: String, encoder: String, metadata: String
    ) async throws(FetchError) -> StoredVariant {
        let blobs = disk.blobs
        let places = [blobs] + readOnly.map(\.blobs)
        guard
            let store = places.first(where: { fileSize($0.layout.blob(source)) != nil }),
            let byteCount = fileSize(store.layout.blob(source))
        else { throw FetchError(.storage, blobs.layout.blob(source), "the blob does not exist") }
        var path = store.layout.blob(source)
        if store.layout.root != blobs.layout.root {
            let original = path
            path = try await BlockingPool.shared.run { () throws(FetchError) in
                try blobs.copy(from: original, source, byteCount: byteCount)
            }
        }
        let row = VariantRow(
            digest: source, byteCount: byteCount, metadata: metadata, lastUse: now)
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        guard try await disk.index.put(row, for: key, ifIn: blobs) else {
            throw FetchError(.storage, path, "the blob does not exist")
        }
        return row.stored(at: path)
    }
}
