package import FetchCache
import Locks

/// The transfers of a cache, counted from its events.
package struct TransferCounts: Hashable, Sendable {
    /// A running request.
    private struct Request: Hashable {
        var url: String
        var start: ContinuousClock.Instant
    }

    /// The bytes of bodies that have arrived.
    package fileprivate(set) var receivedBytes = 0
    /// The running requests, by the keys of their loads.
    private var running: [String: Request] = [:]
    /// The loads that have begun, by their keys; a retry continues its load.
    private var begun: [String: Request] = [:]
    /// The seconds from the first request of each load to its end, by URL.
    package private(set) var seconds: [String: Double] = [:]

    package init() {}

    /// The number of running requests.
    package var runningCount: Int { running.count }

    /// The URL and the start of the request that has been running for the longest time; nil if
    /// there is none.
    package var oldest: (url: String, start: ContinuousClock.Instant)? {
        running.values.min { $0.start < $1.start }.map { ($0.url, $0.start) }
    }

    /// Counts one more event.
    package mutating func add(_ event: FetchEvent, at now: ContinuousClock.Instant = .now) {
        switch event.kind {
        case .started(let url):
            let request = Request(url: url, start: now)
            running[event.key] = request
            if begun[event.key] == nil { begun[event.key] = request }
        case .progress: running[event.key]?.start = now
        case .retried: running[event.key] = nil
        case .finished, .revalidated, .failed, .cancelled: end(event.key, at: now)
        case .queued, .response, .evicted: break
        }
    }

    private mutating func end(_ key: String, at now: ContinuousClock.Instant) {
        running[key] = nil
        guard let load = begun.removeValue(forKey: key) else { return }
        seconds[load.url, default: 0] += (now - load.start) / .seconds(1)
    }
}

/// Follows the events of a cache for the progress display.
package final class TransferCounter: Sendable {
    private let counts = Locked(TransferCounts())
    /// The cache that is followed; nil before.
    private let cache = Locked<FetchManager?>(nil)

    package init() {}

    package var now: TransferCounts {
        let received = cache.withLock(\.self)?.activity.receivedBytes ?? 0
        return counts.withLock { counts in
            counts.receivedBytes = received
            return counts
        }
    }

    /// Follows the transfers of a cache until it is closed.
    ///
    /// - Parameter cache: The cache, before the first load.
    /// - Returns: A task that ends with the events.
    package func follow(_ cache: FetchManager) -> Task<Void, Never> {
        self.cache.withLock { $0 = cache }
        let events = cache.events
        return Task {
            for await event in events { counts.withLock { $0.add(event) } }
        }
    }
}
