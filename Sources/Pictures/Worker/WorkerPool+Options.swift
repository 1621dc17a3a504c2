package import Files
package import Recipes
package import Reports

extension WorkerPool {
    /// The reason why a job failed without an answer.
    package enum PoolError: Error, Equatable, Sendable {
        /// No worker can be started, so no job can be done.
        case unavailable(Problem)
        /// The worker crashed during this job, or was killed because it took too long.
        case lost(String)
        /// The worker broke a rule for its answers, so none of the answer is used.
        case untrusted(BrokenRule)
        /// The pool was shut down.
        case stopped
        /// The source could not be read, or the output could not be written.
        case file(FileError)
    }

    /// The options of the workers.
    package struct Options: Sendable {
        /// The maximum number of workers.
        package var size: Int
        /// The memory that a worker may use in addition to that at its start, in bytes.
        package var memoryBytes = Limits().memoryBytes
        /// The memory of all running jobs together, as far as it can be estimated, in bytes; no
        /// limit by default.
        package var memoryBudget = Int.max
        /// Whether to use a worker whose sandbox is incomplete; false by default.
        package var allowsWeakSandbox = false

        package init(size: Int) { self.size = size }
    }
}
