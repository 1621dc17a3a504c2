import ArgumentParser
import Baking
import FetchCache
import Reports
import Secrets
import Sites

struct CacheClean: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove resources that are unused for too long or exceed the size limit.",
        discussion: """
            The limits come from the options, or from 'cache' in imgbake.yml. When the cache is \
            larger than its limit, the resources that were used least recently are removed until \
            it has half that size. What the last bake of a site has used stays.

            With --unused-by, all resources that no document of these sites names are removed too. \
            Nothing is removed if a document cannot be read.
            """)

    @Option(
        help: ArgumentHelp(
            "Keep only the images of this site; may be repeated, for several sites.",
            valueName: "site"),
        completion: .directory)
    var unusedBy: [String] = []

    @OptionGroup var folder: CacheFolderArguments

    @OptionGroup(title: "Limits") var limits: SettingOptions<CacheLimitGroup>

    @Flag(help: "Write a JSON object.")
    var json = false

    /// The totals for the user.
    private struct Report: Encodable {
        var entries = 0
        var blobs = 0
        var bytes = 0
        var protectedBytes = 0
        var remainingBlobs = 0
        var remainingBytes = 0
    }

    func run() async throws {
        do {
            let command = self
            try await folder.run(limits) { try await command.clean($0, $1) }
        } catch let missing as NothingFound {
            Console.output.write("\(printable(missing.description))\n", or: Report(), asJSON: json)
        }
    }

    private func clean(_ cache: FetchManager, _ settings: Settings) async throws {
        let removed = try await Self.removeAll(notIn: unusedBy, from: cache, settings)
        let done = try await cache.clean()
        let report = Report(
            entries: removed + done.removedEntryCount, blobs: done.removedBlobCount,
            bytes: done.removedBytes, protectedBytes: done.protectedBytes,
            remainingBlobs: done.remainingBlobCount,
            remainingBytes: done.remainingBytes)
        var text =
            "removed \(report.entries.entries) and \(report.blobs.of("blob")), "
            + "\(report.bytes.asBytes); \(report.remainingBlobs.of("blob")), "
            + "\(report.remainingBytes.asBytes), left on disk"
        if done.protectedBytes > 0 {
            text += "; the last bakes use \(done.protectedBytes.asBytes)"
        }
        let unused = report.remainingBlobs - (try await cache.summary().blobCount)
        if unused > 0 {
            text += "; \(unused.grouped) without an entry can be removed when an hour old"
        }
        Console.output.write(text + "\n", or: report, asJSON: json)
    }

    /// Removes the entries and failures of all URLs that no document of some sites names.
    ///
    /// - Returns: The number of removed keys; 0 if no site is given.
    /// - Throws: `ExitCode` if a document cannot be read; the errors of the cache.
    private static func removeAll(
        notIn sites: [String], from cache: FetchManager, _ settings: Settings
    ) async throws -> Int {
        if sites.isEmpty { return 0 }
        var used: Set<String> = []
        for site in sites {
            let (urls, errors) = try await SiteReferences.urls(
                of: SiteInput(site, settings, in: .current))
            if !errors.isEmpty {
                for error in errors { Console.error.write(error.lines()) }
                throw ExitCode(1)
            }
            for url in urls { used.insert(try cache.key(for: FetchRequest(url))) }
        }
        // Other parts of the request follow the URL.
        return try await cache.removeAll { !used.contains(String($0.prefix { $0 != " " })) }
    }
}

struct CacheClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove everything from the cache.")

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        do {
            try await folder.run { cache, _ in
                let done = try await cache.clear()
                Console.output.write(
                    "removed \(done.removedEntryCount.entries) and "
                        + "\(done.removedBlobCount.of("blob")), \(done.removedBytes.asBytes); "
                        + "\(done.remainingBlobCount.of("blob")), "
                        + "\(done.remainingBytes.asBytes), left on disk\n")
            }
        } catch let missing as NothingFound {
            Console.output.write("\(printable(missing.description))\n")
        }
    }
}

struct CacheVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Hash all files and remove damaged ones.",
        discussion: "Exit codes: 0 nothing is damaged; 1 something was damaged or missing.")

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        try await folder.run { cache, _ in
            let report = try await cache.verify()
            for digest in report.damaged {
                Console.output.write(
                    "threw out the blob \(digest): its bytes have another digest\n")
            }
            for name in report.missing {
                Console.output.write(
                    "threw out \(keyWithoutSecrets(name)): its blob is damaged or gone\n")
            }
            let isWhole = report.damaged.isEmpty && report.missing.isEmpty
            let verdict =
                isWhole
                ? "all whole"
                : "threw out \(report.damaged.count.of("blob")) and what led to "
                    + "\(report.missing.count.grouped)"
            Console.output.write(
                "checked \(report.checkedCount.of("blob")), \(report.checkedBytes.asBytes): "
                    + verdict + "\n")
            if !isWhole { throw ExitCode(1) }
        }
    }
}
