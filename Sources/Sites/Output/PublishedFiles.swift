package import FetchCache
package import Files
import Locks
import Records

/// The output files that are known to match the hashes in their names.
///
/// A bake records the status of each file that it writes or hashes. If the status has changed
/// since, the file is hashed again. The status is a ``FileMark``, and recorded only if it is settled.
package final class PublishedFiles: Sendable {
    /// A status says the same to each build.
    private static let build = ""
    private let memory: Memory<FileMark>
    /// The statuses that are not recorded yet, by absolute path.
    private let pending = Locked<[String: FileMark]>([:])

    package init(cache: FetchManager) {
        memory = Memory(of: "published", in: cache)
    }

    /// Whether the file has the recorded status.
    package func isKnown(_ path: String, _ status: FileStatus) async -> Bool {
        let mark = FileMark(status)
        if pending.withLock({ $0[path] }) == mark { return true }
        return (try? await memory.value(path, of: Self.build)) == mark
    }

    /// Notes that the file matches the hash in its name; ``save()`` records it.
    package func note(_ path: String, _ status: FileStatus) {
        pending.withLock { $0[path] = FileMark(status) }
    }

    /// Records the noted files, and forgets those whose statuses are not settled.
    ///
    /// A failure is not an error; the next bake hashes those files again.
    func save() async {
        let noted = pending.withLock { pending in
            defer { pending = [:] }
            return pending
        }
        let now = FileMark.now
        try? await memory.set(noted.filter { $0.value.isSettled(at: now) }, of: Self.build)
    }
}
