internal import GRDB
import Locks

/// A use of something in the index.
enum Touch: Hashable, Sendable {
    case entry(key: String)
    case variant(VariantKey)
    case value(namespace: String, key: String)
    /// The check of this name has accepted the blob of an entry.
    case check(key: String, digest: BlobDigest, name: String)
    /// The bytes of an entry were confirmed, so the entry that it replaced is not needed any more.
    case confirmation(key: String, digest: BlobDigest)
    /// A variant whose digest begins with some hexadecimal digits.
    case variantNamed(source: BlobDigest, prefix: String)

    /// The minimum time in milliseconds between two recorded uses.
    ///
    /// A build that follows a few minutes after the last and needs nothing new writes nothing.
    static let granularity: Int64 = 600_000

    static func isDue(_ lastUse: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds - lastUse.milliseconds > granularity
    }

    func write(to database: Database, at now: Timestamp) throws {
        switch self {
        case .entry(let key):
            try database.cachedStatement(sql: "UPDATE entry SET last_use = ? WHERE key = ?")
                .execute(arguments: [now.milliseconds, key])
        case .variant(let key):
            try database.cachedStatement(
                sql: """
                    UPDATE variant SET last_use = ?
                    WHERE source = ? AND recipe = ? AND encoder = ?
                    """
            ).execute(arguments: [now.milliseconds, key.source.hex, key.recipe, key.encoder])
        case .check(let key, let digest, let name):
            try database.cachedStatement(
                sql: "UPDATE entry SET body_check = ? WHERE key = ? AND digest = ?"
            ).execute(arguments: [name, key, digest.hex])
        case .confirmation(let key, let digest):
            try database.cachedStatement(
                sql: "UPDATE entry SET is_confirmed = 1 WHERE key = ? AND digest = ?"
            ).execute(arguments: [key, digest.hex])
            if database.changesCount == 0 { return }
            try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ?")
                .execute(arguments: [LoadTarget.previousKey(of: key)])
        case .variantNamed(let source, let prefix):
            try database.cachedStatement(
                sql: """
                    UPDATE variant SET last_use = ?1
                    WHERE source = ?2 AND substr(digest, 1, length(?3)) = ?3 AND last_use < ?1 - ?4
                    """
            ).execute(arguments: [now.milliseconds, source.hex, prefix, Self.granularity])
        case .value(let namespace, let key):
            try database.cachedStatement(
                sql: """
                    UPDATE value SET last_use = ?1
                    WHERE namespace = ?2 AND key = ?3 AND last_use < ?1 - ?4
                    """
            ).execute(arguments: [now.milliseconds, namespace, key, Self.granularity])
        }
    }
}

extension Index {
    /// The maximum number of recorded uses before they are written, and the maximum delay in
    /// milliseconds.
    private static let mostTouches = 500
    private static let longestTouch: Int64 = 60_000

    /// Records a use at the time `time`, which is written later together with others.
    func touch(_ touch: Touch, at time: Timestamp) {
        let now = monotonicMilliseconds()
        let mustFlush = touches.withLock { touches in
            if touches.waiting.isEmpty { touches.start = now }
            return touches.waiting.updateValue(time, forKey: touch) == nil
                && (touches.waiting.count == Self.mostTouches
                    || now - touches.start > Self.longestTouch)
        }
        if mustFlush { Task { try? await flushTouches() } }
    }

    /// Writes all recorded times of last use.
    func flushTouches() async throws(FetchError) {
        let waiting = touches.withLock { touches in
            defer { touches.waiting = [:] }
            return touches.waiting
        }
        if waiting.isEmpty { return }
        try await write { database in
            for (touch, time) in waiting { try touch.write(to: database, at: time) }
        }
    }
}
