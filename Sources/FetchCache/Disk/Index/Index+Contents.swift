internal import Files
internal import FoundationEssentials
internal import GRDB
import Locks
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

extension Index {
    /// A variant and the time of its last use; nil if there is none.
    func variant(
        _ key: VariantKey
    ) async throws(FetchError) -> (variant: LevelVariant, lastUse: Timestamp)? {
        try await lookUp { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT digest, byte_count, metadata, last_use FROM variant
                        WHERE source = ? AND recipe = ? AND encoder = ?
                        """),
                arguments: [key.source.hex, key.recipe, key.encoder])
            guard let row = try rows.next(), let digest = row.digest(0),
                let byteCount = row.size(1), let metadata = row.text(2), let lastUse = row.time(3)
            else { return nil }
            let variant = LevelVariant(
                source: key.source, recipe: key.recipe, encoder: key.encoder, digest: digest,
                byteCount: byteCount, metadata: metadata)
            return (variant, lastUse)
        }
    }

    /// Writes a variant whose blob exists already.
    ///
    /// - Returns: Whether the blob exists.
    func put(
        _ variant: LevelVariant, at now: Timestamp, ifIn blobs: BlobStore
    ) async throws(FetchError) -> Bool {
        try await write { database in
            guard blobs.path(of: variant.digest, byteCount: variant.byteCount) != nil else {
                return false
            }
            try Self.put(variant, at: now, in: database)
            return true
        }
    }

    /// Adopts a blob and writes its variant in one transaction.
    ///
    /// - Returns: The path of the blob.
    func put(
        _ variant: LevelVariant, at now: Timestamp, placing staged: StagedBlob, in blobs: BlobStore
    ) async throws(FetchError) -> String {
        try await write { database in
            let path = try blobs.adopt(staged)
            try Self.put(variant, at: now, in: database)
            return path
        }
    }

    private static func put(
        _ variant: LevelVariant, at now: Timestamp, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO variant VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            variant.source.hex, variant.recipe, variant.encoder, variant.digest.hex,
            variant.byteCount, variant.metadata, now.milliseconds,
        ])
    }
}

/// The key of a variant: equal keys give the same bytes.
struct VariantKey: Hashable, Sendable {
    var source: BlobDigest
    var recipe: String
    var encoder: String
}

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
        try await write { database in
            try Self.putVictims(digests, in: database)
            let unused = try String.fetchAll(
                database,
                sql: """
                    DELETE FROM victim
                    WHERE NOT EXISTS (SELECT 1 FROM entry WHERE digest = victim.digest)
                    AND NOT EXISTS (SELECT 1 FROM variant WHERE digest = victim.digest)
                    RETURNING digest
                    """)
            let sizes = unused.compactMap { hex in
                BlobDigest(hex: hex).flatMap { blobs.remove($0, unlessUsedSince: cutoff) }
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
            if let row = try Row.fetchOne(database.cachedStatement(sql: sql)) {
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
            let uses = rows.compactMap { row -> BlobUse? in
                guard let digest = row.digest(0), let byteCount = row.size(1),
                    let lastUse = row.time(2)
                else { return nil }
                return BlobUse(digest: digest, byteCount: byteCount, lastUse: lastUse)
            }
            return try Array(uses)
        }
    }

    private static func count(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = []
    ) throws -> Int {
        try Int.fetchOne(database.cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}

extension Index {
    /// Writes the present index to a new file.
    func copy(to path: String) async throws(FetchError) {
        try await flushTouches()
        try await read { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [path])
        }
    }

    /// Copies missing variants from another index if their blobs are in this cache, and its values
    /// and protected uses.
    ///
    /// - Parameters:
    ///   - source: The other index.
    ///   - blobs: The store of the blobs.
    /// - Returns: The number of copied variants.
    /// - Throws: ``FetchError/Code/storage``.
    func takeVariants(
        from source: Index, withBlobsIn blobs: BlobStore
    ) async throws(FetchError) -> Int {
        let columns = [
            "source", "recipe", "encoder", "digest", "byte_count", "metadata", "last_use",
        ]
        let count = try await take("variant", columns, from: source) { row in
            guard row.text(0) != nil, row.text(1) != nil, row.text(2) != nil,
                let digest = row.digest(3), let byteCount = row.size(4), row.text(5) != nil,
                row.time(6) != nil
            else { return false }
            return blobs.path(of: digest, byteCount: byteCount) != nil
        }
        _ = try await take("value", ["namespace", "key", "bytes", "last_use"], from: source) {
            row in
            row.text(0) != nil && row.text(1) != nil && row.time(3) != nil
        }
        _ = try await take("meta", ["name", "value"], from: source) { row in
            row.text(0)?.hasPrefix(Self.protection) == true && row.time(1) != nil
        }
        return count
    }

    private func take(
        _ table: String, _ columns: [String], from source: Index,
        where isWanted: @escaping @Sendable (Values) -> Bool
    ) async throws(FetchError) -> Int {
        let pageSize = 1000
        let names = columns.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        var taken = 0
        var offset = 0
        while true {
            let start = offset
            let page: [[DatabaseValue]] = try await source.read { database in
                try Row.fetchAll(
                    database,
                    sql: "SELECT \(names) FROM \(table) ORDER BY \(names) LIMIT ? OFFSET ?",
                    arguments: [pageSize, start]
                ).map { Array($0.databaseValues) }
            }
            if page.isEmpty { return taken }
            offset += page.count
            taken += try await write { database in
                let insert = try database.cachedStatement(
                    sql: "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(marks))")
                var count = 0
                // Checked in the transaction that writes: a blob may be removed by a cleaner before
                // it.
                for values in page where isWanted(Values(values: values)) {
                    try insert.execute(arguments: StatementArguments(values))
                    count += database.changesCount
                }
                return count
            }
        }
    }
}

/// A row that was read earlier.
struct Values: Sendable, ReadableRow {
    var values: [DatabaseValue]

    subscript(index: Int) -> DatabaseValue { values[index] }
}
