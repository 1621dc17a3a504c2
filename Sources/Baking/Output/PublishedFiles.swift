import FetchCache
import Files
import Locks

/// The output files that are known to match the hashes in their names, and the lists of origins
/// that are known to need no change.
///
/// A bake records the status of each file that it writes or hashes. If the status has changed
/// since, the file is hashed again. The status is a ``FileMark``, and recorded only if it is settled.
final class PublishedFiles: Sendable {
    /// A status needs no build: in another form, it is unequal, and the file is hashed again.
    private static let namespace = "published"
    /// The number of statuses that are written at once, and about the number that is kept in memory.
    private static let batch = 2048

    private let cache: FetchManager
    /// The statuses that are not recorded yet, by absolute path.
    private let pending = Locked<[String: FileMark]>([:])

    init(cache: FetchManager) {
        self.cache = cache
    }

    /// Whether the file has the recorded status.
    func isKnown(_ path: String, _ status: FileStatus) async -> Bool {
        let mark = FileMark(status)
        if pending.withLock({ $0[path] }) == mark { return true }
        let recorded = try? await cache.value(for: path, in: Self.namespace)
        return recorded == mark.bytes
    }

    /// Notes that the file matches the hash in its name; ``save()`` records it.
    func note(_ path: String, _ status: FileStatus) {
        pending.withLock { $0[path] = FileMark(status) }
    }

    /// Records the noted files if they are many.
    func saveMany() async {
        if pending.withLock({ $0.count >= Self.batch }) { await record(isLast: false) }
    }

    /// Records the noted files.
    ///
    /// A failure is not an error; the next bake hashes those files again.
    func save() async { await record(isLast: true) }

    /// Records the noted files whose statuses are settled; the others stay noted, unless it is the
    /// last time.
    private func record(isLast: Bool) async {
        let now = FileMark.now
        let settled = pending.withLock { pending in
            let settled = pending.filter { $0.value.isSettled(at: now) }
            pending = isLast ? [:] : pending.filter { !$0.value.isSettled(at: now) }
            return settled
        }
        try? await cache.setValues(settled.mapValues(\.bytes), in: Self.namespace)
    }
}
