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
    /// The number of statuses that are written at once, so that a large site needs little memory.
    private static let batch = 1024

    private let cache: FetchManager
    /// The statuses to record, by absolute path.
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

    /// Records the noted files.
    ///
    /// A failure is not an error; the next bake hashes those files again.
    func save() async {
        let noted = pending.withLock { pending in
            defer { pending = [:] }
            return pending
        }
        let now = FileMark.now
        var records: [String: [UInt8]] = [:]
        for (path, mark) in noted where mark.isSettled(at: now) {
            records[path] = mark.bytes
            if records.count < Self.batch { continue }
            try? await cache.setValues(records, in: Self.namespace)
            records = [:]
        }
        try? await cache.setValues(records, in: Self.namespace)
    }
}
