internal import GRDB

extension Index {
    /// Writes the index as it is now to a file that is not there yet.
    func copy(to path: String) async throws(FetchError) {
        try await flushTouches()
        try await alone { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [path])
        }
    }

    /// Takes over the variants and values of another index that this one has not.
    ///
    /// - Parameters:
    ///   - source: The other index.
    ///   - digests: Of blobs whose variants are left out.
    /// - Returns: How many variants were taken over.
    /// - Throws: ``FetchError/Code/storage``.
    func takeVariants(
        from source: Index, leaving digests: Set<String>
    ) async throws(FetchError) -> Int {
        let count = try await take("variant", columns: 7, from: source) { values in
            String.fromDatabaseValue(values[3]).map { !digests.contains($0) } ?? false
        }
        _ = try await take("value", columns: 4, from: source) { _ in true }
        return count
    }

    private func take(
        _ table: String, columns: Int, from source: Index,
        where isWanted: @escaping @Sendable ([DatabaseValue]) -> Bool
    ) async throws(FetchError) -> Int {
        let pageSize = 1000
        let marks = Array(repeating: "?", count: columns).joined(separator: ", ")
        var taken = 0
        var offset = 0
        while true {
            let start = offset
            let page: [[DatabaseValue]] = try await source.read { database in
                let rows = try Row.fetchAll(
                    database, sql: "SELECT * FROM \(table) LIMIT ? OFFSET ?",
                    arguments: [pageSize, start])
                return rows.map { Array($0.databaseValues) }
            }
            if page.isEmpty { return taken }
            offset += page.count
            taken += try await write { database in
                let insert = try database.cachedStatement(
                    sql: "INSERT OR IGNORE INTO \(table) VALUES (\(marks))")
                var count = 0
                for row in page where isWanted(row) {
                    try insert.execute(arguments: StatementArguments(row))
                    count += database.changesCount
                }
                return count
            }
        }
    }
}
