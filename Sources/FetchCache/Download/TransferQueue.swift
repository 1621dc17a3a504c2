internal import DequeModule

/// Decides which waiting transfer, or which task of a ``ConcurrencyLimit``, may start.
///
/// The number of transfers is limited in total and for each host. High priority comes first, then
/// the order of the calls. If a host reports overload, its limit is halved and then slowly raised
/// again.
///
/// This is pure state without side effects. A transfer that ``next(now:)`` has returned counts as
/// running until ``finish(host:epoch:outcome:now:)``. Times are milliseconds of any monotonic
/// clock.
struct TransferQueue {
    /// The result of a transfer as far as it concerns its host.
    enum Outcome {
        case success
        /// HTTP 429 or 503: nothing is sent to the host until the given time.
        case overloaded(until: Int64)
        /// Any other result.
        case other
    }

    fileprivate struct Waiting {
        var id: UInt64
        var order: UInt64
    }

    private struct Host {
        var limit: Int
        var running = 0
        /// Incremented each time the limit is lowered.
        ///
        /// The results of transfers that started earlier do not count for the present limit.
        var epoch = 0
        var successes = 0
        var notBefore: Int64 = .min
        /// One queue for each priority.
        var lines = [Deque<Waiting>](
            repeating: [], count: FetchRequest.Priority.allCases.count)

        var isWaiting: Bool { lines.contains { !$0.isEmpty } }

        /// The position of the first transfer: its priority, and its order in all queues.
        var first: (priority: Int, order: UInt64)? {
            for priority in lines.indices.reversed() {
                if let waiting = lines[priority].first { return (priority, waiting.order) }
            }
            return nil
        }
    }

    /// The number of consecutive successful transfers after which the limit of a host is raised by
    /// one.
    static let successesForMore = 20

    /// The maximum number of concurrent transfers.
    var maximum: Int
    /// Whether no transfer starts.
    var isSuspended = false
    let maximumPerHost: Int
    /// Whether the newest transfer of a priority starts first.
    let isLastInFirstOut: Bool
    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var hosts: [String: Host] = [:]

    init(maximum: Int, maximumPerHost: Int, isLastInFirstOut: Bool = false) {
        self.isLastInFirstOut = isLastInFirstOut
        self.maximum = max(1, maximum)
        self.maximumPerHost = max(1, maximumPerHost)
    }

    /// Adds a transfer with the turn of its call.
    mutating func enqueue(
        _ id: UInt64, host: String, priority: FetchRequest.Priority, turn: UInt64
    ) {
        waitingCount += 1
        let waiting = Waiting(id: id, order: isLastInFirstOut ? UInt64.max - turn : turn)
        hosts[host, default: Host(limit: maximumPerHost)].lines[priority.rawValue].put(waiting)
    }

    /// Changes the priority of a waiting transfer; it is not an error if the transfer is not
    /// waiting.
    mutating func move(_ id: UInt64, host name: String, to priority: FetchRequest.Priority) {
        // Modify it in place: a copy of the host would copy its queues.
        for other in FetchRequest.Priority.allCases.map(\.rawValue) where other != priority.rawValue
        {
            guard let index = hosts[name]?.lines[other].firstIndex(where: { $0.id == id }),
                let waiting = hosts[name]?.lines[other].remove(at: index)
            else { continue }
            hosts[name]?.lines[priority.rawValue].put(waiting)
        }
    }

    /// The transfer to start now, and the epoch to finish it with; nil if none may start.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - turn: The earliest turn of a call whose request may still come; it goes before later ones,
    ///     unless the newest transfer starts first.
    /// - Returns: The transfer.
    mutating func next(now: Int64, before turn: UInt64 = .max) -> (id: UInt64, epoch: Int)? {
        guard !isSuspended, runningCount < maximum, waitingCount > 0 else { return nil }
        var best: (host: String, priority: Int, order: UInt64)?
        for (name, host) in hosts where host.running < host.limit && host.notBefore <= now {
            guard let first = host.first, isLastInFirstOut || first.order < turn else { continue }
            // Higher priority goes first, then earlier arrival.
            if let best, (best.priority, first.order) > (first.priority, best.order) { continue }
            best = (name, first.priority, first.order)
        }
        guard let best, let waiting = hosts[best.host]?.lines[best.priority].popFirst(),
            let epoch = hosts[best.host]?.epoch
        else { return nil }
        hosts[best.host]?.running += 1
        runningCount += 1
        waitingCount -= 1
        return (waiting.id, epoch)
    }

    /// The milliseconds until an overloaded host may be used again; nil if there is none.
    func patience(now: Int64) -> Int64? {
        hosts.values.lazy.filter { $0.notBefore > now && $0.isWaiting }
            .map { $0.notBefore - now }.min()
    }

    /// Removes a running transfer of a host.
    mutating func finish(host name: String, epoch: Int, outcome: Outcome, now: Int64) {
        guard var host = hosts[name] else { return }
        host.running -= 1
        runningCount -= 1
        switch outcome {
        case .success where host.limit < maximumPerHost && host.epoch == epoch:
            host.successes += 1
            if host.successes >= Self.successesForMore {
                host.successes = 0
                host.limit += 1
            }
        case .overloaded(let time):
            host.notBefore = max(host.notBefore, time)
            host.successes = 0
            if host.epoch == epoch {
                host.limit = max(1, host.limit / 2)
                host.epoch += 1
            }
        default: break
        }
        put(host, name, now: now)
    }

    /// Removes a waiting transfer; it is not an error if the transfer is not waiting.
    mutating func remove(_ id: UInt64, host name: String, now: Int64) {
        for priority in FetchRequest.Priority.allCases.map(\.rawValue) {
            guard
                let index = hosts[name]?.lines[priority].firstIndex(where: { $0.id == id })
            else { continue }
            hosts[name]?.lines[priority].remove(at: index)
            waitingCount -= 1
        }
        if let host = hosts[name] { put(host, name, now: now) }
    }

    /// Keeps the state of a host while it is needed.
    private mutating func put(_ host: Host, _ name: String, now: Int64) {
        let isIdle = host.running == 0 && !host.isWaiting
        let isUsual = host.limit == maximumPerHost && host.notBefore <= now
        hosts[name] = isIdle && isUsual ? nil : host
    }
}

extension Deque<TransferQueue.Waiting> {
    /// Inserts a transfer in its order, which is usually at an end.
    fileprivate mutating func put(_ waiting: Element) {
        if let first, waiting.order < first.order { return prepend(waiting) }
        var index = endIndex
        while index > startIndex, self[index - 1].order > waiting.order { index -= 1 }
        insert(waiting, at: index)
    }
}

/// The order of calls, whose requests reach the queue in another order because the look-ups before
/// them take different times.
///
/// This is pure state: a turn is open until the request of its call is in the queue, or until the call
/// needs none or waits for something else.
struct CallTurns {
    private var last: UInt64 = 0
    private var open: Deque<UInt64> = []
    /// The turns that have ended, and are not first in ``open``.
    private var ended: Set<UInt64> = []

    /// The earliest open turn, before which no later one starts; the largest number if there is none.
    var first: UInt64 { open.first ?? .max }

    mutating func take() -> UInt64 {
        last += 1
        open.append(last)
        return last
    }

    /// Ends a turn, which may have ended before.
    mutating func end(_ turn: UInt64) {
        guard turn >= first else { return }
        ended.insert(turn)
        while let first = open.first, ended.remove(first) != nil { open.removeFirst() }
    }
}

/// The turn of one call, which ends at the latest together with the call.
struct CallTurn: Sendable {
    let number: UInt64
    let onEnd: @Sendable (UInt64) -> Void

    /// Ends the turn: later calls need not wait for it.
    func end() { onEnd(number) }
}
