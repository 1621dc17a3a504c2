extension FetchCache {
    /// Finds a variant: a blob that was made of a source by a recipe.
    ///
    /// - Parameters:
    ///   - source: The blob that it was made of.
    ///   - recipe: Everything that decides the variant besides its source and the encoder.
    ///   - encoder: Names what makes variants, and its version.
    /// - Returns: nil if there is none, or if its blob is missing or has not the right size.
    /// - Throws: ``FetchError/Code/storage``.
    public func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) throws(FetchError) -> StoredVariant? {
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        guard let row = try index.variant(key),
            let path = blobs.path(of: row.digest, byteCount: row.byteCount)
        else { return nil }
        if Touch.isDue(row.lastUse, at: .now) { index.touch(.variant(key)) }
        return StoredVariant(
            digest: row.digest, path: path, byteCount: row.byteCount, metadata: row.metadata)
    }

    /// Stores a variant, which takes its file away.
    ///
    /// - Parameters:
    ///   - path: A file that ``temporaryFile()`` gave the path of.
    ///   - source: The blob that it was made of.
    ///   - recipe: Everything that decides the variant besides its source and the encoder.
    ///   - encoder: Names what makes variants, and its version.
    ///   - metadata: Given back with the variant.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` gives it from now on.
    /// - Throws: ``FetchError/Code/storage`` if there is no such file, or it cannot be moved.
    @discardableResult
    public func storeVariant(
        fileAt path: String, of source: BlobDigest, recipe: String, encoder: String,
        metadata: String = ""
    ) async throws(FetchError) -> StoredVariant {
        let staged = try blobs.stage(fileAt: path, mediaType: MediaType(rawValue: ""))
        let blob = try blobs.adopt(staged)
        return try await storeVariant(
            digest: staged.digest, path: blob, byteCount: staged.byteCount,
            VariantKey(source: source, recipe: recipe, encoder: encoder), metadata)
    }

    /// Remembers that a variant is the source itself, without any change.
    ///
    /// - Parameters:
    ///   - source: The blob, which has to be in the cache.
    ///   - recipe: Everything that decides the variant besides its source and the encoder.
    ///   - encoder: Names what makes variants, and its version.
    ///   - metadata: Given back with the variant.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` gives it from now on.
    /// - Throws: ``FetchError/Code/storage`` if there is no such blob.
    @discardableResult
    public func storeVariant(
        sameAs source: BlobDigest, recipe: String, encoder: String, metadata: String = ""
    ) async throws(FetchError) -> StoredVariant {
        let path = blobs.layout.blob(source)
        guard let byteCount = FileSystem.size(of: path) else {
            throw FetchError(.storage, path, "there is no such blob")
        }
        return try await storeVariant(
            digest: source, path: path, byteCount: byteCount,
            VariantKey(source: source, recipe: recipe, encoder: encoder), metadata)
    }

    /// The path of a file that is not there yet, in the file system of the cache.
    ///
    /// Its folder is this cache's own, and is removed by ``close()``, or by the next cache that is
    /// opened there if the process dies.
    public func temporaryFile() throws(FetchError) -> String {
        try blobs.temporary.newPath()
    }

    private func storeVariant(
        digest: BlobDigest, path: String, byteCount: Int, _ key: VariantKey, _ metadata: String
    ) async throws(FetchError) -> StoredVariant {
        try await index.put(
            VariantRow(digest: digest, byteCount: byteCount, metadata: metadata, lastUse: .now),
            for: key)
        return StoredVariant(
            digest: digest, path: path, byteCount: byteCount, metadata: metadata)
    }
}
