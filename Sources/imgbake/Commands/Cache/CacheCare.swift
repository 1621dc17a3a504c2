import ArgumentParser
import FetchCache

/// Removes what is old and what is too much.
struct CacheClean: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean", abstract: "Remove what was not used for long and what is too much.",
        discussion: """
            What 'cache' in imgbake.yml says of 'max-age' and 'max-size' holds, unless given here. \
            Over the size, what was used least lately goes until half of the size is left.
            """)

    @OptionGroup var folder: CacheFolderArguments

    @Option(
        help: ArgumentHelp(
            "Remove what was not used for this long. (default: 7d)", valueName: "time|none"))
    var maxAge: LimitArgument<TimeSpan>?

    @Option(
        help: ArgumentHelp(
            "Keep no more than this. (default: 10GB)", valueName: "size|none"))
    var maxSize: LimitArgument<ByteSize>?

    @Flag(help: "Write a JSON object.")
    var json = false

    /// What is said.
    private struct Report: Encodable {
        var entries: Int
        var blobs: Int
        var bytes: Int
        var remainingBlobs: Int
        var remainingBytes: Int
    }

    func run() async throws {
        let json = json
        let age = maxAge.map { $0.value?.duration }
        let size = maxSize.map { $0.value?.bytes }
        try await folder.run(ifAbsent: .succeed) { cache, _ in
            let done = try await cache.clean(
                maximumAge: age ?? cache.configuration.maximumAge,
                maximumBytes: size ?? cache.configuration.maximumBytes)
            let report = Report(
                entries: done.removedEntryCount, blobs: done.removedBlobCount,
                bytes: done.removedBytes, remainingBlobs: done.remainingBlobCount,
                remainingBytes: done.remainingBytes)
            if json { return try Console.output.write(json: report) }
            Console.output.write(
                "removed \(report.entries.entries) and \(report.blobs.of("blob")), "
                    + "\(report.bytes.asBytes); \(report.remainingBlobs.of("blob")), "
                    + "\(report.remainingBytes.asBytes), left on disk\n")
        }
    }
}

/// A limit that may be `none`.
struct LimitArgument<Value: ExpressibleByArgument>: ExpressibleByArgument {
    /// Nil for none.
    let value: Value?

    init?(argument: String) {
        value = Value(argument: argument)
        if value == nil, argument != "none" { return nil }
    }
}

extension LimitArgument: Sendable where Value: Sendable {}

/// Removes everything.
struct CacheClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove everything from the cache.")

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        try await folder.run(ifAbsent: .succeed) { cache, _ in
            let done = try await cache.clear()
            Console.output.write(
                "removed \(done.removedEntryCount.entries) and "
                    + "\(done.removedBlobCount.of("blob")), \(done.removedBytes.asBytes); "
                    + "\(done.remainingBlobCount.of("blob")), "
                    + "\(done.remainingBytes.asBytes), left on disk\n")
        }
    }
}

/// Finds what is damaged.
struct CacheVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read and hash everything, and throw out what is damaged.",
        discussion: "Exit codes: 0 all whole; 1 something was damaged or missing.")

    @OptionGroup var folder: CacheFolderArguments

    func run() async throws {
        try await folder.run { cache, _ in
            let report = try await cache.verify()
            for digest in report.damaged {
                Console.output.write(
                    "threw out the blob \(digest): its bytes have another digest\n")
            }
            for name in report.missing {
                Console.output.write("threw out \(name): its blob is damaged or gone\n")
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
