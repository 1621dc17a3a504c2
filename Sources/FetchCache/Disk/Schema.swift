internal import GRDB

/// The tables of the index, and their making.
enum Schema {
    /// Raised with every change of the tables; kept in SQLite's `user_version`.
    static let version = 3

    /// Why an index cannot be used by this version.
    struct Fault: Error, CustomStringConvertible {
        let description: String

        /// - Parameters:
        ///   - age: Of the other version, compared with this one.
        ///   - stored: The number of its tables.
        ///   - remedy: What to do.
        init(_ age: String, stored: Int, remedy: String) {
            description =
                "the cache was written by \(age) version of FetchCache (schema \(stored), this one "
                + "has \(version)); \(remedy)"
        }
    }

    /// Sets a new connection up, and makes the tables if the file is new.
    static func prepare(_ database: Database) throws {
        if try storedVersion(database) == version {
            guard try hasAllTables(database) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            try database.execute(sql: connectionSettings)
            return
        }
        try database.execute(sql: "PRAGMA journal_mode = WAL; \(connectionSettings)")
        try database.inTransaction(.immediate) {
            // Another process may have come first.
            let stored = try storedVersion(database)
            guard stored <= version else {
                throw Fault(
                    "a newer", stored: stored, remedy: "upgrade, or name another cache folder")
            }
            if stored > 0, stored < version { try moveAside(database, from: stored) }
            if stored < version { try database.execute(sql: tables) }
            if stored == 2 { try takeOver(database) }
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// A checkpoint waits for the disk, and everything for the checkpoint: so it comes every 40 MB, and
    /// when the last connection closes, and not every 4.
    private static let connectionSettings =
        "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 10000"

    private static func hasAllTables(_ database: Database) throws -> Bool {
        let names = ["entry", "failure", "meta", "value", "variant"]
        let found = try String.fetchSet(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        return found.isSuperset(of: names)
    }

    private static func storedVersion(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// Makes room for tables that have changed.
    ///
    /// Failures are short-lived, and not taken over.
    private static func moveAside(_ database: Database, from stored: Int) throws {
        try database.execute(sql: "DROP TABLE IF EXISTS failure")
        if stored == 1 {
            try database.execute(sql: "DROP TABLE entry")
        } else {
            try database.execute(
                sql: "ALTER TABLE entry RENAME TO entry_2; DROP INDEX entry_digest")
        }
    }

    /// Takes over the entries of version 2 whose key is a URL alone.
    ///
    /// The others are fetched again: their keys held what decides between several answers of one URL now.
    private static func takeOver(_ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO entry SELECT key, '', url, final_url, digest, byte_count, media_type, 1,
                version, status, fields, 0, response_time, fresh_until, revalidate_until, last_use
                FROM entry_2 WHERE instr(key, ' ') = 0 AND vary = ''
                AND char(10) || fields NOT LIKE '%' || char(10) || 'age:%';
                DROP TABLE entry_2
                """)
    }

    /// Refuses an index of another version, which is only read.
    static func check(_ database: Database) throws {
        let stored = try storedVersion(database)
        guard stored == version else {
            throw Fault(
                stored > version ? "a newer" : "an older", stored: stored,
                remedy: "export it with this one")
        }
    }

    /// Times are milliseconds since 1970; digests 64 hexadecimal digits.
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
            PRIMARY KEY (key, vary)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE IF NOT EXISTS meta (
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
            credentials TEXT NOT NULL
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
