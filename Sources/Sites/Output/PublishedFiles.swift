package import FetchCache
package import Files
import Locks
import Records

/// The output files that are known to match the hashes in their names, and the lists of origins
/// that are known to need no change.
///
/// A bake records the status of each file that it writes or hashes. If the status has changed
/// since, the file is hashed again. The status is a ``FileMark``, and recorded only if it is settled.
package final class PublishedFiles: Sendable {
    /// A status says the same to each build.
    private static let build = ""
    /// The number of statuses that are written at once, and about the number that is kept in memory.
    private static let batch = 2048

    private struct Pending {
        /// The statuses that are not recorded yet, by absolute path.
        var marks: [String: FileMark] = [:]
        /// The number of statuses at which they are recorded.
        var limit = batch
    }

    private let memory: Memory<FileMark>
    private let pending = Locked(Pending())

    package init(cache: FetchManager) {
        memory = Memory(of: "published", in: cache)
    }

    /// Whether the file has the recorded status.
    package func isKnown(_ path: String, _ status: FileStatus) async -> Bool {
        let mark = FileMark(status)
        if pending.withLock({ $0.marks[path] }) == mark { return true }
        return (try? await memory.value(path, of: Self.build)) == mark
    }

    /// Notes that the file matches the hash in its name; ``save()`` records it.
    package func note(_ path: String, _ status: FileStatus) {
        pending.withLock { $0.marks[path] = FileMark(status) }
    }

    /// Records the noted files if they are many.
    func saveMany() async {
        let isDue = pending.withLock { pending in
            if pending.marks.count < pending.limit { return false }
            // Those that are not settled yet must not be gone through for each further file.
            pending.limit = pending.marks.count + Self.batch
            return true
        }
        if isDue { await record() }
    }

    /// Records the noted files, and forgets those whose statuses are not settled.
    ///
    /// A failure is not an error; the next bake hashes those files again.
    func save() async {
        await record()
        pending.withLock { $0 = Pending() }
    }

    /// Records the noted files whose statuses are settled; the others stay noted.
    private func record() async {
        let now = FileMark.now
        let settled = pending.withLock { $0.marks.filter { $0.value.isSettled(at: now) } }
        try? await memory.set(settled, of: Self.build)
        pending.withLock { pending in
            for (path, mark) in settled where pending.marks[path] == mark {
                pending.marks[path] = nil
            }
            pending.limit = pending.marks.count + Self.batch
        }
    }
}
