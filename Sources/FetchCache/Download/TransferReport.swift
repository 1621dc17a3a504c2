import Locks

/// Tells the callers of a transfer its progress, and the listeners of the cache its events.
final class TransferReport: Sendable {
    /// The minimum interval between two progress events in milliseconds.
    private static let eventInterval: Int64 = 100

    /// The callers that wait for the transfer.
    let flight: Flight
    private let key: String
    private let events: EventHub
    private let lastEvent = Locked<Int64>(.min)

    /// - Parameters:
    ///   - key: The cache key that events name.
    ///   - flight: The callers that wait for the transfer.
    ///   - events: The listeners of the cache.
    init(_ key: String, _ flight: Flight, _ events: EventHub) {
        self.key = key
        self.flight = flight
        self.events = events
    }

    func progress(_ progress: FetchProgress) {
        flight.report(progress)
        let now = monotonicMilliseconds()
        let isDue = lastEvent.withLock { last in
            let isDue = last == .min || now - last >= Self.eventInterval
            if isDue { last = now }
            return isDue
        }
        if isDue { emit(.progress(progress)) }
    }

    func emit(_ kind: @autoclosure () -> FetchEvent.Kind) { events.emit(key, kind()) }
}
