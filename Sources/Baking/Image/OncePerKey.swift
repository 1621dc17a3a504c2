/// Makes one value for each key, regardless of the number of callers.
actor OncePerKey<Key: Hashable & Sendable, Value: Sendable> {
    private enum Entry {
        case running(Task<Value, Never>)
        /// Only the value is kept, because a finished task still holds the memory that it used.
        case made(Value)
    }

    private var entries: [Key: Entry] = [:]
    private var isStopped = false

    /// The value for `key`; the first call makes it in a separate task.
    func value(for key: Key, make: @escaping @Sendable () async -> Value) async -> Value {
        await outcome(for: key, make: make).value
    }

    /// The value for `key`, and whether this call was the first.
    func outcome(
        for key: Key, make: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isFirst: Bool) {
        switch entries[key] {
        case .made(let value): return (value, false)
        case .running(let task): return (await task.value, false)
        case nil: return (await made(for: key, by: make), true)
        }
    }

    private func made(
        for key: Key, by make: @escaping @Sendable () async -> Value
    ) async -> Value {
        let task = Task { [isStopped] in
            // A cancellation from outside might come after the work has begun.
            if isStopped { withUnsafeCurrentTask { $0?.cancel() } }
            return await make()
        }
        entries[key] = .running(task)
        let value = await task.value
        // The key may have been forgotten and requested again in the meantime.
        if case .running(task) = entries[key] { entries[key] = .made(value) }
        return value
    }

    /// Forgets the value of a key, so that the next call makes it again.
    func forget(_ key: Key) { entries[key] = nil }

    /// Forgets the values of the matching keys, so that the next calls make them again.
    func forget(where isForgotten: (Key) -> Bool) {
        entries = entries.filter { !isForgotten($0.key) }
    }

    /// Cancels all running work; work that is requested later is cancelled at its start.
    func stop() {
        isStopped = true
        for case .running(let task) in entries.values { task.cancel() }
    }
}
