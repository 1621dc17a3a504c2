/// Entries that were used lately, so that a key is looked up on disk once.
///
/// Bounded by count and by cost; the least recently used goes first, but never the one that has just
/// come, unless the bound is 0: then nothing is held. Holds no bodies, but those of entries that live in memory alone cost as much as they have
/// bytes.
struct MemoryCache {
    /// A link of the chain from the most to the least recently used.
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
    ///   - countLimit: The most entries.
    ///   - costLimit: The most bytes that they may cost together.
    init(countLimit: Int, costLimit: Int) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    var count: Int { places.count }

    /// The entry of a key, which counts as a use.
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

    /// Puts an entry over what its key had.
    ///
    /// - Returns: What had to make room, and what the key had if that lived in memory alone.
    mutating func put(_ entry: Entry) -> [Entry] {
        var evicted: [Entry] = []
        if let old = remove(entry.key), old.location != entry.location { evicted.append(old) }
        // Of a cache that holds nothing, the file of what lives in memory alone stays until the end:
        // its caller has only just been given it.
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

    /// Takes an entry out.
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

    /// Takes all entries out.
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
