internal import GRDB
import Locks

extension Index {
    /// The maximum number of responses per key.
    ///
    /// Without it, a `Vary` field whose value differs in every request would fill the folder.
    private static let mostAnswers = 16

    /// The entries of a key, latest response first.
    func entries(for key: String) async throws(FetchError) -> [Entry] {
        try await read { try Self.entries(for: key, in: $0) }
    }

    /// The entries of a key, latest response first, and the valid remembered failure of a target.
    func record(
        for key: String, requestKey: String, at now: Timestamp
    ) async throws(FetchError) -> (entries: [Entry], failure: StoredFailure?) {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT \(Self.failureColumns) FROM failure WHERE key = ? AND until > ?"),
                arguments: [requestKey, now.milliseconds])
            return (
                try Self.entries(for: key, in: database),
                try rows.next().flatMap { Self.failure($0, at: now) }
            )
        }
    }

    /// The entries of many keys, in the order of the keys.
    func entries(for keys: [String]) async throws(FetchError) -> [[Entry]] {
        try await read { database in try keys.map { try Self.entries(for: $0, in: database) } }
    }

    /// Updates an entry after a 304, unless it was deleted or refers to another blob by now.
    ///
    /// If the entry exists, its blob exists too: a cleaner removes the blob only after the entry.
    ///
    /// - Parameters:
    ///   - entry: The updated entry.
    ///   - vary: The previous selector of the entry.
    ///   - requestKey: The key under which a failure of the same target is remembered.
    /// - Returns: Whether the entry exists.
    /// - Throws: ``FetchError/Code/storage``.
    func renew(
        _ entry: Entry, was vary: String, requestKey: String
    ) async throws(FetchError) -> Bool {
        try await write { database in
            try database.cachedStatement(
                sql: """
                    UPDATE OR REPLACE entry SET vary = ?, fields = ?, initial_age = ?,
                    response_time = ?, fresh_until = ?, revalidate_until = ?, last_use = ?,
                    route = ?, gone_since = NULL, gone_reason = NULL
                    WHERE key = ? AND vary = ? AND digest = ?
                    """
            ).execute(arguments: [
                entry.response.vary, entry.response.fieldText, entry.response.initialAge,
                entry.response.arrival.milliseconds, entry.response.expiry.milliseconds,
                entry.response.backgroundLimit.milliseconds, entry.lastUse.milliseconds,
                entry.route.text, entry.key, vary, entry.digest.hex,
            ])
            let isThere = database.changesCount > 0
            if isThere { try Self.forgetFailure(of: requestKey, in: database) }
            return isThere
        }
    }

    /// Writes an entry, replacing an older one of the same key and selecting fields, if its blob
    /// exists.
    ///
    /// - Returns: Whether it was written.
    func put(_ entry: Entry, withBlobIn blobs: BlobStore) async throws(FetchError) -> Bool {
        try await write { database in
            guard blobs.path(of: entry.digest, byteCount: entry.byteCount) != nil,
                try !Self.hasOther(notOlderThan: entry, in: database)
            else { return false }
            try Self.put(entry, in: database)
            try Self.forgetFailure(of: entry.key, in: database)
            return true
        }
    }

    /// Adopts a blob and writes its entry in one transaction.
    ///
    /// A cleaner, which also removes blobs in transactions, cannot run in between.
    ///
    /// - Returns: The path of the blob.
    func put(
        _ entry: Entry, placing staged: StagedBlob, in blobs: BlobStore, requestKey: String
    ) async throws(FetchError) -> String {
        try await write { database in
            let path = try blobs.adopt(staged)
            try Self.put(entry, in: database)
            try Self.forgetFailure(of: requestKey, in: database)
            return path
        }
    }

    /// Whether there is an entry of the same key and selecting fields that did not arrive earlier.
    private static func hasOther(notOlderThan entry: Entry, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM entry
                    WHERE key = ? AND vary = ? AND response_time >= ?)
                    """),
            arguments: [entry.key, entry.response.vary, entry.response.arrival.milliseconds])
            ?? false
    }

    /// Writes an entry, replacing that of the same key and selector.
    private static func put(_ entry: Entry, in database: Database) throws {
        let isConfirmed = try entry.isConfirmed || keepConfirmed(of: entry, in: database)
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO entry
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.key, entry.response.vary, entry.url, entry.finalURL, entry.digest.hex,
            entry.byteCount, entry.mediaType.rawValue, entry.isImage, entry.response.version,
            entry.response.status, entry.response.fieldText, entry.response.initialAge,
            entry.response.arrival.milliseconds, entry.response.expiry.milliseconds,
            entry.response.backgroundLimit.milliseconds, entry.lastUse.milliseconds,
            entry.route.text, entry.bodyCheck, isConfirmed, entry.gone?.since.milliseconds,
            entry.gone?.reason,
        ])
        if entry.response.vary.isEmpty { return }
        try database.cachedStatement(
            sql: """
                DELETE FROM entry WHERE key = ?1 AND vary NOT IN
                (SELECT vary FROM entry WHERE key = ?1 ORDER BY response_time DESC LIMIT ?2)
                """
        ).execute(arguments: [entry.key, mostAnswers])
    }

    static func forgetFailure(of key: String, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM failure WHERE key = ?")
            .execute(arguments: [key])
    }

    /// Deletes all responses of some keys, and one remembered failure; missing ones are no error.
    ///
    /// - Returns: Whether anything was deleted.
    @discardableResult
    func removeEntries(
        for keys: [String], requestKey: String? = nil
    ) async throws(FetchError) -> Bool {
        try await write { database in
            var count = 0
            for key in keys {
                try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ?")
                    .execute(arguments: [key])
                count += database.changesCount
            }
            guard let requestKey else { return count > 0 }
            try Self.forgetFailure(of: requestKey, in: database)
            return count + database.changesCount > 0
        }
    }

    /// A page of the entries in key order.
    ///
    /// - Parameters:
    ///   - last: The last entry of the previous page; nil for the first page.
    ///   - count: The maximum number of entries of a page.
    /// - Returns: The entries; empty after the last page.
    /// - Throws: ``FetchError/Code/storage``.
    func entries(after last: Entry?, count: Int) async throws(FetchError) -> [Entry] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT \(Self.columns) FROM entry WHERE (key, vary) > (?, ?)
                        ORDER BY key, vary LIMIT ?
                        """),
                arguments: [last?.key ?? "", last?.response.vary ?? "", count])
            return try Array(rows.compactMap(Self.entry))
        }
    }

    private static func entries(for key: String, in database: Database) throws -> [Entry] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT \(columns) FROM entry WHERE key = ? ORDER BY response_time DESC, vary"),
            arguments: [key])
        return try Array(rows.compactMap(entry))
    }

    private static let columns = """
        key, vary, url, final_url, digest, byte_count, media_type, is_image, version, status, \
        fields, initial_age, response_time, fresh_until, revalidate_until, last_use, route, \
        body_check, is_confirmed, gone_since, gone_reason
        """

    private static func entry(_ row: Row) -> Entry? {
        guard let key = row.text(0), let vary = row.text(1), let url = row.text(2),
            let finalURL = row.text(3), let digest = row.digest(4), let byteCount = row.size(5),
            let type = row.text(6), let isImage = row.number(7), let version = row.text(8),
            let status = row.number(9), let fields = row.text(10), let age = row.number(11),
            let arrival = row.time(12), let expiry = row.time(13),
            let backgroundLimit = row.time(14), let lastUse = row.time(15),
            let route = row.text(16), let isConfirmed = row.number(18)
        else { return nil }
        return Entry(
            key: key, url: url, finalURL: finalURL, digest: digest, byteCount: byteCount,
            mediaType: MediaType(rawValue: type), isImage: isImage != 0,
            response: StoredResponse(
                version: version, status: status, fieldText: fields,
                arrival: arrival, expiry: expiry, backgroundLimit: backgroundLimit, vary: vary,
                initialAge: Int64(age)),
            lastUse: lastUse, route: Route(text: route), bodyCheck: row.text(17),
            isConfirmed: isConfirmed != 0, gone: gone(row))
    }

    private static func gone(_ row: Row) -> Entry.Gone? {
        guard let since = row.time(19), let reason = row.text(20) else { return nil }
        return Entry.Gone(since: since, reason: reason)
    }
}

/// A failure as stored in the index.
struct StoredFailure: Sendable {
    var failure: RememberedFailure
    /// A hash of the credentials that were configured.
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
                    sql: "SELECT \(Self.failureColumns) FROM failure WHERE until > ? ORDER BY key"),
                arguments: [now.milliseconds])
            return try Array(rows.compactMap { Self.failure($0, at: now)?.failure })
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

    private static let failureColumns =
        "key, url, code, detail, status, time, until, credentials, body_check"

    private static func failure(_ row: Row, at now: Timestamp) -> StoredFailure? {
        guard let key = row.text(0), let url = row.text(1),
            let code = row.text(2).flatMap(FetchError.Code.Value.init(rawValue:)),
            let detail = row.text(3), let time = row.number(5),
            let until = row.number(6), let credentials = row.text(7)
        else { return nil }
        var error = FetchError(.init(value: code), url, detail, status: row.number(4))
        error.age = .milliseconds(max(0, now.milliseconds - Int64(time)))
        return StoredFailure(
            failure: RememberedFailure(
                key: key, error: error, until: Timestamp(milliseconds: Int64(until)).date),
            credentials: credentials, bodyCheck: row.text(8))
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
