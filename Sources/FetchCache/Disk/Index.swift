internal import GRDB

/// The SQLite file beside the blobs: entries, variants and values.
///
/// Writes go through one connection on a thread of its own. What is asked for while a transaction
/// runs is done together in the next one, so that thousands of small writes cost a few transactions.
/// What is read at once goes through connections of its own, which wait for no writer.
///
/// An index that turns out to be damaged is made anew, and what was asked of it is done again: it is a
/// cache.
final class Index: Sendable {
    struct Job: Sendable {
        var writes: Bool
        /// Does the work, or none without a database, and gives back what tells the caller how it
        /// went: with the error of the transaction as a whole, if that failed.
        var run: @Sendable (Database?) -> @Sendable (FetchError?) -> Void
    }

    struct Pending {
        var jobs: [Job] = []
        var isScheduled = false
        var touches: Set<Touch> = []
        var firstTouch: Int64 = 0
    }

    let path: String
    let isReadOnly: Bool
    let connections: Locked<IndexConnections>
    let onRebuild: @Sendable () -> Void
    let pending = Locked(Pending())
    /// See ``hasParts()``; nil before that was looked up.
    let mayHaveParts = Locked<Bool?>(nil)

    /// Opens the index, or makes it.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - onRebuild: Called when it was damaged and has been made anew.
    /// - Throws: ``FetchError/Code/storage``.
    init(path: String, onRebuild: @escaping @Sendable () -> Void = {}) throws(FetchError) {
        self.path = path
        self.onRebuild = onRebuild
        isReadOnly = false
        let opened = try Self.storage(path) { try IndexConnections.openOrRebuild(path) }
        connections = Locked(opened.connections)
        if opened.isNew { onRebuild() }
    }

    /// Opens the index of a cache that is only read.
    ///
    /// - Throws: ``FetchError/Code/storage`` if there is none, or it cannot be read.
    init(readingOnly path: String) throws(FetchError) {
        self.path = path
        isReadOnly = true
        onRebuild = {}
        connections = Locked(
            try Self.storage(path) { try IndexConnections.open(readingOnly: path) })
    }

    /// Reads at once, on the caller's thread, which waits for no writer: for a few rows by their key.
    func read<Value>(_ body: (Database) throws -> Value) throws(FetchError) -> Value {
        try withConnections { (connections) throws(FetchError) in
            try Self.storage(path) { try connections.read(body) }
        }
    }

    /// Reads, together with whatever else is waiting.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await perform(writes: false, body)
    }

    /// Writes, together with whatever else is waiting; returns when it is committed.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await perform(writes: true, body)
    }

    /// Does what cannot be done in a transaction together with others.
    func alone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { connections in
            await withCheckedContinuation { continuation in
                connections.writer.asyncWriteWithoutTransaction { database in
                    continuation.resume(
                        returning: Result { () throws(FetchError) in
                            try Self.storage(self.path) { try body(database) }
                        })
                }
            }
        }
    }

    /// Closes the connections; what is asked of the index afterwards fails.
    func close() async {
        try? await flushTouches()
        connections.withLock { $0.close() }
    }
}

extension Index {
    private func perform<Value: Sendable>(
        writes: Bool, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        try await repeatedly { connections in
            await withCheckedContinuation { continuation in
                let job = Job(writes: writes) { database in
                    let result = Result { () throws(FetchError) in
                        try Self.run(body, writes: writes, database, self.path)
                    }
                    return { failure in
                        continuation.resume(returning: failure.map { .failure($0) } ?? result)
                    }
                }
                let mustSchedule = self.pending.withLock { pending in
                    pending.jobs.append(job)
                    defer { pending.isScheduled = true }
                    return !pending.isScheduled
                }
                if mustSchedule {
                    connections.writer.asyncWriteWithoutTransaction { self.runPending($0) }
                }
            }
        }
    }

    /// Does the work of one job.
    ///
    /// What fails halfway leaves nothing in the transaction, which is that of other jobs too.
    private static func run<Value>(
        _ body: (Database) throws -> Value, writes: Bool, _ database: Database?, _ path: String
    ) throws(FetchError) -> Value {
        guard let database else { throw FetchError(.storage, path, "is not usable") }
        return try storage(path) {
            guard writes else { return try body(database) }
            var value: Value?
            try database.inSavepoint {
                value = try body(database)
                return .commit
            }
            guard let value else { throw FetchError(.storage, path, "is not usable") }
            return value
        }
    }

    private func runPending(_ database: Database) {
        let jobs = pending.withLock { pending in
            pending.isScheduled = false
            defer { pending.jobs = [] }
            return pending.jobs
        }
        var answers: [@Sendable (FetchError?) -> Void] = []
        var failure: FetchError?
        if jobs.contains(where: \.writes) {
            do {
                try Self.storage(path) {
                    try database.inTransaction(.immediate) {
                        answers = jobs.map { $0.run(database) }
                        return .commit
                    }
                }
            } catch {
                failure = error
            }
        }
        // Reads alone need no transaction; one that could not begin has run nothing.
        if answers.isEmpty { answers = jobs.map { $0.run(failure == nil ? database : nil) } }
        for answer in answers { answer(failure) }
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
        let mustFlush = pending.withLock { pending in
            if pending.touches.isEmpty { pending.firstTouch = now }
            return pending.touches.insert(touch).inserted
                && (pending.touches.count == Self.mostTouches
                    || now - pending.firstTouch > Self.longestTouch)
        }
        if mustFlush { Task { try? await flushTouches() } }
    }

    /// Writes the times of last use that are not written yet.
    func flushTouches(at now: Timestamp = .now) async throws(FetchError) {
        let touches = pending.withLock { pending in
            defer { pending.touches = [] }
            return pending.touches
        }
        if touches.isEmpty { return }
        try await write { database in
            for touch in touches { try touch.write(to: database, at: now) }
        }
    }
}
