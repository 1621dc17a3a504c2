import Files
import Glibc
import Locks
public import SystemPackage

/// The entries that are in memory, with the bodies of those that exist only there.
///
/// Bodies are files in the file system of the machine's shared memory, so that they have paths.
/// Without such a file system, they are in the folder of the disk level.
public final class MemoryLevel: CacheLevel {
    let entries: Locked<MemoryCache>
    let pressure = Locked(MemoryPressure())
    let limits: FetchConfiguration.Memory
    /// The maximum size of a body that is kept in memory.
    let longestBody: Int
    /// The folder of bodies; nil if the machine has no file system in memory.
    let folder: TemporaryFolder?
    private let onLoss = Locked<(@Sendable (_ key: String) -> Void)?>(nil)

    /// Creates an empty level.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of entries.
    ///   - costLimit: The maximum size of the entries in bytes, including the bodies of
    ///     ``FetchRequest/memoryOnly`` requests.
    public init(countLimit: Int = 4_096, costLimit: Int = 64_000_000) {
        entries = Locked(MemoryCache(countLimit: countLimit, costLimit: costLimit))
        var limits = FetchConfiguration.Memory()
        (limits.maximumCount, limits.maximumBytes) = (countLimit, costLimit)
        self.limits = limits
        longestBody = countLimit > 0 ? max(0, costLimit) : 0
        folder = longestBody > 0 ? Self.sharedMemory.map { TemporaryFolder(in: $0) } : nil
        if let parent = Self.sharedMemory, longestBody > 0 { TemporaryFolder.sweep(parent) }
    }

    /// The folder of this user in the machine's shared memory; nil if there is none.
    ///
    /// All users may write there, so the folder must belong to this one.
    private static let sharedMemory: String? = {
        let path = "/dev/shm/fetchcache-\(geteuid())"
        guard (try? makePrivateFolder(path)) != nil else { return nil }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else { return nil }
        return path
    }()

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
    public func close() async {
        removeAll()
        folder?.release()
    }

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
