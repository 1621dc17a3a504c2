internal import Files
internal import GRDB
import Locks
internal import URLs

/// One of the successive index files of a folder.
///
/// The first index is `index.sqlite`. A damaged one is replaced by `index-2.sqlite`, that one by
/// `index-3.sqlite` and so on; the file with the highest number is the index. No name is used
/// twice: SQLite finds the write-ahead log of a database by its name, and this process or others
/// may still have connections to the damaged file.
///
/// Only SQLite may open the file; it is not opened even to look at its permissions: when a process
/// closes any descriptor of a file, Linux releases all locks of that process on the file, also
/// those of SQLite.
struct IndexFile: Sendable, Hashable {
    let folder: String
    let number: Int

    static func first(in folder: String) -> IndexFile { IndexFile(folder: folder, number: 1) }

    /// The current index file; nil if there is none.
    static func latest(in folder: String) -> IndexFile? {
        let numbers = namesInFolder(folder).compactMap(number(ofName:)).sorted(by: >)
        return numbers.lazy.map { IndexFile(folder: folder, number: $0) }.first(where: \.exists)
    }

    var path: String {
        number == 1 ? "\(folder)/index.sqlite" : "\(folder)/index-\(number).sqlite"
    }

    var exists: Bool { FileStatus(path)?.kind == .file }

    /// Removes the file but not its log, which processes that still have the file open may need.
    func remove() { if exists { removeFile(path) } }

    /// Runs a closure while no other process or thread creates or replaces the index of the folder.
    ///
    /// It must not be called within itself: the second lock would wait for the first for ever. On a
    /// file system without locks, the closure runs nevertheless.
    ///
    /// SQLite does not wait when two connections set the mode of the same new file: one of them
    /// fails.
    func withCreationLock<Value>(_ body: () throws -> Value) rethrows -> Value {
        try withFileLock("\(folder)/index.lock", body)
    }

    /// The suffixes of the files that SQLite keeps beside the index.
    private static let companions = ["-wal", "-shm"]

    /// The reason why SQLite could not use what has the path of the index or of its other files; nil
    /// if there is none.
    var obstacle: String? {
        for path in [path] + Self.companions.map({ path + $0 }) {
            guard let status = FileStatus(path) else { continue }
            if status.kind != .file { return "is not a regular file" }
            if access(path, R_OK | W_OK) != 0, errno == EACCES {
                return "cannot be read or written"
            }
        }
        return nil
    }

    var identity: FileStatus.Identity? { FileStatus(path)?.identity }

    /// Gives an index that cannot be used another name, unless another process has done so.
    ///
    /// - Parameters:
    ///   - identity: The ``identity`` of that index.
    ///   - reason: The reason.
    /// - Returns: The reason and the new name, as the end of a sentence.
    /// - Throws: ``FileError`` if it cannot be renamed, or if ten things were set aside before.
    func setAside(_ identity: FileStatus.Identity?, because reason: String) throws -> String {
        try withCreationLock {
            guard self.identity == identity, identity != nil || obstacle != nil else {
                return reason
            }
            return "\(reason), was set aside as \(try setAsideLocked())"
        }
    }

    /// Gives the index, or its other files if there is none, another name, which is returned.
    ///
    /// The caller is in ``withCreationLock(_:)``.
    func setAsideLocked() throws -> String {
        FileStatus(path) == nil
            ? try moveCompanions() : try Files.setAside(path, with: Self.companions)
    }

    private func moveCompanions() throws -> String {
        var new = ""
        for suffix in Self.companions where FileStatus(path + suffix) != nil {
            new = try Files.setAside(path + suffix)
        }
        return new
    }

    /// Removes the remains of all files that this one has replaced.
    func removeReplaced() {
        if number == 1 { return }
        for name in namesInFolder(folder) {
            let stem = Self.companions.first(where: name.hasSuffix).map { name.dropLast($0.count) }
            guard let other = Self.number(ofName: String(stem ?? name[...])), other < number else {
                continue
            }
            let path = "\(folder)/\(name)"
            if FileStatus(path)?.kind == .file { removeFile(path) }
        }
    }

    private static func number(ofName name: String) -> Int? {
        if name == "index.sqlite" { return 1 }
        let (prefix, suffix) = ("index-", ".sqlite")
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            name.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        // A number from an untrusted folder must leave room for a successor.
        guard digits.utf8.count <= 9, let number = Int(digits), number > 1,
            String(number) == digits
        else { return nil }
        return number
    }
}

/// The connections to one index file.
///
/// Writes use one connection on its own thread. Synchronous reads use separate connections, which do
/// not wait for the writer.
final class IndexConnections: Sendable {
    /// The connections for synchronous reads, which are used in turn.
    private struct Readers {
        var all: [DatabaseQueue] = []
        var turn = 0
    }

    /// The maximum number of connections for synchronous reads.
    static let mostReaders = 4

    /// Limits the pages that a connection for reads caches, in kB; SQLite's default is 2 MB.
    ///
    /// Each transaction of the writer empties that cache, and the kernel caches the file anyway.
    private static let readerSettings = "PRAGMA cache_size = -512"

    let file: IndexFile
    let writer: DatabaseQueue
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
        if !file.exists {
            try alone { try writeNewFile("", to: file.path, mode: CacheLayout.fileMode) }
        }
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
            if readers.all.count == Self.mostReaders {
                readers.turn += 1
                return readers.all[readers.turn % Self.mostReaders]
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
        return try reader.inDatabase(body)
    }

    func close() {
        try? writer.close()
        for reader in readers?.withLock(\.all) ?? [] { try? reader.close() }
    }
}

/// The tables of the index and their creation.
enum Schema {
    /// The version of the tables in SQLite's `user_version`.
    ///
    /// Every change of the tables increments it.
    static let version = 6

    /// The reason why an index cannot be used by this version.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String

        /// The file belongs to another program.
        static let foreign = Mismatch(description: "belongs to another program")

        private init(description: String) {
            self.description = description
        }

        /// - Parameter stored: The version of its tables.
        init(_ stored: Int) {
            let isNewer = stored > version
            description =
                "was written by \(isNewer ? "a newer" : "an older") version of FetchCache "
                + "(schema \(stored), this one has \(version)"
                + (isNewer ? "; use that version to keep it)" : ")")
        }
    }

    /// Configures a new connection, and makes the file an index if it is new or a copy.
    ///
    /// The file is changed in `alone`, which runs a closure while no other process or thread does so.
    static func prepare(
        _ database: Database, alone: (() throws -> Void) throws -> Void
    ) throws {
        try checkOwner(of: database)
        let found = try storedVersion(database)
        guard found == 0 || found == version else { throw Mismatch(found) }
        if found == version, try !hasAllTables(database) {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        // A copy has no write-ahead log.
        let hasLog = try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
        if found == version, hasLog {
            try database.execute(sql: connectionSettings)
        } else {
            try alone { try create(database) }
        }
    }

    /// Starts the write-ahead log, and creates the tables.
    private static func create(_ database: Database) throws {
        // SQLite fails here instead of waiting if another connection sets the mode too.
        try database.execute(sql: "PRAGMA journal_mode = WAL; \(connectionSettings)")
        try database.inTransaction(.immediate) {
            // Another process or thread may have created them first.
            let stored = try storedVersion(database)
            guard stored == 0 || stored == version else { throw Mismatch(stored) }
            if stored == 0 { try database.execute(sql: tables) }
            try database.execute(
                sql: """
                    PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)
                    """)
            return .commit
        }
    }

    /// A checkpoint waits for the disk, and all other work waits for the checkpoint.
    ///
    /// It therefore runs every 40 MB instead of every 4 MB, and when the last connection closes.
    private static let connectionSettings =
        "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 10000"

    private static func hasAllTables(_ database: Database) throws -> Bool {
        let names = ["entry", "failure", "meta", "value", "variant"]
        let found = try String.fetchSet(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        return found.isSuperset(of: names)
    }

    /// SQLite's `application_id` of an index: `FCac`.
    static let applicationID = 0x4643_6163

    /// Rejects a database of another program.
    private static func checkOwner(of database: Database) throws {
        let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard id == 0 || id == applicationID else { throw Mismatch.foreign }
        // The tables of an index and its version are written together, perhaps between these two
        // queries.
        let tables = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        let stored = try storedVersion(database)
        if stored < 0 || stored == 0 && tables > 0 { throw Mismatch.foreign }
    }

    private static func storedVersion(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// Rejects a read-only index of another version.
    static func check(_ database: Database) throws {
        try checkOwner(of: database)
        let stored = try storedVersion(database)
        guard stored == version else { throw Mismatch(stored) }
    }

    /// Times are in milliseconds since 1970; digests are 64 hexadecimal digits.
    private static let tables = """
        CREATE TABLE entry (
            key TEXT NOT NULL,
            vary TEXT NOT NULL,
            url TEXT NOT NULL,
            final_url TEXT NOT NULL,
            digest TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            media_type TEXT NOT NULL,
            is_image INTEGER NOT NULL,
            version TEXT NOT NULL,
            status INTEGER NOT NULL,
            fields TEXT NOT NULL,
            initial_age INTEGER NOT NULL,
            response_time INTEGER NOT NULL,
            fresh_until INTEGER NOT NULL,
            revalidate_until INTEGER NOT NULL,
            last_use INTEGER NOT NULL,
            route TEXT NOT NULL,
            body_check TEXT,
            is_confirmed INTEGER NOT NULL DEFAULT 0,
            gone_since INTEGER,
            gone_reason TEXT,
            PRIMARY KEY (key, vary)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE meta (
            name TEXT PRIMARY KEY NOT NULL,
            value INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE failure (
            key TEXT PRIMARY KEY NOT NULL,
            url TEXT NOT NULL,
            code TEXT NOT NULL,
            detail TEXT NOT NULL,
            status INTEGER,
            time INTEGER NOT NULL,
            until INTEGER NOT NULL,
            credentials TEXT NOT NULL,
            body_check TEXT
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE variant (
            source TEXT NOT NULL,
            recipe TEXT NOT NULL,
            encoder TEXT NOT NULL,
            digest TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            metadata TEXT NOT NULL,
            last_use INTEGER NOT NULL,
            PRIMARY KEY (source, recipe, encoder)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE value (
            namespace TEXT NOT NULL,
            key TEXT NOT NULL,
            bytes BLOB NOT NULL,
            last_use INTEGER NOT NULL,
            PRIMARY KEY (namespace, key)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX entry_digest ON entry (digest);
        CREATE INDEX variant_digest ON variant (digest);
        """
}
