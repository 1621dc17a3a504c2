internal import Files
import Locks

extension FetchCache {
    /// Removes all entries from memory; contents on disk are kept.
    ///
    /// Resources of requests with ``FetchRequest/memoryOnly`` are lost.
    public func clearMemory() { drop(memory.withLock { $0.removeAll() }) }

    /// Keeps an entry in memory.
    ///
    /// If memory is short, all other entries are removed from memory first.
    func remember(_ entry: Entry) {
        if pressure.withLock({ $0.isHigh(now: monotonicMilliseconds()) }) { clearMemory() }
        drop(memory.withLock { $0.put(entry) })
    }

    /// Removes one key from memory.
    func forget(_ key: String) {
        if let entry = memory.withLock({ $0.remove(key) }) { drop([entry]) }
    }

    /// Deletes the files of entries that existed only in memory.
    private func drop(_ entries: [Entry]) {
        for entry in entries {
            guard case .memory(let path) = entry.location else { continue }
            removeFile(path)
            hub.emit(entry.key, .evicted)
        }
    }
}
