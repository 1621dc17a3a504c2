internal import GRDB

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
