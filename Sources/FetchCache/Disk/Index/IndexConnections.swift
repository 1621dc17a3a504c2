internal import Files
internal import GRDB
import Locks
internal import URLs

/// The connections to one index file.
///
/// Writes use one connection on its own thread. Jobs that arrive during a transaction are done
/// together in the next one, so that thousands of small writes need only a few transactions.
/// Synchronous reads use separate connections, which do not wait for the writer.
final class IndexConnections: Sendable {
    /// The connections for synchronous reads.
    ///
    /// There are as many as there are concurrent reads, which is usually one.
    private struct Readers {
        var all: [DatabaseQueue] = []
        var free: [DatabaseQueue] = []
    }

    /// The maximum number of connections for synchronous reads.
    static let mostReaders = 4

    /// Limits the pages that a connection for reads caches, in kB; SQLite's default is 2 MB.
    ///
    /// Each transaction of the writer empties that cache, and the kernel caches the file anyway.
    private static let readerSettings = "PRAGMA cache_size = -512"

    let file: IndexFile
    let writer: DatabaseQueue
    let jobs = Locked(IndexJobs())
    /// Nil if the writer also serves reads.
    private let readers: Locked<Readers>?

    private init(_ file: IndexFile, writer: DatabaseQueue, hasReaders: Bool) {
        self.file = file
        self.writer = writer
        readers = hasReaders ? Locked(Readers()) : nil
    }

    /// Opens the index of a read-only cache.
    static func open(readingOnly file: IndexFile) throws -> IndexConnections {
        let writer: DatabaseQueue
        do {
            writer = try queue(file.path, isReadOnly: true, prepare: Schema.check)
        } catch let error as DatabaseError where error.isOfUnwritableFolder {
            // SQLite cannot create its auxiliary files beside the index.
            writer = try queue(
                "file:\(escaped(file.path))?immutable=1", isReadOnly: true, prepare: Schema.check)
        }
        return IndexConnections(file, writer: writer, hasReaders: false)
    }

    /// Opens a copy of an index, written by ``Index/copy(to:)``, that only the caller uses.
    static func open(copy file: IndexFile) throws -> IndexConnections {
        makePrivate(file.path)
        return IndexConnections(
            file, writer: try queue(file.path, prepare: Schema.check), hasReaders: false)
    }

    /// Opens the index of a folder, or creates it; one that cannot be used is replaced.
    ///
    /// - Returns: The connections, and the reason if an empty index has replaced another one.
    static func open(
        in folder: String
    ) throws -> (connections: IndexConnections, replaced: String?) {
        var reason: String?
        while true {
            let file = IndexFile.latest(in: folder) ?? .first(in: folder)
            let identity = file.identity
            do {
                if let obstacle = file.obstacle {
                    reason = try file.setAside(identity, because: obstacle)
                    continue
                }
                let connections = try open(file)
                // Another process may have replaced the file before it was opened. In that case,
                // opening has created it again.
                guard IndexFile.latest(in: folder) == file else { continue }
                file.removeReplaced()
                return (connections, reason)
            } catch let mismatch as Schema.Mismatch {
                reason = try file.setAside(identity, because: mismatch.description)
            } catch let error as DatabaseError where error.isOfDamage {
                return try replace(file)
            }
        }
    }

    /// Replaces a damaged or missing index file by an empty one.
    ///
    /// Other processes that have the file open detect that it is gone.
    ///
    /// - Returns: The connections, and the reason; it is nil if another process has replaced the
    ///   file already.
    static func replace(
        _ file: IndexFile
    ) throws -> (connections: IndexConnections, replaced: String?) {
        try makePrivateFolder(file.folder)
        return try file.withCreationLock {
            let latest = IndexFile.latest(in: file.folder) ?? file
            if latest.number > file.number, let connections = try? open(latest, hasLock: true) {
                return (connections, nil)
            }
            let number = max(latest.number, file.number) + 1
            let next = IndexFile(folder: file.folder, number: number)
            if next.obstacle != nil { _ = try next.setAsideLocked() }
            let connections = try open(next, hasLock: true)
            for replaced in [file, latest] { replaced.remove() }
            return (connections, "was damaged or removed")
        }
    }

    /// Opens an index file, or creates it.
    ///
    /// A caller that is in ``IndexFile/withCreationLock(_:)`` sets `hasLock`, because a second lock
    /// would wait for the first for ever.
    private static func open(_ file: IndexFile, hasLock: Bool = false) throws -> IndexConnections {
        let alone: @Sendable (() throws -> Void) throws -> Void = { body in
            try hasLock ? body() : file.withCreationLock(body)
        }
        // SQLite gives its other files the permissions of this one. Closing the new file would release
        // the locks of a thread that has found it and creates the tables, so that thread waits.
        if !file.exists { try alone { try makePrivateFile(file.path) } }
        makePrivate(file.path)
        let writer = try queue(file.path) { try Schema.prepare($0, alone: alone) }
        return IndexConnections(file, writer: writer, hasReaders: true)
    }

    private static func queue(
        _ path: String, isReadOnly: Bool = false,
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "FetchCache.index"
        configuration.busyMode = .timeout(30)
        configuration.foreignKeysEnabled = false
        configuration.readonly = isReadOnly
        configuration.prepareDatabase(prepare)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func escaped(_ path: String) -> String {
        percentEncoded(path) { "%?#".utf8.contains($0) }
    }

    /// Reads synchronously on a connection that does not wait for the writer.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let readers else { return try writer.inDatabase(body) }
        let reader = try readers.withLock { readers in
            if let free = readers.free.popLast() { return free }
            if readers.all.count >= Self.mostReaders, let busy = readers.all.randomElement() {
                return busy
            }
            // Do not create a missing file again: the index is another file by now.
            let reader = try Self.queue("file:\(Self.escaped(file.path))?mode=rw") {
                [file] database in
                try Schema.prepare(database, alone: file.withCreationLock)
                try database.execute(sql: Self.readerSettings)
            }
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
