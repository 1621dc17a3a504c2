import ArgumentParser
import FetchCache

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
