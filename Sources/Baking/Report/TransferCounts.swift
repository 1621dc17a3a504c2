package import FetchCache
import Synchronization

/// What the transfers of a cache have come to, by its events.
package struct TransferCounts: Hashable, Sendable {
    /// Bytes of bodies that have arrived.
    package private(set) var receivedBytes = 0
    /// The keys of loads whose request is under way.
    private var running: Set<String> = []
    /// Bytes of the bodies that are not whole yet, by the keys of their loads.
    private var parts: [String: Int] = [:]

    package init() {}

    /// Requests that are under way.
    package var runningCount: Int { running.count }

    /// Takes one more event into account.
    package mutating func add(_ event: FetchEvent) {
        switch event.kind {
        case .started: running.insert(event.key)
        case .progress(let progress): receive(progress.receivedBytes, event.key)
        case .retried: running.remove(event.key)
        case .finished(let byteCount):
            receive(byteCount, event.key)
            end(event.key)
        case .revalidated, .failed, .cancelled: end(event.key)
        case .queued, .response, .evicted: break
        }
    }

    /// A further attempt may go on where the last one ended, or begin anew.
    private mutating func receive(_ byteCount: Int, _ key: String) {
        let before = parts[key] ?? 0
        receivedBytes += byteCount >= before ? byteCount - before : byteCount
        parts[key] = byteCount
    }

    private mutating func end(_ key: String) {
        running.remove(key)
        parts[key] = nil
    }
}

/// Follows the events of a cache, for progress to be drawn from.
package final class TransferBoard: Sendable {
    private let counts = Mutex(TransferCounts())

    package init() {}

    package var now: TransferCounts { counts.withLock { $0 } }

    /// Follows `events` until they end.
    ///
    /// - Parameter events: Of the cache; asked for before the first load.
    /// - Returns: A task that ends with them, which is when the cache is closed.
    package func follow(_ events: AsyncStream<FetchEvent>) -> Task<Void, Never> {
        Task {
            for await event in events { counts.withLock { $0.add(event) } }
        }
    }
}
