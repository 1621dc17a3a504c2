internal import GRDB

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

        /// - Parameters:
        ///   - age: The age of the other version, compared with this one.
        ///   - stored: The version of its tables.
        ///   - remedy: The remedy for the user.
        init(_ age: String, stored: Int, remedy: String) {
            description =
                "was written by \(age) version of FetchCache (schema \(stored), this one "
                + "has \(version); \(remedy))"
        }
    }

    /// Configures a new connection, and makes the file an index of this version if it is new, of an
    /// earlier version or a copy.
    ///
    /// The file is changed in `alone`, which runs a closure while no other process or thread does so.
    static func prepare(
        _ database: Database, alone: (() throws -> Void) throws -> Void
    ) throws {
        try checkOwner(of: database)
        let found = try storedVersion(database)
        guard found <= version else { throw newer(found) }
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

    /// Starts the write-ahead log, and creates the tables or migrates those of an earlier version.
    private static func create(_ database: Database) throws {
        // SQLite fails here instead of waiting if another connection sets the mode too.
        try database.execute(sql: "PRAGMA journal_mode = WAL; \(connectionSettings)")
        try database.inTransaction(.immediate) {
            // Another process or thread may have created them first.
            let stored = try storedVersion(database)
            guard stored <= version else { throw newer(stored) }
            if stored > 0, stored < version { try moveAside(database, from: stored) }
            if stored < version { try database.execute(sql: tables) }
            if stored == 2 { try takeOver(database) }
            try database.execute(
                sql: """
                    PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)
                    """)
            return .commit
        }
    }

    private static func newer(_ stored: Int) -> Mismatch {
        Mismatch("a newer", stored: stored, remedy: "use that version to keep it")
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
    ///
    /// Before version 5 of the tables, an index had none.
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

    /// Prepares the migration to changed tables.
    ///
    /// Failures are short-lived and not migrated.
    private static func moveAside(_ database: Database, from stored: Int) throws {
        try database.execute(sql: "DROP TABLE IF EXISTS failure")
        switch stored {
        case 1: try database.execute(sql: "DROP TABLE entry")
        case 2:
            try database.execute(
                sql: "ALTER TABLE entry RENAME TO entry_2; DROP INDEX entry_digest")
        default:
            if stored < 5 {
                // An empty route says that nothing is known about the connections.
                try database.execute(
                    sql: """
                        ALTER TABLE entry ADD COLUMN route TEXT NOT NULL DEFAULT '';
                        ALTER TABLE entry ADD COLUMN body_check TEXT
                        """)
            }
            try database.execute(
                sql: """
                    ALTER TABLE entry ADD COLUMN is_confirmed INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE entry ADD COLUMN gone_since INTEGER;
                    ALTER TABLE entry ADD COLUMN gone_reason TEXT
                    """)
        }
    }

    /// Migrates the entries of version 2 whose key is only a URL.
    ///
    /// The others are downloaded again: their keys contained data that is now in the selector of a
    /// response.
    private static func takeOver(_ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO entry SELECT key, '', url, final_url, digest, byte_count, media_type, 1,
                version, status, fields, 0, response_time, fresh_until, revalidate_until, last_use,
                '', NULL, 0, NULL, NULL
                FROM entry_2 WHERE instr(key, ' ') = 0 AND vary = ''
                AND char(10) || fields NOT LIKE '%' || char(10) || 'age:%';
                DROP TABLE entry_2
                """)
    }

    /// Rejects a read-only index of another version.
    static func check(_ database: Database) throws {
        try checkOwner(of: database)
        let stored = try storedVersion(database)
        guard stored == version else {
            throw Mismatch(
                stored > version ? "a newer" : "an older", stored: stored,
                remedy: "export it with this one")
        }
    }

    /// Times are in milliseconds since 1970; digests are 64 hexadecimal digits.
    private static let tables = """
        CREATE TABLE IF NOT EXISTS entry (
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
            credentials TEXT NOT NULL,
            body_check TEXT
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
        CREATE INDEX IF NOT EXISTS entry_digest ON entry (digest);
        CREATE INDEX IF NOT EXISTS variant_digest ON variant (digest);
        """
}
