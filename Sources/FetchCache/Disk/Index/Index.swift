internal import Files
internal import GRDB
import Locks

/// The SQLite file with entries, variants and values.
///
/// A damaged index is replaced by an empty one, and the current operation is repeated. This is
/// acceptable for a cache.
final class Index: Sendable {
    struct Touches {
        /// With the time of each.
        var waiting: [Touch: Timestamp] = [:]
        /// The time at which the first of them was recorded.
        var start: Int64 = 0
    }

    let isReadOnly: Bool
    let connections: Locked<IndexConnections>
    let onReplacement: @Sendable (_ reason: String) -> Void
    let touches = Locked(Touches())
    let isClosed = Flag()

    /// Opens the index of a folder, or creates it.
    ///
    /// - Parameters:
    ///   - folder: The folder of the cache.
    ///   - onReplacement: Called after an empty index has replaced an unusable or missing one, with
    ///     the reason as the end of a sentence.
    /// - Throws: ``FetchError/Code/storage``.
    init(
        in folder: String, onReplacement: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(FetchError) {
        self.onReplacement = onReplacement
        isReadOnly = false
        let path = (IndexFile.latest(in: folder) ?? .first(in: folder)).path
        let opened = try Self.storage(path) { try IndexConnections.open(in: folder) }
        connections = Locked(opened.connections)
        if let reason = opened.replaced { onReplacement(reason) }
    }

    /// Opens a copy that only the caller uses, as ``copy(to:)`` has written it.
    ///
    /// - Throws: ``FetchError/Code/storage``.
    init(copy file: IndexFile) throws(FetchError) {
        isReadOnly = false
        onReplacement = { _ in }
        connections = Locked(try Self.storage(file.path) { try IndexConnections.open(copy: file) })
    }

    /// Opens the index of a read-only cache.
    ///
    /// - Throws: ``FetchError/Code/storage`` if it does not exist or cannot be read.
    init(readingOnly folder: String) throws(FetchError) {
        // Do not follow a link out of an untrusted folder.
        guard let file = IndexFile.latest(in: folder), fileSize(file.path) != nil else {
            throw FetchError(.storage, folder, "there is no cache")
        }
        isReadOnly = true
        onReplacement = { _ in }
        connections = Locked(
            try Self.storage(file.path) { try IndexConnections.open(readingOnly: file) })
    }

    /// The threads of ``lookUp(_:)``.
    ///
    /// They are not those of ``BlockingPool/shared``, where a look-up of microseconds would wait
    /// until long files are hashed.
    private static let readers = BlockingPool(threadCount: IndexConnections.mostReaders)

    /// Reads a few rows by key without waiting for a writer, on a thread that may wait for the disk.
    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { connections in
            await Self.readers.run {
                Result { () throws(FetchError) in
                    try Self.storage(connections.file.path) { try connections.read(body) }
                }
            }
        }
    }

    /// Runs a job on the connection of the writer, after those that wait for it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.perform(body) }
    }

    /// Writes in a transaction; returns after the commit.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.write(body) }
    }

    /// Closes the connections; later operations fail.
    func close() async {
        try? await flushTouches()
        isClosed.set()
        connections.withLock { $0.close() }
    }

}

extension IndexConnections {
    /// Runs a job on the connection of the writer.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, FetchError> {
        await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { [file] database in
                continuation.resume(
                    returning: Result { () throws(FetchError) in
                        try Index.storage(file.path) { try body(database) }
                    })
            }
        }
    }

    /// Runs a job in a transaction, which is committed on return.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, FetchError> {
        await withCheckedContinuation { continuation in
            writer.asyncWrite(body) { [file] _, result in
                continuation.resume(
                    returning: result.mapError { Index.typed($0, file.path) })
            }
        }
    }
}

/// Replaces an index that is found damaged while it is in use.
extension Index {
    /// The maximum number of attempts: the new index may be damaged too.
    private static let mostAttempts = 3

    /// Runs work with the connections, and again with new ones if the index is damaged.
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

/// A use of something in the index.
enum Touch: Hashable, Sendable {
    case entry(key: String)
    case variant(VariantKey)
    case value(namespace: String, key: String)
    /// The check of this name has accepted the blob of an entry.
    case check(key: String, digest: BlobDigest, name: String)
    /// The bytes of an entry were confirmed, so the entry that it replaced is not needed any more.
    case confirmation(key: String, digest: BlobDigest)
    /// A variant whose digest begins with some hexadecimal digits.
    case variantNamed(source: BlobDigest, prefix: String)

    /// The minimum time in milliseconds between two recorded uses.
    ///
    /// A build that follows a few minutes after the last and needs nothing new writes nothing.
    static let granularity: Int64 = 600_000

    static func isDue(_ lastUse: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds - lastUse.milliseconds > granularity
    }

    func write(to database: Database, at now: Timestamp) throws {
        switch self {
        case .entry(let key):
            try database.cachedStatement(sql: "UPDATE entry SET last_use = ? WHERE key = ?")
                .execute(arguments: [now.milliseconds, key])
        case .variant(let key):
            try database.cachedStatement(
                sql: """
                    UPDATE variant SET last_use = ?
                    WHERE source = ? AND recipe = ? AND encoder = ?
                    """
            ).execute(arguments: [now.milliseconds, key.source.hex, key.recipe, key.encoder])
        case .check(let key, let digest, let name):
            try database.cachedStatement(
                sql: "UPDATE entry SET body_check = ? WHERE key = ? AND digest = ?"
            ).execute(arguments: [name, key, digest.hex])
        case .confirmation(let key, let digest):
            try database.cachedStatement(
                sql: "UPDATE entry SET is_confirmed = 1 WHERE key = ? AND digest = ?"
            ).execute(arguments: [key, digest.hex])
            if database.changesCount == 0 { return }
            try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ?")
                .execute(arguments: [LoadTarget.previousKey(of: key)])
        case .variantNamed(let source, let prefix):
            try database.cachedStatement(
                sql: """
                    UPDATE variant SET last_use = ?1
                    WHERE source = ?2 AND substr(digest, 1, length(?3)) = ?3 AND last_use < ?1 - ?4
                    """
            ).execute(arguments: [now.milliseconds, source.hex, prefix, Self.granularity])
        case .value(let namespace, let key):
            try database.cachedStatement(
                sql: """
                    UPDATE value SET last_use = ?1
                    WHERE namespace = ?2 AND key = ?3 AND last_use < ?1 - ?4
                    """
            ).execute(arguments: [now.milliseconds, namespace, key, Self.granularity])
        }
    }
}

extension Index {
    /// The maximum number of recorded uses before they are written, and the maximum delay in
    /// milliseconds.
    private static let mostTouches = 500
    private static let longestTouch: Int64 = 60_000

    /// Records a use at the time `time`, which is written later together with others.
    func touch(_ touch: Touch, at time: Timestamp) {
        let now = monotonicMilliseconds()
        let mustFlush = touches.withLock { touches in
            if touches.waiting.isEmpty { touches.start = now }
            return touches.waiting.updateValue(time, forKey: touch) == nil
                && (touches.waiting.count == Self.mostTouches
                    || now - touches.start > Self.longestTouch)
        }
        if mustFlush { Task { try? await flushTouches() } }
    }

    /// Writes all recorded times of last use.
    func flushTouches() async throws(FetchError) {
        let waiting = touches.withLock { touches in
            defer { touches.waiting = [:] }
            return touches.waiting
        }
        if waiting.isEmpty { return }
        try await write { database in
            for (touch, time) in waiting { try touch.write(to: database, at: time) }
        }
    }
}
