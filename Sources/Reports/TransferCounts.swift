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
    package private(set) var receivedBytes = 0
    /// The running requests, by the keys of their loads.
    private var running: [String: Request] = [:]
    /// The loads that have begun, by their keys; a retry continues its load.
    private var begun: [String: Request] = [:]
    /// The seconds from the first request of each load to its end, by URL.
    package private(set) var seconds: [String: Double] = [:]
    /// The bytes of incomplete bodies, by the keys of their loads.
    private var parts: [String: Int] = [:]

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
        case .progress(let progress):
            receive(progress.receivedBytes, event.key)
            running[event.key]?.start = now
        case .retried: running[event.key] = nil
        case .finished(let byteCount):
            receive(byteCount, event.key)
            end(event.key, at: now)
        case .revalidated, .failed, .cancelled: end(event.key, at: now)
        case .queued, .response, .evicted: break
        }
    }

    /// A further attempt may continue the last one or start again.
    private mutating func receive(_ byteCount: Int, _ key: String) {
        let before = parts[key] ?? 0
        receivedBytes += byteCount >= before ? byteCount - before : byteCount
        parts[key] = byteCount
    }

    private mutating func end(_ key: String, at now: ContinuousClock.Instant) {
        running[key] = nil
        parts[key] = nil
        guard let load = begun.removeValue(forKey: key) else { return }
        seconds[load.url, default: 0] += (now - load.start) / .seconds(1)
    }
}

/// Follows the events of a cache for the progress display.
package final class TransferCounter: Sendable {
    private let counts = Locked(TransferCounts())

    package init() {}

    package var now: TransferCounts { counts.withLock { $0 } }

    /// Follows `events` until they end.
    ///
    /// - Parameter events: The events of the cache, requested before the first load.
    /// - Returns: A task that ends with the events, when the cache is closed.
    package func follow(_ events: AsyncStream<FetchEvent>) -> Task<Void, Never> {
        Task {
            for await event in events { counts.withLock { $0.add(event) } }
        }
    }
}
