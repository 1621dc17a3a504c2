internal import Crypto
import Glibc

/// Keeps other processes, and other caches in this one, from downloading what is being downloaded.
///
/// The system lets go of the lock with its process, so nobody waits for the dead.
final class KeyLock: Sendable {
    private let handle: Int32
    private let path: String

    private init(handle: Int32, path: String) {
        self.handle = handle
        self.path = path
    }

    deinit {
        unlink(path)
        close(handle)
    }

    /// Milliseconds after which a process that holds a lock and does nothing is passed by.
    static let patience: Int64 = 120_000

    /// Where the lock of a key is: among the temporary files, with which those of the dead are
    /// swept.
    static func path(of key: String, in layout: CacheLayout) -> String {
        "\(layout.temporary)/key-\(name(of: key)).lock"
    }

    /// What stands for a key in the names of files.
    static func name(of key: String) -> String { String(key.sha256.prefix(32)) }

    /// Waits until nobody else holds the lock at `path`, and takes it.
    ///
    /// - Parameter path: As ``path(of:in:)`` gives it.
    /// - Returns: The lock, to be held as long as the work lasts, or nil where the file system
    ///   knows no locks or the wait was too long.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    static func acquire(_ path: String) async throws -> KeyLock? {
        let start = monotonicMilliseconds()
        var pause: Int64 = 5
        while monotonicMilliseconds() - start < patience {
            switch attempt(path) {
            case .taken(let lock): return lock
            case .impossible: return nil
            case .replaced: continue
            case .held:
                try await Task.sleep(for: .milliseconds(pause))
                pause = min(100, pause * 3 / 2)
            }
        }
        return nil
    }

    private enum Attempt {
        case taken(KeyLock)
        case held
        /// The holder has taken the file away between two calls.
        case replaced
        case impossible
    }

    private static func attempt(_ path: String) -> Attempt {
        let handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard handle >= 0 else { return .impossible }
        guard flock(handle, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK || errno == EINTR
            close(handle)
            return isHeld ? .held : .impossible
        }
        var info = stat()
        guard fstat(handle, &info) == 0, info.st_nlink > 0 else {
            close(handle)
            return .replaced
        }
        return .taken(KeyLock(handle: handle, path: path))
    }
}

extension String {
    /// The SHA-256 as 64 hexadecimal digits.
    var sha256: String { BlobDigest(bytes: SHA256.hash(data: Array(utf8)))?.hex ?? "" }
}
