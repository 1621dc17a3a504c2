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

    /// The reaction to a missing cache.
    enum Absence {
        /// Fail.
        case fail
        /// Write a result and succeed: there is nothing to remove. The function gets the message.
        case succeed(@Sendable (String) throws -> Void)
        /// Create it.
        case make
    }

    /// The settings of the cache, without automatic cleaning.
    func settings(_ limits: SettingOptions<CacheLimitGroup> = .init()) throws -> Settings {
        var settings = try Settings(
            configuration, cache, limits, in: .current, makesRequests: false)
        settings.log(verbose: false)
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
    ///   - absence: The reaction to a missing cache. Commands that only read must not create files.
    ///   - work: The work.
    /// - Throws: ``UsageError``; ``NothingFound``; `ExitCode`; the errors of `work`.
    func run(
        _ limits: SettingOptions<CacheLimitGroup> = .init(), ifAbsent absence: Absence = .fail,
        _ work: @escaping @Sendable (FetchManager, Settings) async throws -> Void
    ) async throws {
        let settings = try settings(limits)
        let text = "there is no cache in \(settings.fetching.folder.path.string)"
        switch absence {
        case .make: break
        case .fail: if try !isThere(settings) { throw NothingFound(description: text) }
        case .succeed(let write): if try !isThere(settings) { return try write(printable(text)) }
        }
        do {
            try await Interrupts.cancelling {
                try await withCache(settings.fetching) { try await work($0, settings) }
            }
        } catch  where error.isCancellation {
            Console.error.write("imgbake: interrupted\n")
            throw ExitCode(Interrupts.exitCode)
        }
    }
}

/// What a command needs is not there, such as a cache: exit code 1.
struct NothingFound: Error, CustomStringConvertible {
    let description: String
}
