internal import GRDB

/// The SQLite file beside the blobs: entries, variants and values.
///
/// All access goes through one connection on a thread of its own. What is asked for while a
/// transaction runs is done together in the next one, so that thousands of small writes cost a few
/// transactions.
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

    private let queue: DatabaseQueue
    private let path: String
    private let isReadOnly: Bool
    let pending = Locked(Pending())
    /// See ``hasParts()``; nil before that was looked up.
    let mayHaveParts = Locked<Bool?>(nil)

    /// Opens the index, or makes it.
    ///
    /// One that is damaged is made anew: it is a cache.
    init(path: String) throws(FetchError) {
        self.path = path
        isReadOnly = false
        do {
            if Self.isMarked(path) { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            queue = try Self.open(path)
        } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        {
            queue = try Self.storage(path) { try Self.mended(path) }
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Opens the index of a cache that is only read.
    ///
    /// - Throws: ``FetchError/Code/storage`` if there is none, or it cannot be read.
    init(readingOnly path: String) throws(FetchError) {
        self.path = path
        isReadOnly = true
        do {
            queue = try Self.open(path, isReadOnly: true)
        } catch {
            // Where SQLite cannot make its own files beside the index, it reads what it is told will
            // not change.
            queue = try Self.storage(path) {
                try Self.open("file:\(Self.escaped(path))?immutable=1", isReadOnly: true)
            }
        }
    }

    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    private static func open(_ path: String, isReadOnly: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "FetchCache.index"
        configuration.busyMode = .timeout(30)
        configuration.foreignKeysEnabled = false
        configuration.readonly = isReadOnly
        configuration.prepareDatabase { database in
            if isReadOnly { try Schema.check(database) } else { try Schema.prepare(database) }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Reads at once, on the caller's thread: for a few rows by their key.
    func read<Value>(_ body: (Database) throws -> Value) throws(FetchError) -> Value {
        do throws(FetchError) {
            return try Self.storage(path) { try queue.inDatabase(body) }
        } catch {
            throw mark(error)
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
        let path = self.path
        let result: Result<Value, FetchError> = await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    returning: Result { () throws(FetchError) in
                        try Self.storage(path) { try body(database) }
                    })
            }
        }
        return try result.get()
    }

    /// Closes the connection; what is asked of the index afterwards fails.
    func close() async {
        try? await flushTouches()
        try? queue.close()
    }
}

extension Index {
    private func perform<Value: Sendable>(
        writes: Bool, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(FetchError) -> Value {
        let path = self.path
        let result: Result<Value, FetchError> = await withCheckedContinuation { continuation in
            let job = Job(writes: writes) { database in
                let result = Result { () throws(FetchError) in
                    guard let database else { throw FetchError(.storage, path, "is not usable") }
                    return try Self.storage(path) { try body(database) }
                }
                return { failure in
                    continuation.resume(returning: failure.map { .failure($0) } ?? result)
                }
            }
            let mustSchedule = pending.withLock { pending in
                pending.jobs.append(job)
                defer { pending.isScheduled = true }
                return !pending.isScheduled
            }
            if mustSchedule { queue.asyncWriteWithoutTransaction { self.runPending($0) } }
        }
        do throws(FetchError) { return try result.get() } catch { throw mark(error) }
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

    /// The one place where an error of SQLite becomes one of this library.
    static func storage<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws(FetchError) -> Value {
        do { return try body() } catch { throw failure(path, error) }
    }

    static func failure(_ path: String, _ error: any Error) -> FetchError {
        if let error = error as? FetchError { return error }
        guard let error = error as? DatabaseError else {
            return FetchError(.storage, path, "\(error)")
        }
        switch error.resultCode {
        case .SQLITE_FULL: return FetchError(.storage, path, "no space left")
        case .SQLITE_CORRUPT:
            var error = FetchError(
                .storage, path, "it is damaged, and is made anew when opened next")
            error.isOfDamage = true
            return error
        case let code:
            return FetchError(.storage, path, error.message ?? "SQLite error \(code.rawValue)")
        }
    }

    /// Notes that the index was found damaged while it was in use; others may have it open too.
    private func mark(_ error: FetchError) -> FetchError {
        if !isReadOnly, error.isOfDamage {
            try? FileSystem.write("", toNew: Self.marker(path))
        }
        return error
    }

    private static func marker(_ path: String) -> String { path + ".damaged" }

    private static func isMarked(_ path: String) -> Bool {
        FileSystem.size(of: marker(path)) != nil
    }

    /// Makes a damaged index anew, while no other process does: those who have it open go on with what
    /// they have.
    private static func mended(_ path: String) throws -> DatabaseQueue {
        try FileSystem.withLock("\(path).lock") {
            // Another may have done it meanwhile.
            if !isMarked(path), let queue = try? open(path) { return queue }
            for suffix in ["", "-wal", "-shm"] { FileSystem.remove(path + suffix) }
            FileSystem.remove(marker(path))
            return try open(path)
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
