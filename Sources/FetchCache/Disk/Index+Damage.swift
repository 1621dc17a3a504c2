internal import GRDB

/// What is done about an index that turns out to be damaged while it is in use.
extension Index {
    /// Does something with the connections, and once more with new ones if the index is damaged.
    func withConnections<Value>(
        _ body: (IndexConnections) throws(FetchError) -> Value
    ) throws(FetchError) -> Value {
        let current = connections.withLock(\.self)
        do throws(FetchError) {
            return try body(current)
        } catch {
            guard error.isOfDamage, !isReadOnly else { throw error }
            try rebuild(current)
            return try body(connections.withLock(\.self))
        }
    }

    /// The same for what others do.
    func repeatedly<Value: Sendable>(
        _ body: @Sendable (IndexConnections) async -> Result<Value, FetchError>
    ) async throws(FetchError) -> Value {
        let current = connections.withLock(\.self)
        let result = await body(current)
        guard case .failure(let error) = result, error.isOfDamage, !isReadOnly else {
            return try result.get()
        }
        try rebuild(current)
        return try await body(connections.withLock(\.self)).get()
    }

    /// Makes the index anew, unless somebody has done so since `old` were opened.
    private func rebuild(_ old: IndexConnections) throws(FetchError) {
        let isNew = try connections.withLock { (connections) throws(FetchError) in
            guard connections.file == old.file else { return false }
            let rebuilt = try Self.storage(path) {
                try IndexConnections.rebuild(path, damaged: old.file)
            }
            connections = rebuilt.connections
            mayHaveParts.withLock { $0 = nil }
            return rebuilt.isNew
        }
        if isNew { onRebuild() }
    }

    /// The one place where an error of SQLite becomes one of this library.
    static func storage<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw failure(path, error) }
    }

    static func failure(_ path: String, _ error: any Error) -> FetchError {
        if let error = error as? FetchError { return error }
        if let fault = error as? Schema.Fault {
            return FetchError(.storage, path, fault.description)
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
    /// Whether the file is no database, is damaged, or lacks what every index has.
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
