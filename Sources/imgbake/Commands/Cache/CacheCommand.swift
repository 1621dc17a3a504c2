import ArgumentParser
import FetchCache

/// Looks into the cache and takes care of it.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look into the cache and take care of it; makes no request.",
        subcommands: [
            CachePath.self, CacheInfo.self, CacheList.self, CacheClean.self, CacheClear.self,
            CacheVerify.self, CacheRemove.self, CacheExport.self, CacheImport.self,
        ]
    )
}

/// Which cache, and which `imgbake.yml`.
struct CacheFolderArguments: ParsableArguments {
    @OptionGroup var cache: CacheArguments
    @OptionGroup var configuration: ConfigurationArguments

    /// The settings of the cache, which is not to do anything that it is not told.
    func settings() throws -> Settings {
        var settings = try Settings(
            configuration, cache, in: .current, makesRequests: false)
        settings.log(verbose: false)
        settings.fetching.cleansByItself = false
        settings.fetching.readOnlyCaches = []
        return settings
    }

    /// Does some work on the cache, which a signal ends.
    func run(_ work: @escaping @Sendable (FetchCache, Settings) async throws -> Void) async throws {
        let settings = try settings()
        do {
            try await Interrupts.cancelling {
                try await withCache(settings.fetching) { try await work($0, settings) }
            }
        } catch is CancellationError {
            Console.error.write("imgbake: interrupted\n")
            throw ExitCode(Interrupts.exitCode)
        }
    }
}
