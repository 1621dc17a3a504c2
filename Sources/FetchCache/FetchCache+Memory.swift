extension FetchCache {
    /// Drops all that is kept in memory; what is on disk stays.
    ///
    /// Resources of requests with ``FetchRequest/memoryOnly`` are gone with it.
    public func clearMemory() { drop(memory.withLock { $0.removeAll() }) }

    /// Keeps an entry in memory, unless that is short: then all that is kept there goes first.
    func remember(_ entry: Entry) {
        if pressure.withLock({ $0.isHigh(now: monotonicMilliseconds()) }) { clearMemory() }
        drop(memory.withLock { $0.put(entry) })
    }

    /// Drops one key from memory.
    func forget(_ key: String) {
        if let entry = memory.withLock({ $0.remove(key) }) { drop([entry]) }
    }

    /// Removes the files of entries that lived in memory alone.
    private func drop(_ entries: [Entry]) {
        for entry in entries {
            guard case .memory(let path) = entry.location else { continue }
            FileSystem.remove(path)
            hub.emit(entry.key, .evicted)
        }
    }
}
