internal import GRDB

/// The tables of the index, and their making.
enum Schema {
    /// Raised with every change of the tables; kept in SQLite's `user_version`.
    static let version = 2

    /// Sets a new connection up, and makes the tables if the file is new.
    static func prepare(_ database: Database) throws {
        if try storedVersion(database) == version {
            try database.execute(sql: connectionSettings)
            return
        }
        try database.execute(sql: "PRAGMA journal_mode = WAL; \(connectionSettings)")
        try database.inTransaction(.immediate) {
            // Another process may have come first.
            let stored = try storedVersion(database)
            guard stored <= version else {
                throw FetchError(
                    .storage, database.description,
                    "it was written by a newer version of FetchCache; name another cache folder")
            }
            if stored == 1 { try database.execute(sql: "DROP TABLE entry") }
            if stored < version { try database.execute(sql: tables) }
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// A checkpoint waits for the disk, and everything for the checkpoint: so it comes every 40 MB, and
    /// when the last connection closes, and not every 4.
    private static let connectionSettings =
        "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 10000"

    private static func storedVersion(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// Refuses an index of another version, which is only read.
    static func check(_ database: Database) throws {
        guard try storedVersion(database) == version else {
            throw FetchError(
                .storage, database.description, "it was written by another version of FetchCache")
        }
    }

    /// Times are milliseconds since 1970; digests 64 hexadecimal digits.
    private static let tables = """
        CREATE TABLE entry (
            key TEXT PRIMARY KEY NOT NULL,
            url TEXT NOT NULL,
            final_url TEXT NOT NULL,
            digest TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            media_type TEXT NOT NULL,
            version TEXT NOT NULL,
            status INTEGER NOT NULL,
            fields TEXT NOT NULL,
            vary TEXT NOT NULL,
            response_time INTEGER NOT NULL,
            fresh_until INTEGER NOT NULL,
            revalidate_until INTEGER NOT NULL,
            last_use INTEGER NOT NULL
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
            until INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE IF NOT EXISTS variant (
            source TEXT NOT NULL,
            recipe TEXT NOT NULL,
            encoder TEXT NOT NULL,
            digest TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            metadata TEXT NOT NULL,
            last_use INTEGER NOT NULL,
            PRIMARY KEY (source, recipe, encoder)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE IF NOT EXISTS value (
            namespace TEXT NOT NULL,
            key TEXT NOT NULL,
            bytes BLOB NOT NULL,
            last_use INTEGER NOT NULL,
            PRIMARY KEY (namespace, key)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX entry_digest ON entry (digest);
        CREATE INDEX IF NOT EXISTS variant_digest ON variant (digest);
        """
}
