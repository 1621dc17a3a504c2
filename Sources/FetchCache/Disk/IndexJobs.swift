internal import GRDB

/// Jobs that wait for the next transaction of one writer.
struct IndexJobs: Sendable {
    struct Job: Sendable {
        var writes: Bool
        /// Does the work, or none without a database, and gives back what tells the caller how it
        /// went: with the error of the transaction as a whole, if that failed.
        var run: @Sendable (Database?) -> @Sendable (FetchError?) -> Void
    }

    var waiting: [Job] = []
    /// Whether the writer will come for them.
    var isScheduled = false
}

extension IndexConnections {
    /// Does a job together with whatever else is waiting; a write is committed when it returns.
    func perform<Value: Sendable>(
        writes: Bool, _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, FetchError> {
        await withCheckedContinuation { continuation in
            let path = file.path
            let job = IndexJobs.Job(writes: writes) { database in
                let result = Result { () throws(FetchError) in
                    try Self.run(body, writes: writes, database, path)
                }
                return { failure in
                    continuation.resume(returning: failure.map { .failure($0) } ?? result)
                }
            }
            let mustSchedule = jobs.withLock { jobs in
                jobs.waiting.append(job)
                defer { jobs.isScheduled = true }
                return !jobs.isScheduled
            }
            if mustSchedule { writer.asyncWriteWithoutTransaction { self.runJobs($0) } }
        }
    }

    /// Does what cannot be done in a transaction together with others.
    func alone<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, FetchError> {
        await withCheckedContinuation { continuation in
            let path = file.path
            writer.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    returning: Result { () throws(FetchError) in
                        try Index.storage(path) { try body(database) }
                    })
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
        return try Index.storage(path) {
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

    private func runJobs(_ database: Database) {
        let waiting = jobs.withLock { jobs in
            jobs.isScheduled = false
            defer { jobs.waiting = [] }
            return jobs.waiting
        }
        var answers: [@Sendable (FetchError?) -> Void] = []
        var failure: FetchError?
        if waiting.contains(where: \.writes) {
            do {
                try Index.storage(file.path) {
                    try database.inTransaction(.immediate) {
                        answers = waiting.map { $0.run(database) }
                        return .commit
                    }
                }
            } catch {
                failure = error
            }
        }
        // Reads alone need no transaction; one that could not begin has run nothing.
        if answers.isEmpty { answers = waiting.map { $0.run(failure == nil ? database : nil) } }
        for answer in answers { answer(failure) }
    }
}
