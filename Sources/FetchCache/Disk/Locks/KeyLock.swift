internal import Files
import Glibc
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

    /// The wait in milliseconds after which the logger is told who holds the lock.
    static let silence: Int64 = 3_000

    private static let firstPause: Int64 = 5

    private let file: OpenFile?
    /// The descriptor of the file; -1 if there is none.
    private let handle: Int32
    private let own = Locked<Set<Int64>>([])
    private let logger: Logger
    /// The processes that the logger was told of.
    private let named = Locked<Set<Int32>>([])

    /// - Parameters:
    ///   - path: The lock file, which is created if it does not exist. If that fails, nothing is
    ///     locked.
    ///   - logger: Is told, once for each process, which one holds a lock for long.
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
        var isSilent = true
        while true {
            switch attempt(offset) {
            case .taken: return KeyLock(locks: self, offset: offset)
            case .impossible: return nil
            case .held:
                if pause == Self.firstPause { onWait() }
                let waited = monotonicMilliseconds() - start
                if waited > Self.patience { return nil }
                if isSilent, waited > Self.silence {
                    isSilent = false
                    await BlockingPool.shared.run { [self] in nameHolder(of: offset) }
                }
                try await Task.sleep(for: .milliseconds(pause))
                pause = min(100, pause * 3 / 2)
            }
        }
    }

    /// Tells the logger which other process holds a lock.
    private func nameHolder(of offset: Int64) {
        guard let holder = LockHolder(of: handle, at: offset),
            named.withLock({ $0.insert(holder.process).inserted })
        else { return }
        logger.error(
            """
            waiting for process \(holder.process), which is loading the same URL\
            \(holder.isStopped ? " and is stopped; continue or end it" : "")
            """)
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
    static func offset(of key: String) -> Int64 { Int64(key.utf8.fnv1a >> 2) }

    private func setLock(_ type: Int32, at offset: Int64) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Int(offset)
        lock.l_len = 1
        // The value of F_OFD_SETLK, which Glibc defines only with _GNU_SOURCE.
        return fcntl(handle, 37, &lock) == 0
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

/// Another process that holds a lock of an open file description.
///
/// `F_OFD_GETLK` does not tell it, but the system lists the locks of each open file below `/proc`. A
/// process of another user or another container is not found.
struct LockHolder {
    let process: Int32
    /// Whether it was stopped by a signal.
    let isStopped: Bool

    /// The process that has locked the byte at an offset of the file of a descriptor; nil if none is
    /// found.
    init?(of descriptor: Int32, at offset: Int64) {
        guard let path = try? readLink("/proc/self/fd/\(descriptor)") else { return nil }
        for name in namesInFolder("/proc") {
            guard let process = Int32(name), process != getpid() else { continue }
            let folder = "/proc/\(name)/fd"
            let isHolder = namesInFolder(folder).contains { number in
                (try? readLink("\(folder)/\(number)")) == path
                    && Self.text("/proc/\(name)/fdinfo/\(number)").contains(
                        " \(offset) \(offset)\n")
            }
            guard isHolder else { continue }
            self.process = process
            let status = Self.text("/proc/\(name)/stat")
            // The name of the program, in brackets, precedes the state.
            let state = status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2)
            isStopped = state.first == "T"
            return
        }
        return nil
    }

    private static func text(_ path: String) -> String {
        (try? readFile(path, ofAnyKind: true).bytes).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }
}
