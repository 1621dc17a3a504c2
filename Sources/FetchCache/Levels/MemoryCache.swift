/// Recently used entries, kept in memory to avoid repeated lookups on disk.
///
/// The number of entries and their total cost are limited. The least recently used entry is removed
/// first, but never the newest one, unless a limit is 0: then nothing is kept. Bodies are not kept
/// in this structure. An entry that exists only in memory costs as much as its body, though.
struct MemoryCache {
    /// An element of the linked list from the most to the least recently used entry.
    private struct Node {
        var entry: Entry
        var cost: Int
        var newer: Int?
        var older: Int?
    }

    private let countLimit: Int
    private let costLimit: Int
    private var places: [String: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest: Int?
    private var oldest: Int?
    private(set) var cost = 0

    /// - Parameters:
    ///   - countLimit: The maximum number of entries.
    ///   - costLimit: The maximum total cost of the entries in bytes.
    init(countLimit: Int, costLimit: Int) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    var count: Int { places.count }

    /// The entry of a key; reading it counts as a use.
    subscript(key: String) -> Entry? {
        mutating get {
            guard let place = places[key], let entry = nodes[place]?.entry else { return nil }
            if newest != place {
                unlink(place)
                link(place)
            }
            return entry
        }
    }

    /// Adds an entry, replacing the previous entry of its key.
    ///
    /// - Returns: The removed entries, and the replaced one if it existed only in memory.
    mutating func put(_ entry: Entry) -> [Entry] {
        var evicted: [Entry] = []
        if let old = remove(entry.key), old.location != entry.location { evicted.append(old) }
        // If nothing is kept, the file of an entry that exists only in memory must stay until the
        // end: its caller has just received the path.
        if countLimit <= 0 || costLimit <= 0 { return evicted }
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(nil) }
        nodes[place] = Node(entry: entry, cost: entry.memoryCost)
        places[entry.key] = place
        cost += entry.memoryCost
        link(place)
        while places.count > countLimit || cost > costLimit, let oldest, oldest != place,
            let key = nodes[oldest]?.entry.key, let entry = remove(key)
        {
            evicted.append(entry)
        }
        return evicted
    }

    @discardableResult
    mutating func remove(_ key: String) -> Entry? {
        guard let place = places.removeValue(forKey: key), let node = nodes[place] else {
            return nil
        }
        unlink(place)
        nodes[place] = nil
        free.append(place)
        cost -= node.cost
        return node.entry
    }

    mutating func removeAll() -> [Entry] {
        let entries = nodes.compactMap { $0?.entry }
        self = MemoryCache(countLimit: countLimit, costLimit: costLimit)
        return entries
    }

    private mutating func link(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = nil
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
    }
}
