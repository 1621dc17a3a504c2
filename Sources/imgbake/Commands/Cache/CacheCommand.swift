import ArgumentParser
import Baking
import FetchCache
import FoundationEssentials
import Reports
import Secrets

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Show and maintain the cache; sends no requests.",
        subcommands: [
            CachePath.self, CacheInfo.self, CacheList.self, CacheClean.self, CacheClear.self,
            CacheVerify.self, CacheRemove.self, CacheExport.self, CacheImport.self,
        ]
    )
}

/// The arguments that name the cache and the `imgbake.yml`.
struct CacheFolderArguments: ParsableArguments {
    @OptionGroup var cache: SettingOptions<CacheGroup>
    @OptionGroup var configuration: ConfigurationArguments

    /// The settings of the cache, without automatic cleaning.
    func settings(_ limits: SettingOptions<CacheLimitGroup> = .init()) throws -> Settings {
        var settings = try Settings(
            configuration, cache, limits, in: .current, makesRequests: false)
        settings.fetching.policy.cleansByItself = false
        settings.fetching.folder.readOnlyCaches = []
        return settings
    }

    private func isThere(_ settings: Settings) throws -> Bool {
        do throws(FetchError) {
            return try FetchManager.exists(settings.fetching)
        } catch {
            throw UsageError(error.description)
        }
    }

    /// Works with the cache until the work ends or a signal cancels it.
    ///
    /// - Parameters:
    ///   - limits: The limits of the cache.
    ///   - createsCache: Whether a missing cache is created. Commands that only read must not create
    ///     files.
    ///   - work: The work.
    /// - Throws: ``UsageError``; ``NothingFound`` if there is no cache; the errors of `work`.
    func run(
        _ limits: SettingOptions<CacheLimitGroup> = .init(), createsCache: Bool = false,
        _ work: @escaping @Sendable (FetchManager, Settings) async throws -> Void
    ) async throws {
        let settings = try settings(limits)
        guard try createsCache || isThere(settings) else {
            throw NothingFound(
                description: "there is no cache in \(settings.fetching.folder.path.string)")
        }
        try await Interrupts.cancelling {
            try await withCache(settings.fetching) { try await work($0, settings) }
        }
    }
}

/// What a command needs is not there, such as a cache: exit code 1.
struct NothingFound: Error, CustomStringConvertible {
    let description: String
}

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

struct CacheRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the entries and the remembered failures of URLs.",
        discussion: "Exit codes: 0 each URL was removed; 1 nothing was stored for some of them.")

    @Argument(help: ArgumentHelp("The URLs to remove.", valueName: "url"))
    var urls: [String]

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        let urls = urls
        try await folder.run { cache, _ in
            var isComplete = true
            for url in urls {
                do throws(FetchError) {
                    let key =
                        hasHiddenParts(url) ? url : try cache.key(for: FetchRequest(url))
                    let count = try await cache.removeAll { Self.isMatch($0, key) }
                    isComplete = isComplete && count > 0
                    let what = count > 0 ? "removed" : "nothing is stored of"
                    Console.output.write(printable("\(what) \(keyWithoutSecrets(key))") + "\n")
                } catch {
                    isComplete = false
                    Console.error.write(
                        Diagnostic(error.problem, .error, url: error.url).lines())
                }
            }
            if !isComplete { throw ExitCode(1) }
        }
    }

    /// Whether a key is that of a request, or the same with more details.
    ///
    /// The request may also be as `cache list` shows it, with hidden parts.
    private static func isMatch(_ key: String, _ request: String) -> Bool {
        let name = hasHiddenParts(request) ? keyWithoutSecrets(key) : key
        return name == request || name.hasPrefix(request + " ")
    }
}

extension FetchManager {
    /// Removes the entries and failures whose keys meet a condition.
    ///
    /// - Returns: The number of removed keys.
    func removeAll(where isUnwanted: (String) -> Bool) async throws(FetchError) -> Int {
        var keys: Set<String> = []
        for try await entry in entries where isUnwanted(entry.key) { keys.insert(entry.key) }
        for failure in try await failures() where isUnwanted(failure.key) {
            keys.insert(failure.key)
        }
        for key in keys { try await remove(key: key) }
        return keys.count
    }
}

struct CacheExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a copy of the cache to a folder.",
        discussion: """
            The copy can be imported elsewhere, or used as a read-only cache in imgbake.yml.
            """)

    @Argument(
        help: "A folder that does not exist yet or is empty.", completion: .directory,
        transform: nonEmpty)
    var target: String

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        let target = ProcessEnvironment.current.absolute(target)
        try await folder.run { cache, _ in
            let copied = try await cache.export(to: FilePath(target))
            Console.output.write(
                "exported \(copied.entryCount.entries) and "
                    + "\(copied.blobCount.of("blob")), \(copied.byteCount.asBytes)\n")
        }
    }
}

struct CacheImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add the contents of the cache in another folder.",
        discussion: "Exit codes: 0 everything was added; 1 damaged parts were skipped.")

    @Argument(help: "The folder of a cache.", completion: .directory, transform: nonEmpty)
    var source: String

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        let source = ProcessEnvironment.current.absolute(source)
        try await folder.run(createsCache: true) { cache, _ in
            let report = try await cache.merge(folder: FilePath(source))
            for digest in report.damaged {
                Console.error.write("imgbake: warning: skipped the damaged blob \(digest)\n")
            }
            Console.output.write(
                "imported \(report.entryCount.entries) and "
                    + "\(report.blobCount.of("blob")), \(report.byteCount.asBytes)\n")
            if !report.damaged.isEmpty { throw ExitCode(1) }
        }
    }
}
