internal import GRDB

/// What is done about an index that turns out to be damaged while it is in use.
extension Index {
    /// How often something is tried: the index that replaced a damaged one may be damaged too.
    private static let mostAttempts = 3

    /// Does something with the connections, and again with new ones if the index is damaged.
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

    /// The same for what others do.
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

    /// Connections to the file that is the index at this moment: another process may have replaced it.
    private func usableConnections() throws(FetchError) -> IndexConnections {
        let current = connections.withLock(\.self)
        if isReadOnly || isClosed.isSet || current.file.exists { return current }
        return try replace(current)
    }

    /// Connections to be tried after some have failed.
    ///
    /// - Throws: `error`, if it is no reason to try others.
    private func replacement(
        for old: IndexConnections, after error: FetchError
    ) throws(FetchError) -> IndexConnections {
        if isReadOnly || isClosed.isSet { throw error }
        guard error.isOfDamage || !old.file.exists else { throw error }
        return try replace(old)
    }

    /// Replaces the index, unless somebody has done so since `old` were opened.
    private func replace(_ old: IndexConnections) throws(FetchError) -> IndexConnections {
        let (current, isReplaced) = try connections.withLock { (current) throws(FetchError) in
            guard current === old else { return (current, false) }
            let opened = try Self.storage(old.file.path) {
                try IndexConnections.replace(old.file)
            }
            current = opened.connections
            mayHaveParts.withLock { $0 = nil }
            return opened
        }
        if isReplaced { onReplacement() }
        return current
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
