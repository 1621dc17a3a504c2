import FetchCache
import Glibc
import Synchronization

/// Which files of the output are known to hold what their names say, by their status when a bake wrote
/// or hashed them.
///
/// A file whose status has changed since is hashed again. As in git's index, a status is not recorded
/// within the clock's tick of the change: a later change in the same tick would not show.
final class PublishedFiles: Sendable {
    private static let namespace = "published-v1"
    /// Longer than any tick of a file system's clock on Linux, in nanoseconds.
    private static let tick = 20_000_000

    private let cache: FetchCache
    /// What is to be recorded, by absolute paths.
    private let pending = Mutex<[String: FileStatus]>([:])

    init(cache: FetchCache) {
        self.cache = cache
    }

    /// Whether the file is the one that was recorded.
    func isKnown(_ path: String, _ status: FileStatus) -> Bool {
        if pending.withLock({ $0[path]?.record }) == status.record { return true }
        guard let recorded = try? cache.value(for: path, in: Self.namespace) else { return false }
        return recorded == Array(status.record.utf8)
    }

    /// Records at the end that the file holds what its name says.
    func note(_ path: String, _ status: FileStatus) {
        pending.withLock { $0[path] = status }
    }

    /// Writes down what was noted; what cannot be is hashed by the next bake.
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
    /// Equal for a file that nobody has changed.
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
