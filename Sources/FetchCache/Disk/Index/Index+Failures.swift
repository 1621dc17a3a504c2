internal import GRDB

/// A failure as stored in the index.
struct StoredFailure: Sendable {
    var failure: RememberedFailure
    /// The requested hosts with hashes of the credentials that were configured for them.
    var credentials: String
    /// The name of the check that refused the body; nil for another failure.
    var bodyCheck: String?
}

extension Index {
    /// All remembered failures in key order.
    func failures(at now: Timestamp) async throws(FetchError) -> [RememberedFailure] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT key, url, code, detail, status, time, until, credentials, body_check
                        FROM failure WHERE until > ? ORDER BY key
                        """),
                arguments: [now.milliseconds])
            var failures: [RememberedFailure] = []
            while let row = try rows.next() {
                if let stored = Self.failure(row, at: now) { failures.append(stored.failure) }
            }
            return failures
        }
    }

    /// Stores a failure until a given time.
    func put(
        _ error: FetchError, for key: String, credentials: String, bodyCheck: String?,
        at now: Timestamp, until: Timestamp
    ) async throws(FetchError) {
        try await write { database in
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                key, error.url, error.code.value.rawValue, error.detail, error.status,
                now.milliseconds, until.milliseconds, credentials, bodyCheck,
            ])
        }
    }

    /// Reads a failure from the columns that begin at `start`.
    static func failure(
        _ row: some ReadableRow, from start: Int = 0, at now: Timestamp
    ) -> StoredFailure? {
        guard let key = row.text(start), let url = row.text(start + 1),
            let code = row.text(start + 2).flatMap(FetchError.Code.Value.init(rawValue:)),
            let detail = row.text(start + 3), let time = row.number(start + 5),
            let until = row.number(start + 6), let credentials = row.text(start + 7)
        else { return nil }
        var error = FetchError(.init(value: code), url, detail, status: row.number(start + 4))
        error.age = .milliseconds(max(0, now.milliseconds - Int64(time)))
        return StoredFailure(
            failure: RememberedFailure(
                key: key, error: error, until: Timestamp(milliseconds: Int64(until)).date),
            credentials: credentials, bodyCheck: row.text(start + 8))
    }
}
