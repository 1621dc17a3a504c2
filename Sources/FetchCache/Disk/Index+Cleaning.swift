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
            try database.execute(
                sql: """
                    CREATE TEMP TABLE IF NOT EXISTS victim (digest TEXT PRIMARY KEY) WITHOUT ROWID;
                    DELETE FROM victim;
                    """)
            let insert = try database.cachedStatement(
                sql: "INSERT OR IGNORE INTO victim VALUES (?)")
            for digest in digests { try insert.execute(arguments: [digest.hex]) }
            let keys = try String.fetchAll(
                database,
                sql: "DELETE FROM entry WHERE digest IN (SELECT digest FROM victim) RETURNING key")
            try database.execute(
                sql: "DELETE FROM variant WHERE digest IN (SELECT digest FROM victim)")
            let count = keys.count + database.changesCount
            try database.execute(sql: "DELETE FROM victim")
            return (keys, count)
        }
    }

    /// Forgets everything.
    func removeAll() async throws(FetchError) {
        pending.withLock { $0.touches = [] }
        try await write { database in
            for table in ["entry", "failure", "variant", "value", "meta"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
        }
    }

    /// When the cache was last cleaned; the distant past if never.
    func cleaningTime() async throws(FetchError) -> Timestamp {
        try await read { database in
            let time = try Int64.fetchOne(
                database, sql: "SELECT value FROM meta WHERE name = 'cleaned'")
            return time.map { Timestamp(milliseconds: $0) } ?? .distantPast
        }
    }

    func setCleaningTime(_ time: Timestamp) async throws(FetchError) {
        try await write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES ('cleaned', ?)",
                arguments: [time.milliseconds])
        }
    }
}
