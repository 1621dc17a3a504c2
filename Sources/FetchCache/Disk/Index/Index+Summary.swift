internal import GRDB
import Locks

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
