import ArgumentParser
import Baking
import FetchCache
import FoundationEssentials
import Reports

struct CachePath: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the folder of the cache.")

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        Console.output.write(try folder.settings().fetching.folder.path.string + "\n")
    }
}

struct CacheInfo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print a summary of the cache.")

    @OptionGroup var folder: CacheFolderArguments

    @Flag(help: "Write a JSON object.")
    var json = false

    /// The summary for the user.
    private struct Info: Encodable {
        var path: String
        var entries: Int
        var variants: Int
        var failures: Int
        var blobs: Int
        var bytes: Int
        /// Seconds since the last cleaning; nil if there was none.
        var cleanedBefore: Int64?
    }

    func run() async throws {
        let json = json
        try await folder.run { cache, settings in
            let summary = try await cache.summary()
            let info = Info(
                path: settings.fetching.folder.path.string, entries: summary.entryCount,
                variants: summary.variantCount, failures: summary.failureCount,
                blobs: summary.blobCount, bytes: summary.byteCount,
                cleanedBefore: summary.lastCleaning.map { max(0, Int64(-$0.timeIntervalSinceNow)) })
            Console.output.write(
                """
                path      \(info.path)
                entries   \(info.entries.grouped)
                variants  \(info.variants.grouped)
                failures  \(info.failures.grouped)
                blobs     \(info.blobs.grouped)
                size      \(info.bytes.asBytes)
                cleaned   \(info.cleanedBefore.map { "\(Duration.seconds($0).asAge) ago" } ?? "never")

                """, or: info, asJSON: json)
        }
    }
}
