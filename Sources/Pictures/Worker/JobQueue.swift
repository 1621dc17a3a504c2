/// Jobs that wait for a worker and for memory.
///
/// Of the jobs that fit into the free memory, the one that needs the most starts first: at the end
/// of a bake, small jobs then fill the time of the last large one, and no core is idle. If many later
/// ones have overtaken the oldest job, it starts next, even if others wait for its memory.
struct JobQueue<Job: Sendable>: Sendable {
    private struct Waiting: Sendable {
        var job: Job
        var bytes: Int
    }

    /// The memory for all running jobs together, in bytes.
    let budget: Int
    /// The memory of the running jobs.
    private(set) var used = 0
    /// In the order of arrival.
    private var waiting: [Waiting] = []
    /// The number of later jobs that have started since the oldest one is the oldest.
    private var overtakingCount = 0

    /// The number of later jobs that may start before the oldest one.
    static var patience: Int { 64 }

    /// - Parameter budget: The memory for all running jobs together, in bytes.
    init(budget: Int) { self.budget = budget }

    /// The number of waiting jobs.
    var count: Int { waiting.count }

    /// Adds a job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - bytes: The memory that it needs. A job that needs more than the budget runs alone.
    mutating func add(_ job: Job, bytes: Int) {
        let bytes = min(max(0, bytes), budget)
        waiting.append(Waiting(job: job, bytes: bytes))
    }

    /// Starts a job.
    ///
    /// - Returns: The job and the memory to give back with ``finish(bytes:)``; nil if no job waits,
    ///   or none fits.
    mutating func start() -> (job: Job, bytes: Int)? {
        guard let index = nextIndex else { return nil }
        let next = waiting.remove(at: index)
        used += next.bytes
        overtakingCount = index == 0 ? 0 : overtakingCount + 1
        return (next.job, next.bytes)
    }

    private var nextIndex: Int? {
        let free = budget - used
        guard let oldest = waiting.first else { return nil }
        if overtakingCount >= Self.patience {
            return oldest.bytes <= free ? 0 : nil
        }
        var best: Int?
        for (index, candidate) in waiting.enumerated() where candidate.bytes <= free {
            if best.map({ candidate.bytes > waiting[$0].bytes }) ?? true { best = index }
        }
        return best
    }

    /// Gives back the memory of a job that has ended.
    mutating func finish(bytes: Int) { used -= bytes }

    /// Removes the waiting jobs.
    mutating func removeAll() -> [Job] {
        defer { waiting = [] }
        return waiting.map(\.job)
    }
}
