import Glibc
import Locks
import Synchronization

/// The temporary folder of one cache object.
///
/// Other processes remove it after its process has died.
///
/// A lock beside the folder shows whether its process is alive. The system releases the lock when
/// the process ends in any way. It also works between containers that share the cache, where
/// process numbers have no meaning.
final class TemporaryFolder: Sendable {
    private struct Claim {
        var name: String
        var lock: Int32
    }

    private let parent: String
    private let claim = Locked<Claim?>(nil)
    private let counter = Atomic<UInt64>(0)

    init(in parent: String) {
        self.parent = parent
    }

    deinit { release() }

    /// Returns the path of a new file.
    ///
    /// The folder is created on first use, and again if it was removed.
    func newPath() throws(FetchError) -> String {
        let folder = try folder()
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(folder)/\(number)"
    }

    /// Removes the folder and its contents.
    func release() {
        claim.withLock { claim in
            guard let held = claim else { return }
            FileSystem.removeFolder("\(parent)/\(held.name)")
            unlink("\(parent)/\(held.name).lock")
            close(held.lock)
            claim = nil
        }
    }

    private func folder() throws(FetchError) -> String {
        let result = claim.withLock { claim -> Result<String, FetchError> in
            if let held = claim {
                if FileSystem.isFolder("\(parent)/\(held.name)") {
                    return .success("\(parent)/\(held.name)")
                }
                unlink("\(parent)/\(held.name).lock")
                close(held.lock)
                claim = nil
            }
            return Result { () throws(FetchError) in
                let held = try Self.claimFolder(in: parent)
                claim = held
                return "\(parent)/\(held.name)"
            }
        }
        return try result.get()
    }

    private static func claimFolder(in parent: String) throws(FetchError) -> Claim {
        try FileSystem.makeFolder(parent)
        for _ in 0..<100 {
            let name = "\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
            let path = "\(parent)/\(name).lock"
            let lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard lock >= 0 else {
                if errno == EEXIST { continue }
                throw FileSystem.failure(path, "make a temporary file")
            }
            var info = stat()
            // Another process may have removed the new file between the two calls, because it was
            // not locked yet.
            if flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &info) == 0, info.st_nlink > 0 {
                do {
                    try FileSystem.makeFolder("\(parent)/\(name)")
                    return Claim(name: name, lock: lock)
                } catch {
                    unlink(path)
                    close(lock)
                    throw error
                }
            }
            close(lock)
        }
        throw FetchError(.storage, parent, "cannot make a temporary folder")
    }

    /// Removes the folders of dead processes.
    static func sweep(_ parent: String) {
        for name in FileSystem.names(in: parent) where name.hasSuffix(".lock") {
            let path = "\(parent)/\(name)"
            let lock = open(path, O_RDWR | O_CLOEXEC)
            guard lock >= 0 else { continue }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 {
                FileSystem.removeFolder("\(parent)/\(name.dropLast(5))")
                unlink(path)
            }
            close(lock)
        }
    }
}
