internal import GRDB

extension Index {
    /// Writes the present index to a new file.
    func copy(to path: String) async throws(FetchError) {
        try await flushTouches()
        try await alone { database in
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
