internal import GRDB

extension Index {
    /// The entry of a key.
    func entry(for key: String) async throws(FetchError) -> Entry? {
        try await read { try Self.entry(for: key, in: $0) }
    }

    /// The entries of many keys, in their order, read at once on the caller's thread.
    func entries(for keys: [String]) throws(FetchError) -> [Entry?] {
        try read { database in
            // One transaction, or SQLite takes and leaves its lock for each key.
            var entries: [Entry?] = []
            try database.inTransaction(.deferred) {
                entries = try keys.map { try Self.entry(for: $0, in: database) }
                return .commit
            }
            return entries
        }
    }

    /// Writes an entry over whatever its key had.
    func put(_ entry: Entry) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                entry.key, entry.finalURL, entry.digest.hex, entry.byteCount,
                entry.mediaType.rawValue, entry.status, entry.fieldText,
                entry.responseTime.milliseconds, entry.freshUntil.milliseconds,
                entry.lastUse.milliseconds,
            ])
        }
    }

    /// Forgets a key; one that is not there is no error.
    func removeEntry(for key: String) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ?")
                .execute(arguments: [key])
        }
    }

    private static func entry(for key: String, in database: Database) throws -> Entry? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT final_url, digest, byte_count, media_type, status, fields, response_time,
                fresh_until, last_use FROM entry WHERE key = ?
                """)
        return try first(statement, [key]) { row in
            guard let digest = BlobDigest(hex: row[1]) else { return nil }
            return Entry(
                key: key, finalURL: row[0], digest: digest, byteCount: row[2],
                mediaType: MediaType(rawValue: row[3]), status: row[4], fieldText: row[5],
                responseTime: Timestamp(milliseconds: row[6]),
                freshUntil: Timestamp(milliseconds: row[7]),
                lastUse: Timestamp(milliseconds: row[8]))
        }
    }
}
