internal import Atomics
internal import Crypto
import Glibc

/// The locks that keep other processes, and other caches in this one, from downloading what is being
/// downloaded.
///
/// Each key has a byte of one file, which is locked by an open file description (`F_OFD_SETLK`): no
/// file is made or removed for a lock, and the system lets go of it with its process, so nobody waits
/// for the dead. Two keys that come to the same byte wait for each other, which is no harm.
///
/// The file holds counters too, which all processes see and which change with each lock that is let go:
/// who has looked a key up before it took the lock need not look again if nobody held it in between.
final class KeyLocks: Sendable {
    /// Milliseconds after which whoever holds a lock is passed by: it may be stopped, and a second
    /// download is less harm than none.
    static let patience: Int64 = 120_000

    private static let counterCount = 4_096

    private let handle: Int32
    private let own = Locked<Set<Int64>>([])
    private let counters: Counters?

    /// - Parameter path: A file that is made if it is not there. Where it cannot be, nothing is locked.
    init(path: String) {
        handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        counters = handle < 0 ? nil : Counters(handle, count: Self.counterCount)
    }

    deinit { if handle >= 0 { close(handle) } }

    /// What changes when a lock of the key is let go; nil where that cannot be known.
    func generation(of key: String) -> UInt64? {
        counter(at: Self.offset(of: key))?.load(ordering: .acquiring)
    }

    /// Waits until nobody else holds the lock of a key, and takes it.
    ///
    /// - Parameter key: The cache key.
    /// - Returns: The lock, to be held as long as the work lasts, or nil where the file system
    ///   knows no locks or the wait was too long.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func acquire(_ key: String) async throws -> KeyLock? {
        let offset = Self.offset(of: key)
        let start = monotonicMilliseconds()
        var pause: Int64 = 5
        while true {
            switch attempt(offset) {
            case .taken: return KeyLock(locks: self, offset: offset)
            case .impossible: return nil
            case .held:
                if monotonicMilliseconds() - start > Self.patience { return nil }
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
            // A description does not wait for itself.
            if own.contains(offset) { return .held }
            if setLock(Int32(F_WRLCK), at: offset) {
                own.insert(offset)
                return .taken
            }
            return [EAGAIN, EACCES, EINTR].contains(errno) ? .held : .impossible
        }
    }

    fileprivate func release(_ offset: Int64) {
        counter(at: offset)?.wrappingIncrement(ordering: .acquiringAndReleasing)
        own.withLock { own in
            own.remove(offset)
            _ = setLock(Int32(F_UNLCK), at: offset)
        }
    }

    /// The place of a key's byte in a file of any length.
    static func offset(of key: String) -> Int64 { Int64(key.utf8.fnv1a >> 2) }

    private func counter(at offset: Int64) -> UnsafeAtomic<UInt64>? {
        counters?[Int(offset % Int64(Self.counterCount))]
    }

    private func setLock(_ type: Int32, at offset: Int64) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Int(offset)
        lock.l_len = 1
        // F_OFD_SETLK, a constant that Glibc shows only to those who ask for GNU's own.
        return fcntl(handle, 37, &lock) == 0
    }
}

/// Counters that lie in a file and are shared by all who have it open.
// @unchecked Sendable: the pointer never changes, and what it points to is used atomically alone.
private final class Counters: @unchecked Sendable {
    private typealias Cell = UnsafeAtomic<UInt64>.Storage

    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int

    init?(_ handle: Int32, count: Int) {
        byteCount = count * MemoryLayout<Cell>.stride
        var info = stat()
        // Without its blocks a page of the mapping could not be written where the disk is full.
        guard fstat(handle, &info) == 0,
            info.st_size >= byteCount || posix_fallocate(handle, 0, byteCount) == 0,
            let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0),
            memory != MAP_FAILED
        else { return nil }
        self.memory = memory
    }

    deinit { munmap(memory, byteCount) }

    subscript(index: Int) -> UnsafeAtomic<UInt64> {
        UnsafeAtomic(at: memory.assumingMemoryBound(to: Cell.self) + index)
    }
}

/// One key's lock, held until this goes.
final class KeyLock: Sendable {
    private let locks: KeyLocks
    private let offset: Int64

    fileprivate init(locks: KeyLocks, offset: Int64) {
        self.locks = locks
        self.offset = offset
    }

    deinit { locks.release(offset) }
}

extension String {
    /// The SHA-256 as 64 hexadecimal digits.
    var sha256: String { BlobDigest(bytes: SHA256.hash(data: Array(utf8)))?.hex ?? "" }
}
