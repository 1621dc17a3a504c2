internal import Files
internal import GRDB
import Locks

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
