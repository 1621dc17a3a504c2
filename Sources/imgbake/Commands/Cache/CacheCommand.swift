import ArgumentParser
import Baking
import FetchCache
import Reports

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
