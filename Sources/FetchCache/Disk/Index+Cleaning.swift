internal import GRDB

extension Index {
    /// Forgets what was last used before a time, and failures that hold no longer.
    ///
    /// - Returns: The keys of the entries that went, and how many rows of all kinds did.
    func removeUnused(
        since cutoff: Timestamp, at now: Timestamp
    ) async throws(FetchError) -> (keys: [String], count: Int) {
        try await flushTouches(at: now)
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

    /// Forgets the entries and variants that lead to blobs.
    ///
    /// - Returns: The keys of the entries that went, and how many rows of both kinds did.
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

    /// Removes those of some blobs to which no row leads, in one transaction: so nothing can come to
    /// lead to one between the look and the removal.
    ///
    /// The transaction is its own: in one with those that take rows away, a death before the commit
    /// would bring the rows back, but not their blobs.
    ///
    /// - Parameters:
    ///   - digests: Not too many: all else that writes waits meanwhile.
    ///   - blobs: Where they are.
    ///   - cutoff: A blob that was written or used later stays.
    /// - Returns: How many went, and how many bytes they had.
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

    /// Forgets everything.
    ///
    /// - Returns: How many entries there were.
    func removeAll() async throws(FetchError) -> Int {
        touches.withLock { $0.waiting = [] }
        mayHaveParts.withLock { $0 = nil }
        return try await write { database in
            let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM entry") ?? 0
            for table in ["entry", "failure", "variant", "value", "meta"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
            return count
        }
    }

    /// When the cache was last cleaned; the distant past if never.
    func cleaningTime() async throws(FetchError) -> Timestamp {
        try await read { database in
            try Self.cleaningTime(database).map { Timestamp(milliseconds: $0) } ?? .distantPast
        }
    }

    static func cleaningTime(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT value FROM meta WHERE name = 'cleaned'")
    }

    func setCleaningTime(_ time: Timestamp) async throws(FetchError) {
        try await write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES ('cleaned', ?)",
                arguments: [time.milliseconds])
        }
    }
}
