import Baking
import FetchCache

/// Opens a cache for the time of some work.
///
/// - Parameters:
///   - configuration: Of the cache.
///   - body: The work.
/// - Returns: What the work gives.
/// - Throws: ``UsageFault`` if the folder cannot be a cache; what the work throws.
func withCache<Success>(
    _ configuration: FetchConfiguration, _ body: (FetchCache) async throws -> Success
) async throws -> Success {
    let cache: FetchCache
    do throws(FetchError) {
        cache = try FetchCache(configuration)
    } catch {
        throw UsageFault("\(error.problem.reason); \(error.problem.remedy)")
    }
    let result: Result<Success, any Error>
    do {
        result = .success(try await body(cache))
    } catch {
        result = .failure(error)
    }
    await cache.close()
    return try result.get()
}

extension Error {
    /// Whether some work did not fail, but was cancelled.
    var isCancellation: Bool {
        self is CancellationError || (self as? FetchError)?.code == .cancelled
    }
}
