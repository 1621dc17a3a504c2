internal import FoundationEssentials
internal import GRDB
internal import SystemPackage

extension Index {
    /// The values of many keys with the times of their last use.
    func values(
        for keys: [String], in namespace: String
    ) async throws(FetchError) -> [String: (bytes: [UInt8], lastUse: Timestamp)] {
        // One statement for all keys is several times as fast as one for each.
        let list = String(decoding: (try? JSONEncoder().encode(keys)) ?? Data(), as: UTF8.self)
        return try await lookUp { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT key, bytes, last_use FROM value
                        WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))
                        """),
                arguments: [namespace, list])
            var values: [String: (bytes: [UInt8], lastUse: Timestamp)] = [:]
            while let row = try rows.next() {
                guard let key = row.text(0), let bytes = Data.fromDatabaseValue(row[1]),
                    let lastUse = row.time(2)
                else { continue }
                values[key] = (Array(bytes), lastUse)
            }
            return values
        }
    }

    /// Writes values, replacing the previous values of their keys.
    func put(
        _ values: [String: [UInt8]], in namespace: String, at now: Timestamp
    ) async throws(FetchError) {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO value VALUES (?, ?, ?, ?)")
            for (key, bytes) in values {
                try statement.execute(
                    arguments: [namespace, key, Data(bytes), now.milliseconds])
            }
        }
    }
    func removeValues(for keys: [String], in namespace: String) async throws(FetchError) {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "DELETE FROM value WHERE namespace = ? AND key = ?")
            for key in keys { try statement.execute(arguments: [namespace, key]) }
        }
    }
}

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

/// A failure as stored in the index.
struct StoredFailure: Sendable {
    var failure: RememberedFailure
    /// The requested hosts with hashes of the credentials that were configured for them.
    var credentials: String
    /// The name of the check that refused the body; nil for another failure.
    var bodyCheck: String?
}

extension Index {
    /// All remembered failures in key order.
    func failures(at now: Timestamp) async throws(FetchError) -> [RememberedFailure] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT key, url, code, detail, status, time, until, credentials, body_check
                        FROM failure WHERE until > ? ORDER BY key
                        """),
                arguments: [now.milliseconds])
            var failures: [RememberedFailure] = []
            while let row = try rows.next() {
                if let stored = Self.failure(row, at: now) { failures.append(stored.failure) }
            }
            return failures
        }
    }

    /// Stores a failure until a given time.
    func put(
        _ error: FetchError, for key: String, credentials: String, bodyCheck: String?,
        at now: Timestamp, until: Timestamp
    ) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                key, error.url, error.code.value.rawValue, error.detail, error.status,
                now.milliseconds, until.milliseconds, credentials, bodyCheck,
            ])
        }
    }

    /// Reads a failure from the columns that begin at `start`.
    static func failure(
        _ row: some ReadableRow, from start: Int = 0, at now: Timestamp
    ) -> StoredFailure? {
        guard let key = row.text(start), let url = row.text(start + 1),
            let code = row.text(start + 2).flatMap(FetchError.Code.Value.init(rawValue:)),
            let detail = row.text(start + 3), let time = row.number(start + 5),
            let until = row.number(start + 6), let credentials = row.text(start + 7)
        else { return nil }
        var error = FetchError(.init(value: code), url, detail, status: row.number(start + 4))
        error.age = .milliseconds(max(0, now.milliseconds - Int64(time)))
        return StoredFailure(
            failure: RememberedFailure(
                key: key, error: error, until: Timestamp(milliseconds: Int64(until)).date),
            credentials: credentials, bodyCheck: row.text(start + 8))
    }
}

/// Responses whose servers no longer have the resource, and those that newer ones have replaced.
extension Index {
    /// Before an entry is written, moves the one that it replaces to the key of replaced entries, if
    /// its bytes are confirmed and others.
    ///
    /// The new bytes may turn out to be useless. A replaced entry stays until newer bytes are
    /// confirmed, so that no number of useless ones displaces it.
    ///
    /// - Returns: Whether the bytes of the entry are those that were confirmed before.
    static func keepConfirmed(of entry: Entry, in database: Database) throws -> Bool {
        let hex = try String.fetchOne(
            database.cachedStatement(
                sql: "SELECT digest FROM entry WHERE key = ? AND vary = ? AND is_confirmed = 1"),
            arguments: [entry.key, entry.response.vary])
        guard let hex else { return false }
        if hex == entry.digest.hex { return true }
        try database.cachedStatement(
            sql: "UPDATE OR REPLACE entry SET key = ? WHERE key = ? AND vary = ?"
        ).execute(arguments: [
            LoadTarget.previousKey(of: entry.key), entry.key, entry.response.vary,
        ])
        return false
    }

    /// Records that the server of an entry no longer has the resource, unless the entry was deleted
    /// or refers to another blob by now.
    ///
    /// - Parameters:
    ///   - entry: The entry with the answer of the server.
    ///   - oldKey: The present key of the entry, which gets the key of `entry`.
    ///   - now: The time of the use.
    /// - Throws: ``FetchError/Code/storage``.
    func putGone(
        _ entry: Entry, was oldKey: String, at now: Timestamp
    ) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(
                sql: """
                    UPDATE OR REPLACE entry
                    SET key = ?, gone_since = ?, gone_reason = ?, last_use = ?
                    WHERE key = ? AND vary = ? AND digest = ?
                    """
            ).execute(arguments: [
                entry.key, entry.gone?.since.milliseconds, entry.gone?.reason, now.milliseconds,
                oldKey, entry.response.vary, entry.digest.hex,
            ])
        }
    }

    /// Deletes the entries of a key that refer to a blob.
    func removeEntries(
        for key: String, of digest: BlobDigest
    ) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ? AND digest = ?")
                .execute(arguments: [key, digest.hex])
        }
    }
}
