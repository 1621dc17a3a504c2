internal import DequeModule

/// Which of the waiting transfers may begin: bounded in all and for each host, high priority
/// first, then in the order of their coming.
///
/// Does nothing itself; a transfer that ``next()`` gives counts as running until ``finish(_:)``.
struct TransferQueue {
    private struct Waiting {
        var id: UInt64
        var order: UInt64
    }

    private struct Host {
        var running = 0
        /// One line for each priority.
        var lines = [Deque<Waiting>](
            repeating: [], count: FetchRequest.Priority.allCases.count)

        var isIdle: Bool { running == 0 && lines.allSatisfy(\.isEmpty) }

        /// The place of the first to go: its priority, and its order in all lines.
        var first: (priority: Int, order: UInt64)? {
            for priority in lines.indices.reversed() {
                if let waiting = lines[priority].first { return (priority, waiting.order) }
            }
            return nil
        }
    }

    let maximum: Int
    let maximumPerHost: Int
    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var hosts: [String: Host] = [:]
    private var lastOrder: UInt64 = 0

    init(maximum: Int, maximumPerHost: Int) {
        self.maximum = max(1, maximum)
        self.maximumPerHost = max(1, maximumPerHost)
    }

    mutating func enqueue(_ id: UInt64, host: String, priority: FetchRequest.Priority) {
        lastOrder += 1
        waitingCount += 1
        hosts[host, default: Host()].lines[priority.rawValue]
            .append(Waiting(id: id, order: lastOrder))
    }

    /// The transfer to begin now; nil if none waits or none may begin.
    mutating func next() -> UInt64? {
        guard runningCount < maximum, waitingCount > 0 else { return nil }
        var best: (host: String, priority: Int, order: UInt64)?
        for (name, host) in hosts where host.running < maximumPerHost {
            guard let first = host.first else { continue }
            // Higher priority goes first, then the one that came earlier.
            if let best, (best.priority, first.order) > (first.priority, best.order) { continue }
            best = (name, first.priority, first.order)
        }
        guard let best, let waiting = hosts[best.host]?.lines[best.priority].popFirst() else {
            return nil
        }
        hosts[best.host]?.running += 1
        runningCount += 1
        waitingCount -= 1
        return waiting.id
    }

    /// Takes a running transfer of a host out.
    mutating func finish(host: String) {
        hosts[host]?.running -= 1
        runningCount -= 1
        if hosts[host]?.isIdle == true { hosts[host] = nil }
    }

    /// Takes a waiting transfer out; one that does not wait is no error.
    mutating func remove(_ id: UInt64, host: String) {
        guard var entry = hosts[host] else { return }
        for priority in entry.lines.indices {
            guard let index = entry.lines[priority].firstIndex(where: { $0.id == id }) else {
                continue
            }
            entry.lines[priority].remove(at: index)
            waitingCount -= 1
        }
        hosts[host] = entry.isIdle ? nil : entry
    }
}
