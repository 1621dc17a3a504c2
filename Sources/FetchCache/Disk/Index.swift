internal import GRDB

/// The SQLite file beside the blobs: entries, variants and values.
///
/// An index that turns out to be damaged is replaced by an empty one, and what was asked of it is done
/// again: it is a cache.
final class Index: Sendable {
    struct Touches {
        var waiting: Set<Touch> = []
        /// When the first of them was remembered.
        var start: Int64 = 0
    }

    let isReadOnly: Bool
    let connections: Locked<IndexConnections>
    let onReplacement: @Sendable () -> Void
    let touches = Locked(Touches())
    let isClosed = Flag()
    /// See ``hasParts()``; nil before that was looked up.
    let mayHaveParts = Locked<Bool?>(nil)

    /// Opens the index of a folder, or makes it.
    ///
    /// - Parameters:
    ///   - folder: Of the cache.
    ///   - onReplacement: Called when it was damaged or gone, and an empty one is in its place.
    /// - Throws: ``FetchError/Code/storage``.
    init(
        in folder: String, onReplacement: @escaping @Sendable () -> Void = {}
    ) throws(FetchError) {
        self.onReplacement = onReplacement
        isReadOnly = false
        let path = (IndexFile.latest(in: folder) ?? .first(in: folder)).path
        let opened = try Self.storage(path) { try IndexConnections.open(in: folder) }
        connections = Locked(opened.connections)
        if opened.isReplaced { onReplacement() }
    }

    /// Opens the index of a cache that is only read.
    ///
    /// - Throws: ``FetchError/Code/storage`` if there is none, or it cannot be read.
    init(readingOnly folder: String) throws(FetchError) {
        // No link is followed out of a folder that others have made.
        guard let file = IndexFile.latest(in: folder), FileSystem.size(of: file.path) != nil else {
            throw FetchError(.storage, folder, "there is no cache")
        }
        isReadOnly = true
        onReplacement = {}
        connections = Locked(
            try Self.storage(file.path) { try IndexConnections.open(readingOnly: file) })
    }

    /// Reads at once, on the caller's thread, which waits for no writer: for a few rows by their key.
    func read<Value>(_ body: (Database) throws -> Value) throws(FetchError) -> Value {
        try withConnections { (connections) throws(FetchError) in
            try Self.storage(connections.file.path) { try connections.read(body) }
        }
    }

    /// Reads, together with whatever else is waiting.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.perform(writes: false, body) }
    }

    /// Writes, together with whatever else is waiting; returns when it is committed.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.perform(writes: true, body) }
    }

    /// Does what cannot be done in a transaction together with others.
    func alone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { await $0.alone(body) }
    }

    /// Closes the connections; what is asked of the index afterwards fails.
    func close() async {
        try? await flushTouches()
        isClosed.set()
        connections.withLock { $0.close() }
    }

    /// Reads the first row of an answer inside `body`.
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

extension Index {
    /// How many uses are remembered before they are written, and for how many milliseconds.
    private static let mostTouches = 500
    private static let longestTouch: Int64 = 60_000

    /// Remembers that something was used, to be written later with others.
    func touch(_ touch: Touch) {
        let now = monotonicMilliseconds()
        let mustFlush = touches.withLock { touches in
            if touches.waiting.isEmpty { touches.start = now }
            return touches.waiting.insert(touch).inserted
                && (touches.waiting.count == Self.mostTouches
                    || now - touches.start > Self.longestTouch)
        }
        if mustFlush { Task { try? await flushTouches() } }
    }

    /// Writes the times of last use that are not written yet.
    func flushTouches(at now: Timestamp = .now) async throws(FetchError) {
        let waiting = touches.withLock { touches in
            defer { touches.waiting = [] }
            return touches.waiting
        }
        if waiting.isEmpty { return }
        try await write { database in
            for touch in waiting { try touch.write(to: database, at: now) }
        }
    }
}
