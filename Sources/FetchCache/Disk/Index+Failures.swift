internal import GRDB

extension Index {
    /// All that are remembered, in the order of their keys.
    func failures(at now: Timestamp) async throws(FetchError) -> [RememberedFailure] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT \(Self.columns) FROM failure WHERE until > ? ORDER BY key"),
                arguments: [now.milliseconds])
            var failures: [RememberedFailure] = []
            while let row = try rows.next() {
                if let failure = Self.failure(row, at: now) { failures.append(failure) }
            }
            return failures
        }
    }

    /// Remembers a failure until a time.
    func put(
        _ error: FetchError, for key: String, at now: Timestamp, until: Timestamp
    ) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                key, error.url, error.code.value.rawValue, error.detail, error.status,
                now.milliseconds, until.milliseconds,
            ])
        }
    }

    /// Forgets that a key failed.
    ///
    /// - Returns: Whether it had.
    @discardableResult
    func removeFailure(for key: String) async throws(FetchError) -> Bool {
        try await write { database in
            try database.cachedStatement(sql: "DELETE FROM failure WHERE key = ?")
                .execute(arguments: [key])
            return database.changesCount > 0
        }
    }

    private static let columns = "key, url, code, detail, status, time, until"

    /// Reads a failure whose columns begin at `start`.
    static func failure(
        _ row: some ReadableRow, from start: Int = 0, at now: Timestamp
    ) -> RememberedFailure? {
        guard let key = row.text(start), let url = row.text(start + 1),
            let code = row.text(start + 2).flatMap(FetchError.Code.Value.init(rawValue:)),
            let detail = row.text(start + 3), let time = row.number(start + 5),
            let until = row.number(start + 6)
        else { return nil }
        var error = FetchError(.init(value: code), url, detail, status: row.number(start + 4))
        error.age = .milliseconds(max(0, now.milliseconds - Int64(time)))
        return RememberedFailure(key: key, error: error, until: Int64(until))
    }
}
