import Locks

/// The maximum number of transfers, and whether new ones are suspended.
struct TransferLimit: Sendable {
    var maximum: Int
    var isSuspended = false

    /// The limit passed to the engine.
    var effective: Int { isSuspended ? 0 : maximum }
}

extension FetchCache {
    /// The maximum number of concurrent transfers; a change applies to transfers that start later.
    ///
    /// At least 1. The initial value is ``FetchConfiguration/maximumTransfers``.
    public var maximumTransfers: Int {
        get { transferLimit.withLock(\.maximum) }
        set { change { $0.maximum = max(1, newValue) } }
    }

    /// Whether new transfers are suspended.
    public var isSuspended: Bool { transferLimit.withLock(\.isSuspended) }

    /// Suspends new transfers; running ones continue.
    public func suspend() { change { $0.isSuspended = true } }

    /// Allows new transfers again.
    public func resume() { change { $0.isSuspended = false } }

    private func change(_ body: (inout TransferLimit) -> Void) {
        // The change is sent while the lock is held, so that the engine receives changes in order.
        transferLimit.withLock { limit in
            body(&limit)
            engine.setLimit(limit.effective)
        }
    }
}
