internal import GRDB
import Glibc

/// The connections to one file of an index.
struct IndexConnections: Sendable {
    /// Tells a file from the one that it was replaced by.
    struct File: Sendable, Hashable {
        var device: UInt
        var inode: UInt

        /// Of the file at a path; nil if there is none.
        init?(_ path: String) {
            var info = stat()
            guard stat(path, &info) == 0 else { return nil }
            (device, inode) = (UInt(info.st_dev), UInt(info.st_ino))
        }
    }

    /// Connections for those who read on their own threads: as many as read at one time, so that mostly
    /// there is one.
    private struct Readers {
        var all: [DatabaseQueue] = []
        var free: [DatabaseQueue] = []
    }

    private static let mostReaders = 4

    let writer: DatabaseQueue
    let file: File?
    private let path: String
    /// None where the writer serves reads too.
    private let readers: Locked<Readers>?

    private init(writer: DatabaseQueue, path: String, hasReaders: Bool) {
        self.writer = writer
        self.path = path
        file = File(path)
        readers = hasReaders ? Locked(Readers()) : nil
    }

    /// Opens the index of a cache that is only read.
    static func open(readingOnly path: String) throws -> IndexConnections {
        let writer: DatabaseQueue
        do {
            writer = try queue(path, isReadOnly: true)
        } catch {
            // Where SQLite cannot make its own files beside the index, it reads what it is told will
            // not change.
            writer = try queue("file:\(escaped(path))?immutable=1", isReadOnly: true)
        }
        return IndexConnections(writer: writer, path: path, hasReaders: false)
    }

    /// Opens an index, or makes it; one that is damaged is made anew.
    static func openOrRebuild(
        _ path: String
    ) throws -> (connections: IndexConnections, isNew: Bool) {
        do {
            return (try open(path), false)
        } catch let error as DatabaseError where error.isOfDamage {
            return try rebuild(path, damaged: File(path))
        }
    }

    private static func open(_ path: String) throws -> IndexConnections {
        IndexConnections(
            writer: try queue(path, isReadOnly: false), path: path, hasReaders: true)
    }

    /// Makes a damaged index anew, while no other process does: those who have it open find out by
    /// themselves.
    ///
    /// - Parameters:
    ///   - path: Of the index.
    ///   - damaged: The file that was found damaged. Where another one is there by now, somebody else
    ///     has made that.
    /// - Returns: Connections to the index, and whether it is a new one.
    /// - Throws: What SQLite throws.
    static func rebuild(
        _ path: String, damaged: File?
    ) throws -> (connections: IndexConnections, isNew: Bool) {
        try FileSystem.withLock("\(path).lock") {
            if File(path) != damaged, let connections = try? open(path) {
                return (connections, false)
            }
            for suffix in ["", "-wal", "-shm"] { FileSystem.remove(path + suffix) }
            return (try open(path), true)
        }
    }

    private static func queue(_ path: String, isReadOnly: Bool) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "FetchCache.index"
        configuration.busyMode = .timeout(30)
        configuration.foreignKeysEnabled = false
        configuration.readonly = isReadOnly
        configuration.prepareDatabase { database in
            if isReadOnly { try Schema.check(database) } else { try Schema.prepare(database) }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    /// Reads at once, on a connection that waits for no writer.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let readers else { return try writer.inDatabase(body) }
        let reader = try readers.withLock { readers in
            if let free = readers.free.popLast() { return free }
            if readers.all.count >= Self.mostReaders, let busy = readers.all.randomElement() {
                return busy
            }
            let reader = try Self.queue(path, isReadOnly: false)
            readers.all.append(reader)
            return reader
        }
        defer {
            readers.withLock { readers in
                if !readers.free.contains(where: { $0 === reader }) { readers.free.append(reader) }
            }
        }
        return try reader.inDatabase(body)
    }

    func close() {
        try? writer.close()
        for reader in readers?.withLock(\.all) ?? [] { try? reader.close() }
    }
}
