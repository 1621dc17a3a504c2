import ArgumentParser
import Baking
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
    @OptionGroup var cache: SettingOptions<CacheGroup>
    @OptionGroup var configuration: ConfigurationArguments

    /// What to do where there is no cache.
    enum Absence {
        /// Say so on standard error, and fail.
        case fail
        /// Say so: there is nothing to remove.
        case succeed
        /// Make one.
        case make
    }

    /// The settings of the cache, which is not to do anything that it is not told.
    func settings(_ limits: SettingOptions<CacheLimitGroup> = .init()) throws -> Settings {
        var settings = try Settings(
            configuration, cache, limits, in: .current, makesRequests: false)
        settings.log(verbose: false)
        settings.fetching.cleansByItself = false
        settings.fetching.readOnlyCaches = []
        return settings
    }

    private func isThere(_ settings: Settings) throws -> Bool {
        do throws(FetchError) {
            return try FetchCache.exists(settings.fetching)
        } catch {
            throw UsageFault(error.description)
        }
    }

    /// Does some work on the cache, which a signal ends.
    ///
    /// - Parameters:
    ///   - limits: How much the cache keeps.
    ///   - absence: What to do if there is no cache in the folder. Nobody who only looks into a folder
    ///     wants files made in it.
    ///   - work: What to do with the cache.
    /// - Throws: ``UsageFault``; `ExitCode`; what the work throws.
    func run(
        _ limits: SettingOptions<CacheLimitGroup> = .init(), ifAbsent absence: Absence = .fail,
        _ work: @escaping @Sendable (FetchCache, Settings) async throws -> Void
    ) async throws {
        let settings = try settings(limits)
        if absence != .make, try !isThere(settings) {
            let text = "there is no cache in \(settings.cacheFolder)"
            if absence == .succeed { return Console.output.write(printable(text) + "\n") }
            Console.error.write(printable("imgbake: error: \(text)") + "\n")
            throw ExitCode(1)
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
