internal import DequeModule

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
