internal import FoundationEssentials
internal import GRDB

extension Index {
    /// The values of many keys with the times of their last use.
    func values(
        for keys: [String], in namespace: String
    ) async throws(FetchError) -> [String: (bytes: [UInt8], lastUse: Timestamp)] {
        try await lookUp { database in
            let statement = try database.cachedStatement(
                sql: "SELECT bytes, last_use FROM value WHERE namespace = ? AND key = ?")
            var values: [String: (bytes: [UInt8], lastUse: Timestamp)] = [:]
            try database.inTransaction(.deferred) {
                for key in keys {
                    values[key] = try Self.first(statement, [namespace, key]) { row in
                        let bytes = Data.fromDatabaseValue(row[0])
                        guard let bytes, let lastUse = row.time(1) else { return nil }
                        return (Array(bytes), lastUse)
                    }
                }
                return .commit
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
