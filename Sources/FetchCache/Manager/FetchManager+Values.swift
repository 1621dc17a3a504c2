package import Files
package import SystemPackage

extension FetchManager {
    /// Returns small values that the caller has stored, by their keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, which are all looked up in one transaction.
    ///   - namespace: Separates the keys of one purpose from those of another.
    /// - Returns: The values; a key without a value is left out.
    /// - Throws: ``FetchError/Code/storage``.
    package func values(
        for keys: [String], in namespace: String
    ) async throws(FetchError) -> [String: [UInt8]] {
        try await levels.values(for: keys, in: namespace)
    }

    /// Returns one value that the caller has stored; nil if there is none.
    package func value(
        for key: String, in namespace: String
    ) async throws(FetchError) -> [UInt8]? {
        try await values(for: [key], in: namespace)[key]
    }

    /// Records the use of a value, without a look-up.
    package func useValue(for key: String, in namespace: String) {
        levels.disk.index.touch(.value(namespace: namespace, key: key), at: levels.now)
    }

    /// Stores small values in one transaction, replacing the previous values of their keys.
    ///
    /// - Parameters:
    ///   - values: The values by their keys, each of a few kilobytes at most.
    ///   - namespace: Separates the keys of one purpose from those of another.
    /// - Throws: ``FetchError/Code/storage``, in which case none of the values is stored.
    package func setValues(
        _ values: [String: [UInt8]], in namespace: String
    ) async throws(FetchError) {
        if values.isEmpty { return }
        try await levels.disk.index.put(values, in: namespace, at: levels.now)
    }

    /// Removes small values in one transaction.
    ///
    /// - Parameters:
    ///   - keys: The keys; one without a value is not an error.
    ///   - namespace: The namespace of the keys.
    /// - Throws: ``FetchError/Code/storage``.
    package func removeValues(for keys: [String], in namespace: String) async throws(FetchError) {
        if keys.isEmpty { return }
        try await levels.disk.index.removeValues(for: keys, in: namespace)
    }
}

extension FetchManager {
    /// Finds a variant: a blob that was made from a source with a recipe.
    ///
    /// - Parameters:
    ///   - source: The blob that the variant was made from.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    /// - Returns: The variant; nil if there is none, or if its blob is missing or has the wrong
    ///   size.
    /// - Throws: ``FetchError/Code/storage``.
    package func variant(
        of source: BlobDigest, recipe: String, encoder: String
    ) async throws(FetchError) -> StoredVariant? {
        try await levels.variant(of: source, recipe: recipe, encoder: encoder)
    }

    /// The text that is stored with a variant in a level of another machine; nil if there is none.
    ///
    /// The bytes of the variant stay where they are.
    package func variantMetadata(
        of source: BlobDigest, recipe: String, encoder: String
    ) async -> String? {
        await levels.variantMetadata(of: source, recipe: recipe, encoder: encoder)
    }

    /// Whether what is stored is also written to a level of another machine.
    package var isShared: Bool { levels.lower.contains { $0.abilities.contains(.write) } }

    /// Whether a store of other machines also gets what this machine had already.
    package var isFilling: Bool { levels.isFilling }

    /// Fills such stores with a variant that was found.
    package func fill(
        _ variant: StoredVariant, of source: BlobDigest, recipe: String, encoder: String
    ) async {
        let row = VariantRow(
            digest: variant.digest, byteCount: variant.byteCount, metadata: variant.metadata,
            lastUse: levels.now)
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        await levels.fill(row, for: key, at: variant.path.string)
    }

    /// Gives a text about a source to the levels of other machines, as a variant that is the source.
    ///
    /// - Parameters:
    ///   - metadata: The text.
    ///   - source: The source.
    ///   - byteCount: Its length in bytes.
    ///   - path: The path of its file.
    ///   - recipe: The name of the text.
    ///   - encoder: The name and version of the software that made it.
    ///   - sharing: Which levels get it.
    package func share(
        _ metadata: String, of source: BlobDigest, byteCount: Int, at path: FilePath,
        recipe: String, encoder: String, _ sharing: Sharing
    ) async {
        let row = VariantRow(
            digest: source, byteCount: byteCount, metadata: metadata, lastUse: levels.now)
        let key = VariantKey(source: source, recipe: recipe, encoder: encoder)
        await levels.share(row, for: key, at: path.string, sharing)
    }

    /// Records the use of a variant, without a look-up.
    ///
    /// - Parameters:
    ///   - source: The blob that the variant was made from.
    ///   - prefix: The first hexadecimal digits of the variant's digest.
    package func useVariant(of source: BlobDigest, named prefix: String) {
        levels.disk.index.touch(.variantNamed(source: source, prefix: prefix), at: levels.now)
    }

    /// Stores a variant and moves its file into the cache.
    ///
    /// - Parameters:
    ///   - path: A file at a path that ``temporaryFile()`` has returned.
    ///   - source: The blob that the variant was made from.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    ///   - metadata: A text that is returned with the variant.
    ///   - sharing: Which levels of other machines get it too; none by default.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` returns it from now on.
    /// - Throws: ``FetchError/Code/storage`` if the file does not exist or cannot be moved.
    @discardableResult
    package func storeVariant(
        fileAt path: FilePath, of source: BlobDigest, recipe: String, encoder: String,
        metadata: String = "", sharing: Sharing = .none
    ) async throws(FetchError) -> StoredVariant {
        try await levels.storeVariant(
            fileAt: path.string, of: source, recipe: recipe, encoder: encoder, metadata: metadata,
            sharing)
    }

    /// Records that a variant is identical to its source.
    ///
    /// - Parameters:
    ///   - source: The blob, which must be in the cache.
    ///   - recipe: Everything that determines the variant except its source and the encoder.
    ///   - encoder: The name and version of the software that makes variants.
    ///   - metadata: A text that is returned with the variant.
    ///   - sharing: Which levels of other machines get it too; none by default.
    /// - Returns: The variant, as ``variant(of:recipe:encoder:)`` returns it from now on.
    /// - Throws: ``FetchError/Code/storage`` if the blob does not exist.
    @discardableResult
    package func storeVariant(
        sameAs source: BlobDigest, recipe: String, encoder: String, metadata: String = "",
        sharing: Sharing = .none
    ) async throws(FetchError) -> StoredVariant {
        try await levels.storeVariant(
            sameAs: source, recipe: recipe, encoder: encoder, metadata: metadata, sharing)
    }

    /// Returns an unused file path in the file system of the cache.
    ///
    /// Its folder belongs to this cache object. ``close()`` removes it, or, if the process dies,
    /// the next cache that is opened there.
    package func temporaryFile() throws(FetchError) -> FilePath {
        FilePath(try levels.disk.blobs.temporary.newPath())
    }

    /// A new file without a name in the file system of the cache.
    package func heldFile() throws(FetchError) -> HeldFile {
        try levels.disk.blobs.temporary.newHeldFile()
    }
}
