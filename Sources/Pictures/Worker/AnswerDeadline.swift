import Glibc

/// The time until which a worker must answer.
///
/// Its processor time counts, because on a busy machine an image must wait for a processor. A
/// worker that neither computes nor answers is ended after ten times as long by the clock.
struct AnswerDeadline {
    /// The total by the clock, as a multiple of the limit.
    static let clockFactor = 10.0

    /// In milliseconds.
    static let shortestWait: Int32 = 20

    private let processorEnd: Duration
    private let clockEnd: ContinuousClock.Instant

    /// - Parameters:
    ///   - process: The process ID of the worker.
    ///   - seconds: The limit of its processor time from now on.
    init(_ process: pid_t, seconds: Double) {
        processorEnd = WorkerUsage(of: process).processorTime + .seconds(seconds)
        clockEnd = .now + .seconds(seconds * Self.clockFactor)
    }

    /// The time until the deadline has to be checked again.
    ///
    /// - Parameter usage: The usage of the worker until now.
    /// - Returns: In milliseconds, at least ``shortestWait`` and at most 100.
    /// - Throws: ``WorkerProcess/ProcessError/timedOut`` and ``WorkerProcess/ProcessError/silent``.
    func millisecondsLeft(_ usage: WorkerUsage) throws(WorkerProcess.ProcessError) -> Int32 {
        let processor = processorEnd - usage.processorTime
        guard processor > .zero else { throw .timedOut }
        let clock = clockEnd - .now
        guard clock > .zero else { throw .silent }
        return max(Self.shortestWait, Int32(min(min(processor, clock) / .milliseconds(1), 100)))
    }
}
