internal import DequeModule

/// Which of the waiting transfers may begin: bounded in all and for each host, high priority
/// first, then in the order of their coming.
///
/// A host that says it is overloaded is given half as many from then on, and then slowly more
/// again. Does nothing itself; a transfer that ``next(now:)`` gives counts as running until
/// ``finish(host:epoch:outcome:now:)``. Times are milliseconds of any one clock.
struct TransferQueue {
    /// What the end of a transfer tells of its host.
    enum Outcome {
        case success
        /// HTTP 429 or 503: nothing is sent to the host until the time given.
        case overloaded(until: Int64)
        /// Anything else.
        case other
    }

    fileprivate struct Waiting {
        var id: UInt64
        var order: UInt64
    }

    private struct Host {
        var limit: Int
        var running = 0
        /// Raised each time that the limit is lowered: transfers that began before say nothing of
        /// the limit as it is now.
        var epoch = 0
        var successes = 0
        var notBefore: Int64 = .min
        /// One line for each priority.
        var lines = [Deque<Waiting>](
            repeating: [], count: FetchRequest.Priority.allCases.count)

        var isWaiting: Bool { lines.contains { !$0.isEmpty } }

        /// The place of the first to go: its priority, and its order in all lines.
        var first: (priority: Int, order: UInt64)? {
            for priority in lines.indices.reversed() {
                if let waiting = lines[priority].first { return (priority, waiting.order) }
            }
            return nil
        }
    }

    /// With whom no further transfer can begin at the moment.
    struct Saturation: Sendable, Equatable {
        /// Whether there are as many as there may be in all.
        var isFull = false
        /// Those with as many as they may have.
        var hosts: Set<String> = []

        var isNone: Bool { !isFull && hosts.isEmpty }

        func covers(_ host: String) -> Bool { isFull || hosts.contains(host) }
    }

    /// How many transfers in a row a host has to bear well before it is given one more at a time.
    static let successesForMore = 20

    /// The most transfers at one time; 0 lets none begin.
    var maximum: Int
    let maximumPerHost: Int
    /// Whether the last to come goes first, within its priority.
    let isLastInFirstOut: Bool
    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var hosts: [String: Host] = [:]
    private var lastOrder: UInt64 = 0

    init(maximum: Int, maximumPerHost: Int, isLastInFirstOut: Bool = false) {
        self.isLastInFirstOut = isLastInFirstOut
        self.maximum = max(1, maximum)
        self.maximumPerHost = max(1, maximumPerHost)
    }

    mutating func enqueue(_ id: UInt64, host: String, priority: FetchRequest.Priority) {
        lastOrder += 1
        waitingCount += 1
        let waiting = Waiting(id: id, order: isLastInFirstOut ? UInt64.max - lastOrder : lastOrder)
        hosts[host, default: Host(limit: maximumPerHost)].lines[priority.rawValue]
            .put(waiting, first: isLastInFirstOut)
    }

    /// Gives a waiting transfer a higher priority; one that does not wait is no error.
    mutating func raise(_ id: UInt64, host name: String, to priority: FetchRequest.Priority) {
        // In its place: a copy of the host would copy its lines.
        for lower in 0..<priority.rawValue {
            guard let index = hosts[name]?.lines[lower].firstIndex(where: { $0.id == id }),
                let waiting = hosts[name]?.lines[lower].remove(at: index)
            else { continue }
            hosts[name]?.lines[priority.rawValue].put(waiting, first: isLastInFirstOut)
        }
    }

    /// The transfer to begin now, and the epoch to finish it with; nil if none waits or may begin.
    mutating func next(now: Int64) -> (id: UInt64, epoch: Int)? {
        guard runningCount < maximum, waitingCount > 0 else { return nil }
        var best: (host: String, priority: Int, order: UInt64)?
        for (name, host) in hosts where host.running < host.limit && host.notBefore <= now {
            guard let first = host.first else { continue }
            // Higher priority goes first, then the one that came earlier.
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

    var saturation: Saturation {
        var saturation = Saturation(isFull: runningCount >= maximum)
        if !saturation.isFull {
            for (name, host) in hosts where host.running >= host.limit {
                saturation.hosts.insert(name)
            }
        }
        return saturation
    }

    /// Milliseconds until a host that has to be left alone may be asked again; nil if none has.
    func patience(now: Int64) -> Int64? {
        hosts.values.lazy.filter { $0.notBefore > now && $0.isWaiting }
            .map { $0.notBefore - now }.min()
    }

    /// Takes a running transfer of a host out.
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

    /// Takes a waiting transfer out; one that does not wait is no error.
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

    /// Keeps a host while there is something to know of it.
    private mutating func put(_ host: Host, _ name: String, now: Int64) {
        let isIdle = host.running == 0 && !host.isWaiting
        let isUsual = host.limit == maximumPerHost && host.notBefore <= now
        hosts[name] = isIdle && isUsual ? nil : host
    }
}

extension Deque<TransferQueue.Waiting> {
    fileprivate mutating func put(_ waiting: Element, first: Bool) {
        if first { prepend(waiting) } else { append(waiting) }
    }
}
