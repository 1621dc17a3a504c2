internal import GRDB
internal import SystemPackage

/// The index data of a variant.
struct VariantRow: Sendable, Hashable {
    var digest: BlobDigest
    var byteCount: Int
    var metadata: String
    var lastUse: Timestamp

    func stored(at path: String) -> StoredVariant {
        StoredVariant(
            digest: digest, path: FilePath(path), byteCount: byteCount, metadata: metadata)
    }
}

extension Index {
    func variant(_ key: VariantKey) async throws(FetchError) -> VariantRow? {
        try await lookUp { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT digest, byte_count, metadata, last_use FROM variant
                    WHERE source = ? AND recipe = ? AND encoder = ?
                    """)
            return try Self.first(statement, [key.source.hex, key.recipe, key.encoder]) { row in
                guard let digest = row.digest(0), let byteCount = row.size(1),
                    let metadata = row.text(2), let lastUse = row.time(3)
                else { return nil }
                return VariantRow(
                    digest: digest, byteCount: byteCount, metadata: metadata, lastUse: lastUse)
            }
        }
    }

    /// Writes a variant whose blob exists already.
    ///
    /// - Returns: Whether the blob exists.
    func put(
        _ variant: VariantRow, for key: VariantKey, ifIn blobs: BlobStore
    ) async throws(FetchError) -> Bool {
        try await write { database in
            guard blobs.path(of: variant.digest, byteCount: variant.byteCount) != nil else {
                return false
            }
            try Self.put(variant, for: key, in: database)
            return true
        }
    }

    /// Adopts a blob and writes its variant in one transaction.
    ///
    /// - Returns: The path of the blob.
    func put(
        _ variant: VariantRow, for key: VariantKey, placing staged: StagedBlob, in blobs: BlobStore
    ) async throws(FetchError) -> String {
        try await write { database in
            let path = try blobs.adopt(staged)
            try Self.put(variant, for: key, in: database)
            return path
        }
    }

    private static func put(
        _ variant: VariantRow, for key: VariantKey, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO variant VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            key.source.hex, key.recipe, key.encoder, variant.digest.hex, variant.byteCount,
            variant.metadata, variant.lastUse.milliseconds,
        ])
    }
}

/// The key of a variant: equal keys give the same bytes.
struct VariantKey: Hashable, Sendable {
    var source: BlobDigest
    var recipe: String
    var encoder: String
}
