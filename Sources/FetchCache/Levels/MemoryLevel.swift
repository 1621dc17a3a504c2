internal import Files
import Locks

/// The entries that are in memory, with the files of those that exist only there.
final class MemoryLevel: Sendable {
    let entries: Locked<MemoryCache>
    let pressure = Locked(MemoryPressure())
    private let events: EventHub

    /// - Parameters:
    ///   - countLimit: The maximum number of entries.
    ///   - costLimit: The maximum size of the entries in bytes.
    ///   - events: Receives an event for each entry that is lost.
    init(countLimit: Int, costLimit: Int, events: EventHub) {
        entries = Locked(MemoryCache(countLimit: countLimit, costLimit: costLimit))
        self.events = events
    }

    /// The entry of a key; reading it counts as a use.
    func entry(for key: String) -> Entry? { entries.withLock { $0[key] } }

    /// Keeps an entry.
    ///
    /// If memory is short, all other entries are removed first.
    func remember(_ entry: Entry) {
        if pressure.withLock({ $0.isHigh(now: monotonicMilliseconds()) }) { removeAll() }
        drop(entries.withLock { $0.put(entry) })
    }

    func remove(_ key: String) {
        if let entry = entries.withLock({ $0.remove(key) }) { drop([entry]) }
    }

    func removeAll() { drop(entries.withLock { $0.removeAll() }) }

    /// Deletes the files of entries that existed only in memory.
    private func drop(_ entries: [Entry]) {
        for entry in entries {
            guard case .memory(let path) = entry.location else { continue }
            removeFile(path)
            events.emit(entry.key, .evicted)
        }
    }
}
