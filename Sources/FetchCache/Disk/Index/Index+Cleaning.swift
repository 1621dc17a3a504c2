internal import GRDB
import Locks

extension Index {
    /// Deletes rows whose last use precedes a given time, and expired failures.
    ///
    /// - Returns: The keys of the deleted entries, and the number of deleted rows of all kinds.
    func removeUnused(
        since cutoff: Timestamp, at now: Timestamp
    ) async throws(FetchError) -> (keys: [String], count: Int) {
        try await flushTouches()
        return try await write { database in
            var count = 0
            try database.execute(
                sql: "DELETE FROM failure WHERE until <= ?", arguments: [now.milliseconds])
            count += database.changesCount
            let keys = try String.fetchAll(
                database, sql: "DELETE FROM entry WHERE last_use < ? RETURNING key",
                arguments: [cutoff.milliseconds])
            count += keys.count
            for table in ["variant", "value"] {
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE last_use < ?",
                    arguments: [cutoff.milliseconds])
                count += database.changesCount
            }
            return (keys, count)
        }
    }

    /// Deletes the entries and variants that refer to blobs.
    ///
    /// - Returns: The keys of the deleted entries, and the number of deleted rows of both kinds.
    @discardableResult
    func removeUses(
        of digests: [BlobDigest]
    ) async throws(FetchError) -> (keys: [String], count: Int) {
        if digests.isEmpty { return ([], 0) }
        return try await write { database in
            try Self.putVictims(digests, in: database)
            let keys = try String.fetchAll(
                database,
                sql: "DELETE FROM entry WHERE digest IN (SELECT digest FROM victim) RETURNING key")
            try database.execute(
                sql: "DELETE FROM variant WHERE digest IN (SELECT digest FROM victim)")
            return (keys, keys.count + database.changesCount)
        }
    }

    /// Deletes the variants that were made from blobs that no entry refers to.
    ///
    /// - Returns: The digests of the deleted variants.
    func removeVariants(ofUnused sources: [BlobDigest]) async throws(FetchError) -> [BlobDigest] {
        try await write { database in
            try Self.putVictims(sources, in: database)
            return try String.fetchAll(
                database,
                sql: """
                    DELETE FROM variant WHERE source IN (SELECT digest FROM victim)
                    AND NOT EXISTS (SELECT 1 FROM entry WHERE digest = variant.source)
                    RETURNING digest
                    """
            ).compactMap(BlobDigest.init(hex:))
        }
    }

    /// Removes the unreferenced blobs of a list, in one transaction.
    ///
    /// Within the transaction, no new reference can appear between the check and the removal. The
    /// transaction is separate from the one that deletes rows: otherwise, if the process died
    /// before the commit, the rows would be restored but not their blobs.
    ///
    /// - Parameters:
    ///   - digests: The blobs. The list must be short, because all other writes wait.
    ///   - blobs: The store of the blobs.
    ///   - cutoff: Blobs that were written or used later are kept.
    /// - Returns: The number of removed blobs and their total size in bytes.
    /// - Throws: ``FetchError/Code/storage``.
    func sweep(
        _ digests: [BlobDigest], in blobs: BlobStore, unlessUsedSince cutoff: Timestamp
    ) async throws(FetchError) -> (count: Int, byteCount: Int) {
        try await alone { database in
            var sizes: [Int] = []
            try database.inTransaction(.immediate) {
                try Self.putVictims(digests, in: database)
                let unused = try String.fetchAll(
                    database,
                    sql: """
                        DELETE FROM victim
                        WHERE NOT EXISTS (SELECT 1 FROM entry WHERE digest = victim.digest)
                        AND NOT EXISTS (SELECT 1 FROM variant WHERE digest = victim.digest)
                        RETURNING digest
                        """)
                sizes = unused.compactMap { hex in
                    BlobDigest(hex: hex).flatMap { blobs.remove($0, unlessUsedSince: cutoff) }
                }
                return .commit
            }
            return (sizes.count, sizes.reduce(0, +))
        }
    }

    private static func putVictims(_ digests: [BlobDigest], in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS victim (digest TEXT PRIMARY KEY) WITHOUT ROWID;
                DELETE FROM victim;
                """)
        let insert = try database.cachedStatement(sql: "INSERT OR IGNORE INTO victim VALUES (?)")
        for digest in digests { try insert.execute(arguments: [digest.hex]) }
    }

    /// Deletes all rows.
    ///
    /// - Returns: The number of entries that were deleted.
    func removeAll() async throws(FetchError) -> Int {
        touches.withLock { $0.waiting = [:] }
        mayHaveParts.withLock { $0 = nil }
        return try await write { database in
            let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM entry") ?? 0
            for table in ["entry", "failure", "variant", "value", "meta"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
            return count
        }
    }

    /// The time of the last cleaning; the distant past if the cache was never cleaned.
    func cleaningTime() async throws(FetchError) -> Timestamp {
        try await read { database in
            try Self.note("cleaned", database).map { Timestamp(milliseconds: $0) } ?? .distantPast
        }
    }

    /// A number that is stored under a name.
    static func note(_ name: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
    }

    /// Records a cleaning, and the size of what it had to keep.
    func setCleaning(_ time: Timestamp, protectedBytes: Int) async throws(FetchError) {
        try await write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES ('cleaned', ?), ('protected', ?)",
                arguments: [time.milliseconds, protectedBytes])
        }
    }

    /// The size of what the last cleaning had to keep, in bytes.
    func protectedBytes() async throws(FetchError) -> Int {
        try await read { database in Int(try Self.note("protected", database) ?? 0) }
    }

    /// Keeps what was used since a time, unless the name has a later time.
    ///
    /// A time after `now` is of a clock that was set back.
    func protect(
        usesSince time: Timestamp, by name: String, at now: Timestamp
    ) async throws(FetchError) {
        let name = Self.protection + name
        try await write { database in
            try database.execute(
                sql: """
                    INSERT INTO meta VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2
                    WHERE value < ?2 - ?3 OR value > ?4
                    """,
                arguments: [name, time.milliseconds, Touch.granularity, now.milliseconds])
        }
    }

    /// The time of the first use that is kept; the distant future if none is.
    ///
    /// Times before `cutoff` no longer count.
    func protection(
        since cutoff: Timestamp, at now: Timestamp
    ) async throws(FetchError) -> Timestamp {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM meta WHERE name GLOB ? AND value NOT BETWEEN ? AND ?",
                arguments: [Self.protection + "*", cutoff.milliseconds, now.milliseconds])
            let first = try Int64.fetchOne(
                database, sql: "SELECT MIN(value) FROM meta WHERE name GLOB ?",
                arguments: [Self.protection + "*"])
            // A use is recorded only if the last one is older than this.
            return first.map { Timestamp(milliseconds: $0 - Touch.granularity) } ?? .distantFuture
        }
    }

    /// The beginning of the names of rows of ``protect(usesSince:by:at:)``.
    static let protection = "protect "
}

/// A blob that entries or variants refer to.
struct BlobUse: Sendable, Hashable {
    var digest: BlobDigest
    var byteCount: Int
    /// The time of the latest use of all of them.
    var lastUse: Timestamp
}

extension Index {
    private static let uses = """
        SELECT digest, byte_count, last_use FROM entry
        UNION ALL SELECT digest, byte_count, last_use FROM variant
        """

    func summary(at now: Timestamp) async throws(FetchError) -> CacheSummary {
        try await read { database in
            var summary = CacheSummary()
            summary.lastCleaning = try Self.note("cleaned", database).map {
                Timestamp(milliseconds: $0).date
            }
            summary.entryCount = try Self.count(database, "SELECT COUNT(*) FROM entry")
            summary.variantCount = try Self.count(database, "SELECT COUNT(*) FROM variant")
            summary.failureCount = try Self.count(
                database, "SELECT COUNT(*) FROM failure WHERE until > ?", [now.milliseconds])
            let sql = """
                SELECT COUNT(*), TOTAL(size) FROM
                (SELECT MAX(byte_count) AS size FROM (\(Self.uses)) GROUP BY digest)
                """
            try Self.first(database.cachedStatement(sql: sql), []) { row in
                summary.blobCount = row.number(0) ?? 0
                let total = Double.fromDatabaseValue(row[1] as DatabaseValue) ?? 0
                summary.byteCount = Int(min(total, 0x1p53))
            }
            return summary
        }
    }

    /// All referenced blobs, least recently used first.
    func blobUses() async throws(FetchError) -> [BlobUse] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT digest, MAX(byte_count), MAX(last_use) FROM (\(Self.uses))
                        GROUP BY digest ORDER BY 3, 1
                        """))
            var uses: [BlobUse] = []
            while let row = try rows.next() {
                guard let digest = row.digest(0), let byteCount = row.size(1),
                    let lastUse = row.time(2)
                else { continue }
                uses.append(BlobUse(digest: digest, byteCount: byteCount, lastUse: lastUse))
            }
            return uses
        }
    }

    /// Whether any part of a resource was ever stored.
    ///
    /// The result is kept after the first look-up. It is usually false, which saves further
    /// queries.
    func hasParts() async throws(FetchError) -> Bool {
        if let known = mayHaveParts.withLock({ $0 }) { return known }
        let isNoted = try await read { try Self.note("parts", $0) != nil }
        mayHaveParts.withLock { $0 = $0 == true || isNoted }
        return isNoted
    }

    /// Records that a part was stored.
    func noteParts() async throws(FetchError) {
        if mayHaveParts.withLock({ $0 }) == true { return }
        try await write { database in
            try database.execute(sql: "INSERT OR REPLACE INTO meta VALUES ('parts', 1)")
        }
        mayHaveParts.withLock { $0 = true }
    }

    private static func count(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = []
    ) throws -> Int {
        try Int.fetchOne(database.cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}
