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
    /// The result of ``hasParts()``; nil before the first look-up.
    let mayHaveParts = Locked<Bool?>(nil)

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
        try await Self.readers.run { () throws(FetchError) in try self.readBlocking(body) }
    }

    /// Reads a few rows by key, synchronously on the caller's thread, without waiting for a writer.
    func readBlocking<Value>(_ body: (Database) throws -> Value) throws(FetchError) -> Value {
        try withConnections { (connections) throws(FetchError) in
            try Self.storage(connections.file.path) { try connections.read(body) }
        }
    }

    /// Reads in one transaction with other waiting jobs.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.perform(writes: false, body) }
    }

    /// Writes in one transaction with other waiting jobs; returns after the commit.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.perform(writes: true, body) }
    }

    /// Runs a job that cannot share a transaction with others.
    func alone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.alone(body) }
    }

    /// Closes the connections; later operations fail.
    func close() async {
        try? await flushTouches()
        isClosed.set()
        connections.withLock { $0.close() }
    }

    /// Reads the first row of a result with `body`.
    static func first<Value>(
        _ statement: Statement, _ arguments: StatementArguments,
        _ body: (Statement) throws -> Value?
    ) throws -> Value? {
        let rows = try DatabaseValue.fetchCursor(statement, arguments: arguments)
        return try withExtendedLifetime(rows) {
            try rows.next() == nil ? nil : body(statement)
        }
    }
}
