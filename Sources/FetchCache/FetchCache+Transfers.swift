/// How many transfers may begin, and whether any may.
struct TransferLimit: Sendable {
    var maximum: Int
    var isSuspended = false

    /// What the engine is told.
    var effective: Int { isSuspended ? 0 : maximum }
}

extension FetchCache {
    /// The most transfers at one time; changes count from the next transfer on.
    ///
    /// At least 1. See ``FetchConfiguration/maximumTransfers``, which it begins with.
    public var maximumTransfers: Int {
        get { transferLimit.withLock(\.maximum) }
        set { change { $0.maximum = max(1, newValue) } }
    }

    /// Whether no transfer begins.
    public var isSuspended: Bool { transferLimit.withLock(\.isSuspended) }

    /// Lets no further transfer begin; those under way go on.
    public func suspend() { change { $0.isSuspended = true } }

    /// Lets transfers begin again.
    public func resume() { change { $0.isSuspended = false } }

    private func change(_ body: (inout TransferLimit) -> Void) {
        // Told under the lock, so that the last change is also the last that the engine hears of.
        transferLimit.withLock { limit in
            body(&limit)
            engine.setLimit(limit.effective)
        }
    }
}
