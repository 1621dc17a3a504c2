import FetchCache
import Files
import Glibc
import Locks

/// The output files that are known to match the hashes in their names, and the lists of origins
/// that are known to need no change.
///
/// A bake records the status of each file that it writes or hashes. If the status has changed
/// since, the file is hashed again. As in git's index, a status is not recorded within one clock
/// tick of the change, because a later change in the same tick would not be visible.
final class PublishedFiles: Sendable {
    /// A status needs no build: in another form, it is unequal, and the file is hashed again.
    private static let namespace = "published"
    /// Longer than any tick of a file system's clock on Linux, in nanoseconds.
    private static let tick = 20_000_000

    private let cache: FetchManager
    /// The statuses to record, by absolute path.
    private let pending = Locked<[String: FileStatus]>([:])

    init(cache: FetchManager) {
        self.cache = cache
    }

    /// Whether the file has the recorded status.
    func isKnown(_ path: String, _ status: FileStatus) async -> Bool {
        if pending.withLock({ $0[path]?.record }) == status.record { return true }
        let recorded = try? await cache.value(for: path, in: Self.namespace)
        return recorded == Array(status.record.utf8)
    }

    /// Notes that the file matches the hash in its name; ``save()`` records it.
    func note(_ path: String, _ status: FileStatus) {
        pending.withLock { $0[path] = status }
    }

    /// Records the noted files.
    ///
    /// A failure is not an error; the next bake hashes those files again.
    func save() async {
        let noted = pending.withLock { pending in
            defer { pending = [:] }
            return pending
        }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = (time.tv_sec, time.tv_nsec)
        var records: [String: [UInt8]] = [:]
        for (path, status) in noted where status.isSettled(at: now, tick: Self.tick) {
            records[path] = Array(status.record.utf8)
        }
        try? await cache.setValues(records, in: Self.namespace)
    }
}

extension FileStatus {
    /// The text of a status; it stays equal as long as the file is not changed.
    fileprivate var record: String {
        "\(byteCount) \(modified.seconds).\(modified.nanoseconds) "
            + "\(changed.seconds).\(changed.nanoseconds) \(inode) \(device)"
    }

    fileprivate func isSettled(at now: (seconds: Int, nanoseconds: Int), tick: Int) -> Bool {
        let age =
            (now.seconds - changed.seconds) * 1_000_000_000 + now.nanoseconds - changed.nanoseconds
        return age > tick
    }
}
