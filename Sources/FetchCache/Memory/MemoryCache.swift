internal import DequeModule

/// Entries that were used lately, so that a key is looked up on disk once.
///
/// Holds no bodies. Least recently used out first, by second chance: an entry that was used since
/// it was last looked at goes to the end of the line instead.
struct MemoryCache {
    private struct Slot {
        var entry: Entry
        var wasUsed: Bool
    }

    private let capacity: Int
    private var slots: [String: Slot] = [:]
    private var line: Deque<String> = []

    /// - Parameter capacity: The most entries, at least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { slots.count }

    /// The entry of a key, which counts as a use.
    subscript(key: String) -> Entry? {
        mutating get {
            guard let slot = slots[key] else { return nil }
            slots[key]?.wasUsed = true
            return slot.entry
        }
    }

    mutating func put(_ entry: Entry) {
        if slots.updateValue(Slot(entry: entry, wasUsed: false), forKey: entry.key) == nil {
            line.append(entry.key)
            evict()
        }
    }

    mutating func remove(_ key: String) {
        // Its place in the line is passed over when its turn comes.
        slots[key] = nil
        if line.count > 2 * capacity { line.removeAll { slots[$0] == nil } }
    }

    private mutating func evict() {
        while slots.count > capacity, let key = line.popFirst() {
            guard let slot = slots[key] else { continue }
            if slot.wasUsed {
                slots[key]?.wasUsed = false
                line.append(key)
            } else {
                slots[key] = nil
            }
        }
    }
}
