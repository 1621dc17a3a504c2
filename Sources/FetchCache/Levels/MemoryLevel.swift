internal import DequeModule
internal import Files
import Locks
public import SystemPackage

/// The entries that are in memory.
///
/// The bodies of those that exist only there are temporary files of the disk level, so that they have
/// paths.
public final class MemoryLevel: CacheLevel {
    let entries: Locked<MemoryCache>
    let pressure = Locked(MemoryPressure())
    let limits: FetchConfiguration.Memory
    private let onLoss = Locked<(@Sendable (_ key: String) -> Void)?>(nil)

    /// Creates an empty level.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of entries.
    ///   - costLimit: The maximum size of the entries in bytes, including the bodies of
    ///     ``FetchRequest/Storage-swift.enum/memory`` requests.
    public init(countLimit: Int = 4_096, costLimit: Int = 64_000_000) {
        entries = Locked(MemoryCache(countLimit: countLimit, costLimit: costLimit))
        var limits = FetchConfiguration.Memory()
        (limits.maximumCount, limits.maximumBytes) = (countLimit, costLimit)
        self.limits = limits
    }

    /// It can be erased, and is on this machine.
    ///
    /// The cache fills it by itself, since it keeps more than a ``LevelResponse`` tells.
    public var abilities: LevelAbilities { [.erase, .thisMachine] }

    /// The response of a key; it counts as a use.
    public func responses(for key: String) async throws(FetchError) -> [LevelResponse] {
        entry(for: key).map { [LevelResponse($0)] } ?? []
    }

    /// Nil: the disk level has the blobs of the responses in memory.
    public func blob(
        _ digest: BlobDigest, byteCount: Int, draft: FilePath
    ) async throws(FetchError) -> FilePath? { nil }

    /// Removes the response of a key.
    public func remove(_ key: String) async throws(FetchError) { forget(key) }

    /// Removes everything.
    public func close() async { removeAll() }

    /// Sets the action for an entry that existed only in memory and is lost.
    func onLoss(_ action: @escaping @Sendable (_ key: String) -> Void) {
        onLoss.withLock { $0 = action }
    }

    /// The entry of a key; reading it counts as a use.
    func entry(for key: String) -> Entry? { entries.withLock { $0[key] } }

    /// Keeps an entry.
    ///
    /// If memory is short, all other entries are removed first.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - unlessNewer: Whether a response that arrived later stays: the entry was read some time ago.
    func remember(_ entry: Entry, unlessNewer: Bool = false) {
        if pressure.withLock({ $0.isHigh(now: monotonicMilliseconds()) }) { removeAll() }
        let evicted = entries.withLock { entries -> [Entry] in
            if unlessNewer, let known = entries[entry.key]?.response,
                known.vary == entry.response.vary, known.arrival > entry.response.arrival
            {
                return []
            }
            return entries.put(entry)
        }
        drop(evicted)
    }

    func forget(_ key: String) {
        if let entry = entries.withLock({ $0.remove(key) }) { drop([entry]) }
    }

    func removeAll() { drop(entries.withLock { $0.removeAll() }) }

    /// Deletes the files of entries that existed only in memory.
    private func drop(_ entries: [Entry]) {
        for entry in entries {
            guard case .memory(let path) = entry.location else { continue }
            removeFile(path)
            onLoss.withLock { $0 }?(entry.key)
        }
    }
}

/// Recently used entries, kept in memory to avoid repeated lookups on disk.
///
/// The number of entries and their total cost are limited. The least recently used entry is removed
/// first, but never the newest one, unless a limit is 0: then nothing is kept. Bodies are not kept
/// in this structure. An entry that exists only in memory costs as much as its body, though.
struct MemoryCache {
    private struct Kept {
        var entry: Entry
        var cost: Int
        var lastUse: UInt64 = 0
    }

    private let countLimit: Int
    private let costLimit: Int
    private var kept: [String: Kept] = [:]
    /// The uses in their order; those count that are the last ones of their entries.
    private var uses: Deque<(key: String, number: UInt64)> = []
    private var useCount: UInt64 = 0
    private(set) var cost = 0

    /// - Parameters:
    ///   - countLimit: The maximum number of entries.
    ///   - costLimit: The maximum total cost of the entries in bytes.
    init(countLimit: Int, costLimit: Int) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    var count: Int { kept.count }

    /// The entry of a key; reading it counts as a use.
    subscript(key: String) -> Entry? {
        mutating get {
            guard let entry = kept[key]?.entry else { return nil }
            use(key)
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
        kept[entry.key] = Kept(entry: entry, cost: entry.memoryCost)
        cost += entry.memoryCost
        use(entry.key)
        while kept.count > countLimit || cost > costLimit, kept.count > 1,
            let (key, number) = uses.popFirst()
        {
            guard kept[key]?.lastUse == number, let oldest = remove(key) else { continue }
            evicted.append(oldest)
        }
        return evicted
    }

    @discardableResult
    mutating func remove(_ key: String) -> Entry? {
        guard let old = kept.removeValue(forKey: key) else { return nil }
        cost -= old.cost
        return old.entry
    }

    mutating func removeAll() -> [Entry] {
        defer { self = MemoryCache(countLimit: countLimit, costLimit: costLimit) }
        return kept.values.map(\.entry)
    }

    private mutating func use(_ key: String) {
        useCount += 1
        kept[key]?.lastUse = useCount
        uses.append((key, useCount))
        if uses.count < 2 * kept.count + 64 { return }
        let kept = kept
        uses.removeAll { kept[$0.key]?.lastUse != $0.number }
    }
}

/// Whether the control group of the process, or else the machine, is short of memory.
///
/// Checked before memory is used, but measured at most once a second.
struct MemoryPressure {
    /// The memory pressure from which memory counts as short: the percentage of the last ten
    /// seconds in which a task waited for memory (Linux pressure stall information).
    static let longestStall = 10.0

    private let files: [String]
    private var lastLook: Int64 = .min
    private var wasHigh = false

    /// - Parameter root: The root of the kernel's file systems; for tests.
    init(root: String = "") {
        let group = Self.text("\(root)/proc/self/cgroup")?.split(separator: "\n")
            .first { $0.hasPrefix("0::") }
        files =
            [
                group.map { "\(root)/sys/fs/cgroup\($0.dropFirst(3))/memory.pressure" },
                "\(root)/proc/pressure/memory",
            ].compactMap(\.self)
    }

    /// Whether memory is short; `now` is in milliseconds of any monotonic clock.
    mutating func isHigh(now: Int64) -> Bool {
        if lastLook != .min, now - lastLook < 1000 { return wasHigh }
        lastLook = now
        let average = files.lazy.compactMap(Self.text).first?
            .split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("avg10=") }
        wasHigh = average.flatMap { Double($0.dropFirst(6)) } ?? 0 > Self.longestStall
        return wasHigh
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? readFile(path, ofAnyKind: true).bytes else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
