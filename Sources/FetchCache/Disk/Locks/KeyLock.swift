internal import Files
import Locks
internal import Logging

/// Locks that prevent other processes and other caches in this process from sending the same
/// request at the same time, by ``LoadTarget/requestKey``.
///
/// Each key has a byte in one file, which is locked with an open file description lock
/// (`F_OFD_SETLK`). No file is created or removed for a lock, and the system releases it when its
/// process ends. Two keys with the same byte wait for each other, which is harmless.
final class KeyLocks: Sendable {
    /// The maximum wait for a lock in milliseconds.
    ///
    /// The process that holds it may be suspended; a second download is better than none.
    static let patience: Int64 = 120_000

    /// The wait in milliseconds after which the logger is told of it.
    static let silence: Int64 = 3_000

    private static let firstPause: Int64 = 5

    private let file: OpenFile?
    /// The descriptor of the file; -1 if there is none.
    private let handle: Int32
    private let own = Locked<Set<Int64>>([])
    private let logger: Logger
    /// Whether the logger was told of a wait.
    private let isReported = Flag()

    /// - Parameters:
    ///   - path: The lock file, which is created if it does not exist. If that fails, nothing is
    ///     locked.
    ///   - logger: Is told once that another process holds a lock for long.
    init(
        path: String, logger: Logger = Logger(label: "FetchCache") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.logger = logger
        do throws(FileError) {
            let file = try OpenFile(sharing: path)
            handle = file.descriptor
            self.file = consume file
        } catch {
            handle = -1
            file = nil
        }
    }

    /// Waits for the lock of a key and takes it.
    ///
    /// - Parameters:
    ///   - key: The request key of a target (``LoadTarget/requestKey``).
    ///   - onWait: Called if another process or cache holds the lock.
    /// - Returns: The lock, which must be held during the work; nil if the file system does not
    ///   support locks or the wait was too long.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func acquire(
        _ key: String, onWait: @Sendable () -> Void = {}
    ) async throws -> KeyLock? {
        let offset = Self.offset(of: key)
        let start = monotonicMilliseconds()
        var pause = Self.firstPause
        while true {
            switch attempt(offset) {
            case .taken: return KeyLock(locks: self, offset: offset)
            case .impossible: return nil
            case .held:
                if pause == Self.firstPause { onWait() }
                let waited = monotonicMilliseconds() - start
                if waited > Self.patience { return nil }
                if waited > Self.silence, isReported.set() {
                    logger.error(
                        "waiting for another process or cache, which is loading the same URL")
                }
                try await Task.sleep(for: .milliseconds(pause))
                pause = min(100, pause * 3 / 2)
            }
        }
    }

    private enum Attempt {
        case taken, held, impossible
    }

    private func attempt(_ offset: Int64) -> Attempt {
        if handle < 0 { return .impossible }
        return own.withLock { own in
            // Locks of the same open file description do not conflict.
            if own.contains(offset) { return .held }
            if setLock(Int32(F_WRLCK), at: offset) {
                own.insert(offset)
                return .taken
            }
            return [EAGAIN, EACCES, EINTR].contains(errno) ? .held : .impossible
        }
    }

    fileprivate func release(_ offset: Int64) {
        own.withLock { own in
            own.remove(offset)
            _ = setLock(Int32(F_UNLCK), at: offset)
        }
    }

    /// The offset of a key's byte in the file.
    static func offset(of key: String) -> Int64 { Int64(key.sha256.prefix(15), radix: 16) ?? 0 }

    private func setLock(_ type: Int32, at offset: Int64) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Int(offset)
        lock.l_len = 1
        return fcntl(handle, openFileLock, &lock) == 0
    }
}

/// The lock of one key, held until this object is released.
final class KeyLock: Sendable {
    private let locks: KeyLocks
    private let offset: Int64

    fileprivate init(locks: KeyLocks, offset: Int64) {
        self.locks = locks
        self.offset = offset
    }

    deinit { locks.release(offset) }
}
