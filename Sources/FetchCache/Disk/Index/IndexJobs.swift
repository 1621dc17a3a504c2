internal import GRDB
import Locks

/// Jobs that wait for the next transaction of one writer.
struct IndexJobs: Sendable {
    struct Job: Sendable {
        var writes: Bool
        /// Does the work, or skips it if there is no database.
        ///
        /// Returns a closure that reports the result to the caller, or the error of the whole
        /// transaction if that failed.
        var run: @Sendable (Database?) -> @Sendable (FetchError?) -> Void
    }

    var waiting: [Job] = []
    /// Whether a run of the writer is scheduled.
    var isScheduled = false
}

extension IndexConnections {
    /// Runs a job in one transaction with other waiting jobs; a write is committed on return.
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

    /// Runs a job that cannot share a transaction with others.
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

    /// Runs one job.
    ///
    /// A job that fails halfway is rolled back without affecting the other jobs of the transaction.
    private static func run<Value>(
        _ body: (Database) throws -> Value, writes: Bool, _ database: Database?, _ path: String
    ) throws(FetchError) -> Value {
        guard let database else { throw FetchError(.storage, path, "cannot be used") }
        return try Index.storage(path) {
            guard writes else { return try body(database) }
            var value: Value?
            try database.inSavepoint {
                value = try body(database)
                return .commit
            }
            guard let value else { throw FetchError(.storage, path, "cannot be used") }
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
        // Reads alone need no transaction. A transaction that could not begin has run no job.
        if answers.isEmpty { answers = waiting.map { $0.run(failure == nil ? database : nil) } }
        for answer in answers { answer(failure) }
    }
}
