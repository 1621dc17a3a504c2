import FoundationEssentials

/// Works on many items concurrently and passes on the results in the order of the items.
///
/// - Parameters:
///   - items: The items.
///   - maximumInFlight: The maximum number of items whose results are not passed on yet. By default
///     it keeps each core busy while a long item delays the others.
///   - work: The work for each item.
///   - each: Called with each item and its result.
/// - Throws: The errors of `each`; `CancellationError`.
package func inOrder<Item: Sendable, Success: Sendable>(
    _ items: [Item],
    maximumInFlight: Int = 16 * ProcessInfo.processInfo.activeProcessorCount,
    work: @escaping @Sendable (Item) async throws -> Success,
    each: (Item, Result<Success, any Error>) throws -> Void
) async throws {
    typealias Outcome = (index: Int, result: Result<Success, any Error>)
    try await withThrowingTaskGroup(of: Outcome.self) { group in
        var done: [Int: Result<Success, any Error>] = [:]
        var started = 0
        var handedOver = 0
        while handedOver < items.count {
            while started < items.count, started - handedOver < maximumInFlight {
                let (index, item) = (started, items[started])
                group.addTask {
                    do {
                        return (index, .success(try await work(item)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
                started += 1
            }
            guard let outcome = try await group.next() else { break }
            try Task.checkCancellation()
            done[outcome.index] = outcome.result
            while let result = done.removeValue(forKey: handedOver) {
                try each(items[handedOver], result)
                handedOver += 1
            }
        }
    }
}
