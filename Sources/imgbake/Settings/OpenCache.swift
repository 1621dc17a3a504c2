import Baking
import FetchCache
import Reports

/// Opens a cache for the duration of `body`.
///
/// - Parameters:
///   - configuration: The configuration of the cache.
///   - body: The work.
/// - Returns: The result of `body`.
/// - Throws: ``UsageError`` if the folder cannot be used as a cache; the errors of `body`.
func withCache<Success>(
    _ configuration: FetchConfiguration, _ body: (FetchManager) async throws -> Success
) async throws -> Success {
    let cache: FetchManager
    do throws(FetchError) {
        cache = try FetchManager(configuration)
    } catch {
        throw UsageError("\(error.problem.reason); \(error.problem.remedy)")
    }
    return try await closing(cache) { try await body(cache) }
}

extension Error {
    /// Whether the error means that work was cancelled, not that it failed.
    var isCancellation: Bool {
        self is CancellationError || (self as? FetchError)?.code == .cancelled
    }
}
