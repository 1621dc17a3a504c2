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
            let statement = try database.cachedStatement(sql: Self.recordQuery)
            let rows = try DatabaseValue.fetchCursor(
                statement, arguments: [key, requestKey, now.milliseconds])
            var entries: [Entry] = []
            var failure: StoredFailure?
            while try rows.next() != nil {
                if failure == nil {
                    failure = Self.failure(statement, from: Self.columnCount, at: now)
                }
                if let entry = Self.entry(statement) { entries.append(entry) }
            }
            if entries.count > 1 { entries.sort(by: Self.isLater) }
            return (entries, failure)
        }
    }

    /// One query for both, because each query acquires and releases SQLite's lock.
    private static let recordQuery = """
        SELECT entry.*, failure.*
        FROM (SELECT ? AS key, ? AS failure_key, ? AS now) AS asked
        LEFT JOIN entry ON entry.key = asked.key
        LEFT JOIN failure ON failure.key = asked.failure_key AND failure.until > asked.now
        """

    /// The entries of many keys, in the order of the keys, read synchronously on the caller's
    /// thread.
    func entries(for keys: [String]) throws(FetchError) -> [[Entry]] {
        try readBlocking { database in
            // One transaction: otherwise SQLite acquires and releases its lock for each key.
            var entries: [[Entry]] = []
            try database.inTransaction(.deferred) {
                entries = try keys.map { try Self.entries(for: $0, in: database) }
                return .commit
            }
            return entries
        }
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
            var entries: [Entry] = []
            while let row = try rows.next() {
                if let entry = Self.entry(row) { entries.append(entry) }
            }
            return entries
        }
    }

    private static func entries(for key: String, in database: Database) throws -> [Entry] {
        let statement = try database.cachedStatement(
            sql: "SELECT \(columns) FROM entry WHERE key = ?")
        let rows = try DatabaseValue.fetchCursor(statement, arguments: [key])
        var entries: [Entry] = []
        while try rows.next() != nil {
            if let entry = entry(statement) { entries.append(entry) }
        }
        return entries.count > 1 ? entries.sorted(by: isLater) : entries
    }

    private static func isLater(_ left: Entry, _ right: Entry) -> Bool {
        left.response.arrival > right.response.arrival
    }

    private static let columns = """
        key, vary, url, final_url, digest, byte_count, media_type, is_image, version, status, \
        fields, initial_age, response_time, fresh_until, revalidate_until, last_use, route, \
        body_check, is_confirmed, gone_since, gone_reason
        """
    private static let columnCount = 21

    private static func entry(_ row: some ReadableRow) -> Entry? {
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

    private static func gone(_ row: some ReadableRow) -> Entry.Gone? {
        guard let since = row.time(19), let reason = row.text(20) else { return nil }
        return Entry.Gone(since: since, reason: reason)
    }
}

/// A use of something in the index.
enum Touch: Hashable, Sendable {
    case entry(key: String)
    case variant(VariantKey)
    case value(namespace: String, key: String)
    /// The check of this name has accepted the blob of an entry.
    case check(key: String, digest: BlobDigest, name: String)
    /// The bytes of an entry were confirmed, so the entry that it replaced is not needed any more.
    case confirmation(key: String, digest: BlobDigest)
    /// A variant whose digest begins with some hexadecimal digits.
    case variantNamed(source: BlobDigest, prefix: String)

    /// The minimum time in milliseconds between two recorded uses.
    ///
    /// A build that follows a few minutes after the last and needs nothing new writes nothing.
    static let granularity: Int64 = 600_000

    static func isDue(_ lastUse: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds - lastUse.milliseconds > granularity
    }

    func write(to database: Database, at now: Timestamp) throws {
        switch self {
        case .entry(let key):
            try database.cachedStatement(sql: "UPDATE entry SET last_use = ? WHERE key = ?")
                .execute(arguments: [now.milliseconds, key])
        case .variant(let key):
            try database.cachedStatement(
                sql: """
                    UPDATE variant SET last_use = ?
                    WHERE source = ? AND recipe = ? AND encoder = ?
                    """
            ).execute(arguments: [now.milliseconds, key.source.hex, key.recipe, key.encoder])
        case .check(let key, let digest, let name):
            try database.cachedStatement(
                sql: "UPDATE entry SET body_check = ? WHERE key = ? AND digest = ?"
            ).execute(arguments: [name, key, digest.hex])
        case .confirmation(let key, let digest):
            try database.cachedStatement(
                sql: "UPDATE entry SET is_confirmed = 1 WHERE key = ? AND digest = ?"
            ).execute(arguments: [key, digest.hex])
            if database.changesCount == 0 { return }
            try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ?")
                .execute(arguments: [LoadTarget.previousKey(of: key)])
        case .variantNamed(let source, let prefix):
            try database.cachedStatement(
                sql: """
                    UPDATE variant SET last_use = ?1
                    WHERE source = ?2 AND substr(digest, 1, length(?3)) = ?3 AND last_use < ?1 - ?4
                    """
            ).execute(arguments: [now.milliseconds, source.hex, prefix, Self.granularity])
        case .value(let namespace, let key):
            try database.cachedStatement(
                sql: """
                    UPDATE value SET last_use = ?1
                    WHERE namespace = ?2 AND key = ?3 AND last_use < ?1 - ?4
                    """
            ).execute(arguments: [now.milliseconds, namespace, key, Self.granularity])
        }
    }
}

extension Index {
    /// The maximum number of recorded uses before they are written, and the maximum delay in
    /// milliseconds.
    private static let mostTouches = 500
    private static let longestTouch: Int64 = 60_000

    /// Records a use at the time `time`, which is written later together with others.
    func touch(_ touch: Touch, at time: Timestamp) {
        let now = monotonicMilliseconds()
        let mustFlush = touches.withLock { touches in
            if touches.waiting.isEmpty { touches.start = now }
            return touches.waiting.updateValue(time, forKey: touch) == nil
                && (touches.waiting.count == Self.mostTouches
                    || now - touches.start > Self.longestTouch)
        }
        if mustFlush { Task { try? await flushTouches() } }
    }

    /// Writes all recorded times of last use.
    func flushTouches() async throws(FetchError) {
        let waiting = touches.withLock { touches in
            defer { touches.waiting = [:] }
            return touches.waiting
        }
        if waiting.isEmpty { return }
        try await write { database in
            for (touch, time) in waiting { try touch.write(to: database, at: time) }
        }
    }
}
