/// Makes one value for each key, however many callers ask for it.
actor Once<Key: Hashable & Sendable, Value: Sendable> {
    private enum Entry {
        case running(Task<Value, Never>)
        /// The value alone: a task that has ended still holds the memory that it worked with.
        case made(Value)
    }

    private var entries: [Key: Entry] = [:]
    private var isStopped = false

    /// The value for `key`; the first caller has it made, in a task of its own.
    func value(for key: Key, make: @escaping @Sendable () async -> Value) async -> Value {
        await outcome(for: key, make: make).value
    }

    /// The value for `key`, and whether this call is the first to ask.
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
        let task = Task { await make() }
        if isStopped { task.cancel() }
        entries[key] = .running(task)
        let value = await task.value
        // Meanwhile the key may have been forgotten, and asked for again.
        if case .running(task) = entries[key] { entries[key] = .made(value) }
        return value
    }

    /// Forgets the value of a key, so that it is made anew when it is next asked for.
    func forget(_ key: Key) { entries[key] = nil }

    /// Forgets the values of some keys, so that they are made anew when they are next asked for.
    func forget(where isForgotten: (Key) -> Bool) {
        entries = entries.filter { !isForgotten($0.key) }
    }

    /// Cancels everything that is being made, and everything that is asked for later at its beginning.
    func stop() {
        isStopped = true
        for case .running(let task) in entries.values { task.cancel() }
    }
}
