package import Files
public import SystemPackage

extension FetchCache {
    /// Finds a variant: a blob that was made from a source with a recipe.
    ///
    /// - Parameters:
    ///   - source: The blob that the variant was made from.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    /// - Returns: The variant; nil if there is none, or if its blob is missing or has the wrong
    ///   size.
    /// - Throws: ``FetchError/Code/storage``.
    public func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) throws(FetchError) -> StoredVariant? {
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        if let row = try index.variant(key),
            let path = blobs.path(of: row.digest, byteCount: row.byteCount)
        {
            if Touch.isDue(row.lastUse, at: now) {
                index.touch(.variant(key), at: now)
                touchFile(path)
            }
            return row.stored(at: path)
        }
        for fallback in fallbacks {
            guard let row = try? fallback.index.variant(key),
                let path = fallback.blobs.path(of: row.digest, byteCount: row.byteCount)
            else { continue }
            return row.stored(at: path)
        }
        return nil
    }

    /// Records the use of a variant, without a look-up.
    ///
    /// - Parameters:
    ///   - source: The blob that the variant was made from.
    ///   - prefix: The first hexadecimal digits of the variant's digest.
    package func useVariant(of source: BlobDigest, named prefix: String) {
        index.touch(.variantNamed(source: source, prefix: prefix), at: now)
    }

    /// Stores a variant and moves its file into the cache.
    ///
    /// - Parameters:
    ///   - path: A file at a path that ``temporaryFile()`` has returned.
    ///   - source: The blob that the variant was made from.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    ///   - metadata: A text that is returned with the variant.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` returns it from now on.
    /// - Throws: ``FetchError/Code/storage`` if the file does not exist or cannot be moved.
    @discardableResult
    public func storeVariant(
        fileAt path: FilePath, of source: BlobDigest, recipe: String, encoder: String,
        metadata: String = ""
    ) async throws(FetchError) -> StoredVariant {
        let blobs = self.blobs
        let staged = try await BlockingPool.shared.run { () throws(FetchError) in
            try blobs.stage(fileAt: path.string, mediaType: MediaType(rawValue: ""))
        }
        let row = VariantRow(
            digest: staged.digest, byteCount: staged.byteCount, metadata: metadata, lastUse: now)
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        return row.stored(at: try await index.put(row, for: key, placing: staged, in: blobs))
    }

    /// Records that a variant is identical to its source.
    ///
    /// - Parameters:
    ///   - source: The blob, which must be in the cache.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    ///   - metadata: A text that is returned with the variant.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` returns it from now on.
    /// - Throws: ``FetchError/Code/storage`` if the blob does not exist.
    @discardableResult
    public func storeVariant(
        sameAs source: BlobDigest, recipe: String, encoder: String, metadata: String = ""
    ) async throws(FetchError) -> StoredVariant {
        let places = [blobs] + fallbacks.map(\.blobs)
        guard
            let store = places.first(where: { fileSize($0.layout.blob(source)) != nil }),
            let byteCount = fileSize(store.layout.blob(source))
        else { throw FetchError(.storage, blobs.layout.blob(source), "the blob does not exist") }
        var path = store.layout.blob(source)
        if store.layout.root != blobs.layout.root {
            let (blobs, original) = (self.blobs, path)
            path = try await BlockingPool.shared.run { () throws(FetchError) in
                try blobs.copy(from: original, source, byteCount: byteCount)
            }
        }
        let row = VariantRow(
            digest: source, byteCount: byteCount, metadata: metadata, lastUse: now)
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        guard try await index.put(row, for: key, ifIn: blobs) else {
            throw FetchError(.storage, path, "the blob does not exist")
        }
        return row.stored(at: path)
    }

    /// Returns an unused file path in the file system of the cache.
    ///
    /// Its folder belongs to this cache object. ``close()`` removes it, or, if the process dies,
    /// the next cache that is opened there.
    public func temporaryFile() throws(FetchError) -> FilePath {
        FilePath(try blobs.temporary.newPath())
    }
    /// A new file without a name in the file system of the cache.
    package func heldFile() throws(FetchError) -> HeldFile { try blobs.temporary.newHeldFile() }
}
