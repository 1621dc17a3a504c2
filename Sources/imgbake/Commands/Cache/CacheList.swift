import ArgumentParser
import Baking
import FetchCache
import Foundation
import Reports
import Secrets

struct CacheList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the entries of the cache, one per line.",
        discussion: """
            A line shows whether the entry is fresh, its age, its size, its type, and its key: the \
            URL, and after a space other parts of the request that select the response.
            """)

    @OptionGroup var folder: CacheFolderArguments

    @Flag(help: "List the remembered failures and their remaining time.")
    var failed = false

    @Flag(help: "Write one JSON object per line.")
    var json = false

    func run() async throws {
        let command = self
        try await folder.run { cache, settings in
            if command.failed { return try await command.listFailures(of: cache) }
            for try await entry in cache.entries {
                try Task.checkCancellation()
                let line = EntryLine(entry, timeToLive: settings.fetching.policy.timeToLive)
                Console.output.write(line.text + "\n", or: line, asJSON: command.json)
            }
        }
    }

    private func listFailures(of cache: FetchManager) async throws {
        for failure in try await cache.failures() {
            let line = FailureLine(failure)
            Console.output.write(line.text + "\n", or: line, asJSON: json)
        }
    }
}

/// The output for one entry.
private struct EntryLine: Encodable {
    var key: String
    var url: String
    var status: Int
    var fresh: Bool
    /// In seconds; 0 if it is stale.
    var freshFor: Int64
    /// In seconds.
    var age: Int64
    var byteCount: Int
    var mediaType: String
    var sha256: String
    /// In milliseconds since 1970.
    var lastUse: Int64

    init(_ entry: CacheEntry, timeToLive: Duration?) {
        key = keyWithoutSecrets(entry.key)
        url = withoutSecrets(entry.url)
        status = entry.response.status
        freshFor = entry.response.freshSeconds(at: .now, timeToLive: timeToLive)
        fresh = freshFor > 0
        age = entry.response.age().components.seconds
        byteCount = entry.byteCount
        mediaType = entry.mediaType.rawValue
        sha256 = entry.digest.hex
        lastUse = Int64((entry.lastUse.timeIntervalSince1970 * 1000).rounded())
    }

    var text: String {
        let columns = [
            (fresh ? "fresh" : "stale", 5), (Duration.seconds(age).asAge, 8),
            (byteCount.asBytes, 9), (mediaType, 13),
        ]
        let padded = columns.map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
        return printable((padded + [key]).joined(separator: "  "))
    }
}

/// The output for one remembered failure.
private struct FailureLine: Encodable {
    var key: String
    var url: String
    var reason: String
    var status: Int?
    /// In seconds, since the last request.
    var age: Int64
    /// In seconds, until the next request is allowed.
    var holdsFor: Int64

    init(_ failure: RememberedFailure) {
        key = keyWithoutSecrets(failure.key)
        url = failure.error.url
        reason = textWithoutSecrets(failure.error.detail)
        status = failure.error.status
        age = failure.error.age?.components.seconds ?? 0
        holdsFor = max(0, Int64(failure.until.timeIntervalSinceNow))
    }

    var text: String {
        printable(
            "\(key): \(reason), \(Duration.seconds(age).asAge) ago; not asked again for "
                + Duration.seconds(holdsFor).asAge)
    }
}
