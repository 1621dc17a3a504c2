import Locks

/// Counts the images that are being made, and knows whether more may be started.
final class StartedWork: Sendable {
    private struct State {
        var isStopping = false
        var count = 0
    }

    private let state = Locked(State())

    /// Whether no more images are started.
    var isStopping: Bool { state.withLock(\.isStopping) }
    /// Whether an image is being made.
    var isRunning: Bool { state.withLock { $0.count > 0 } }

    func stop() { state.withLock { $0.isStopping = true } }

    /// Runs `body` and counts it while it runs.
    func run<Success>(_ body: () async throws -> Success) async rethrows -> Success {
        state.withLock { $0.count += 1 }
        defer { state.withLock { $0.count -= 1 } }
        return try await body()
    }
}
