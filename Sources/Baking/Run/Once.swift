/// One value a key, made once however many ask for it.
actor Once<Key: Hashable & Sendable, Value: Sendable> {
    private var tasks: [Key: Task<Value, Never>] = [:]
    private var isStopped = false

    /// The value for `key`; the first to ask has it made, in a task of its own.
    func value(for key: Key, make: @escaping @Sendable () async -> Value) async -> Value {
        await outcome(for: key, make: make).value
    }

    /// The value for `key`, and whether this call is the first to ask.
    func outcome(
        for key: Key, make: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isFirst: Bool) {
        if let task = tasks[key] { return (await task.value, false) }
        let task = Task { await make() }
        if isStopped { task.cancel() }
        tasks[key] = task
        return (await task.value, true)
    }

    /// Forgets the values of some keys, so that they are made anew when they are next asked for.
    func forget(where isForgotten: (Key) -> Bool) {
        tasks = tasks.filter { !isForgotten($0.key) }
    }

    /// Cancels what is being made, and what is asked for later at its beginning.
    func stop() {
        isStopped = true
        for task in tasks.values { task.cancel() }
    }
}
