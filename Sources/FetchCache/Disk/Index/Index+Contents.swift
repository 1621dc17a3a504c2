internal import Files
internal import GRDB
import Locks

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

/// Replaces an index that is found damaged while it is in use.
extension Index {
    /// The maximum number of attempts: the new index may be damaged too.
    private static let mostAttempts = 3

    /// Runs a closure with the connections, and again with new ones if the index is damaged.
    func withConnections<Value>(
        _ body: (IndexConnections) throws(FetchError) -> Value
    ) throws(FetchError) -> Value {
        var current = try usableConnections()
        for _ in 1..<Self.mostAttempts {
            do throws(FetchError) {
                return try body(current)
            } catch {
                current = try replacement(for: current, after: error)
            }
        }
        return try body(current)
    }

    /// Runs asynchronous work with the connections, and again with new ones if the index is damaged.
    func repeatedly<Value: Sendable>(
        _ body: @Sendable (IndexConnections) async -> Result<Value, FetchError>
    ) async throws(FetchError) -> Value {
        var current = try usableConnections()
        for _ in 1..<Self.mostAttempts {
            switch await body(current) {
            case .success(let value): return value
            case .failure(let error): current = try replacement(for: current, after: error)
            }
        }
        return try await body(current).get()
    }

    /// The connections to the current index file, which another process may have replaced.
    private func usableConnections() throws(FetchError) -> IndexConnections {
        let current = connections.withLock(\.self)
        if isReadOnly || isClosed.isSet || current.file.exists { return current }
        return try replace(current)
    }

    /// The connections for a new attempt after a failure.
    ///
    /// - Throws: `error`, if it does not justify a new attempt.
    private func replacement(
        for old: IndexConnections, after error: FetchError
    ) throws(FetchError) -> IndexConnections {
        if isReadOnly || isClosed.isSet { throw error }
        guard error.isOfDamage || !old.file.exists else { throw error }
        return try replace(old)
    }

    /// Replaces the index, unless it has been replaced since `old` was opened.
    private func replace(_ old: IndexConnections) throws(FetchError) -> IndexConnections {
        let (current, reason) = try connections.withLock { (current) throws(FetchError) in
            guard current === old else { return (current, nil as String?) }
            let opened = try Self.storage(old.file.path) {
                try IndexConnections.replace(old.file)
            }
            current = opened.connections
            mayHaveParts.withLock { $0 = nil }
            return (current, opened.replaced)
        }
        if let reason { onReplacement(reason) }
        return current
    }

    /// Converts SQLite errors to ``FetchError``.
    static func storage<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw typed(error, path) }
    }

    /// Converts any error of the index at a path.
    static func typed(_ error: any Error, _ path: String) -> FetchError {
        if let error = error as? FetchError { return error }
        if let error = error as? FileError { return FetchError(error) }
        if let mismatch = error as? Schema.Mismatch {
            return FetchError(.storage, path, mismatch.description)
        }
        guard let error = error as? DatabaseError else {
            return FetchError(.storage, path, "\(error)")
        }
        if error.isOfDamage {
            var error = FetchError(.storage, path, "the index is damaged")
            error.isOfDamage = true
            return error
        }
        if error.resultCode == .SQLITE_FULL {
            return FetchError(.storage, path, "no space left", subcode: .noSpace)
        }
        let text = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        return FetchError(.storage, path, text)
    }
}

extension DatabaseError {
    /// Whether files of SQLite are missing and cannot be created.
    var isOfUnwritableFolder: Bool {
        resultCode == .SQLITE_CANTOPEN || resultCode == .SQLITE_READONLY
    }

    /// Whether the file is not a database, is damaged, or lacks a table or column.
    var isOfDamage: Bool {
        switch resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        case .SQLITE_IOERR: extendedResultCode == .SQLITE_IOERR_SHORT_READ
        case .SQLITE_ERROR:
            ["no such table", "no such column", "has no column"].contains {
                message?.contains($0) == true
            }
        default: false
        }
    }
}
