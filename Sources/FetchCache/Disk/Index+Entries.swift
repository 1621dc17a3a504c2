internal import GRDB

extension Index {
    /// The entry of a key.
    func entry(for key: String) async throws(FetchError) -> Entry? {
        try await read { try Self.entry(for: key, in: $0) }
    }

    /// The entry of a key, and the failure that is remembered of it and holds.
    func record(
        for key: String, at now: Timestamp
    ) async throws(FetchError) -> (entry: Entry?, failure: RememberedFailure?) {
        try await read { database in
            let statement = try database.cachedStatement(sql: Self.recordQuery)
            let record = try Self.first(statement, [key, now.milliseconds]) { row in
                (Self.entry(row), Self.failure(row, from: Self.columnCount, at: now))
            }
            return record ?? (nil, nil)
        }
    }

    /// One query for both: each takes SQLite's lock and leaves it.
    private static let recordQuery = """
        SELECT entry.*, failure.* FROM (SELECT ? AS key, ? AS now) AS asked
        LEFT JOIN entry ON entry.key = asked.key
        LEFT JOIN failure ON failure.key = asked.key AND failure.until > asked.now
        """

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

    /// Writes what a 304 has changed of an entry, unless that is gone or leads to another blob by now.
    ///
    /// Where it is there its blob is too: a cleaner removes that only after the entry.
    ///
    /// - Returns: Whether it is.
    func renew(_ entry: Entry) async throws(FetchError) -> Bool {
        try await write { database in
            try database.cachedStatement(
                sql: """
                    UPDATE entry SET fields = ?, vary = ?, response_time = ?, fresh_until = ?,
                    revalidate_until = ?, last_use = ? WHERE key = ? AND digest = ?
                    """
            ).execute(arguments: [
                entry.response.fieldText, entry.response.vary, entry.response.responseTime,
                entry.response.freshUntil, entry.response.revalidateUntil,
                entry.lastUse.milliseconds, entry.key, entry.digest.hex,
            ])
            let isThere = database.changesCount > 0
            if isThere { try Self.forgetFailure(of: entry.key, in: database) }
            return isThere
        }
    }

    /// Writes an entry over what its key had, if its blob is there.
    ///
    /// - Returns: Whether it is.
    func put(_ entry: Entry, withBlobIn blobs: BlobStore) async throws(FetchError) -> Bool {
        try await write { database in
            guard blobs.path(of: entry.digest, byteCount: entry.byteCount) != nil else {
                return false
            }
            try Self.put(entry, in: database)
            return true
        }
    }

    /// Gives a blob its place and writes the entry that leads to it, in one transaction: so a cleaner,
    /// which removes blobs in transactions too, does not come between the two.
    ///
    /// - Returns: The path of the blob.
    func put(
        _ entry: Entry, placing staged: StagedBlob, in blobs: BlobStore
    ) async throws(FetchError) -> String {
        try await write { database in
            let path = try blobs.adopt(staged)
            try Self.put(entry, in: database)
            return path
        }
    }

    /// Writes an entry over whatever its key had, and forgets that it ever failed.
    private static func put(_ entry: Entry, in database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            entry.key, entry.url, entry.finalURL, entry.digest.hex, entry.byteCount,
            entry.mediaType.rawValue, entry.response.version, entry.response.status,
            entry.response.fieldText, entry.response.vary, entry.response.responseTime,
            entry.response.freshUntil, entry.response.revalidateUntil,
            entry.lastUse.milliseconds,
        ])
        try forgetFailure(of: entry.key, in: database)
    }

    private static func forgetFailure(of key: String, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM failure WHERE key = ?")
            .execute(arguments: [key])
    }

    /// Forgets a key; one that is not there is no error.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    func removeEntry(for key: String) async throws(FetchError) -> Bool {
        try await write { database in
            try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ?")
                .execute(arguments: [key])
            return database.changesCount > 0
        }
    }

    /// Entries in the order of their keys, in pages.
    ///
    /// - Parameters:
    ///   - key: The last one of the page before; empty for the first page.
    ///   - count: The most entries of a page.
    /// - Returns: The entries; none after the last page.
    /// - Throws: ``FetchError/Code/storage``.
    func entries(after key: String, count: Int) async throws(FetchError) -> [Entry] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT \(Self.columns) FROM entry WHERE key > ? ORDER BY key LIMIT ?"),
                arguments: [key, count])
            var entries: [Entry] = []
            while let row = try rows.next() {
                if let entry = Self.entry(row) { entries.append(entry) }
            }
            return entries
        }
    }

    private static let columns = """
        key, url, final_url, digest, byte_count, media_type, version, status, fields, vary, \
        response_time, fresh_until, revalidate_until, last_use
        """
    private static let columnCount = 14

    private static func entry(for key: String, in database: Database) throws -> Entry? {
        let statement = try database.cachedStatement(
            sql: "SELECT \(columns) FROM entry WHERE key = ?")
        return try first(statement, [key]) { entry($0) }
    }

    private static func entry(_ row: some ReadableRow) -> Entry? {
        guard let key = row.text(0), let url = row.text(1), let finalURL = row.text(2),
            let digest = row.digest(3), let byteCount = row.size(4), let type = row.text(5),
            let version = row.text(6), let status = row.number(7), let fields = row.text(8),
            let vary = row.text(9), let responseTime = row.time(10),
            let freshUntil = row.time(11), let revalidateUntil = row.time(12),
            let lastUse = row.time(13)
        else { return nil }
        return Entry(
            key: key, url: url, finalURL: finalURL, digest: digest, byteCount: byteCount,
            mediaType: MediaType(rawValue: type),
            response: StoredResponse(
                version: version, status: status, fieldText: fields,
                responseTime: responseTime.milliseconds, freshUntil: freshUntil.milliseconds,
                revalidateUntil: revalidateUntil.milliseconds, vary: vary),
            lastUse: lastUse)
    }
}
