import ArgumentParser
import Baking
import FetchCache
import Foundation
import Logging
import Recipes

/// What the command takes from around it: the current folder, the environment, where it lies itself.
struct Surroundings {
    var workingDirectory: String
    var environment: @Sendable (String) -> String?
    /// The path of this executable.
    var executable: String

    static var current: Surroundings {
        Surroundings(
            workingDirectory: resolvedPath(".") ?? "/",
            environment: { name in
                getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
            },
            executable: resolvedPath("/proc/self/exe") ?? CommandLine.arguments[0])
    }

    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : workingDirectory + "/" + path
    }

    /// Where the cache is unless told otherwise, by the XDG Base Directory Specification.
    func cacheDirectory(asked: String?) throws -> String {
        if let asked = asked ?? environment("IMGBAKE_CACHE_DIR") { return absolute(asked) }
        // The specification has relative paths ignored.
        if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
            return caches + "/imgbake"
        }
        guard let home = environment("HOME") else {
            throw ValidationError(
                "There is no home folder to keep the cache in: give '--cache-dir'.")
        }
        return absolute(home) + "/.cache/imgbake"
    }

    /// The worker: beside this executable, or where `IMGBAKE_WORKER` says.
    var worker: String {
        if let named = environment("IMGBAKE_WORKER") { return absolute(named) }
        let folder = executable.prefix(upTo: executable.lastIndex(of: "/") ?? executable.startIndex)
        return folder + "/imgbake-worker"
    }
}

extension ImgBake {
    /// The arguments as options; here alone the surroundings play a part.
    func options(in surroundings: Surroundings) throws -> BakeOptions {
        var fetching = FetchConfiguration(
            cacheDirectory: try surroundings.cacheDirectory(asked: self.fetching.cacheDir))
        fetching.userAgent =
            self.fetching.userAgent
            ?? "imgbake/\(Self.version) (+https://github.com/imgbake/imgbake)"
        fetching.allowsPrivateNetwork = self.fetching.allowPrivateNetwork
        fetching.connectTimeout = .seconds(self.fetching.connectTimeout)
        fetching.stallTimeout = .seconds(self.fetching.stallTimeout)
        fetching.maximumBodyBytes = self.fetching.maxBytes
        // A build is better off with yesterday's image than with none.
        fetching.usesForbiddenStale = true
        fetching.logger = Logger(label: "imgbake") { _ in
            var handler = StreamLogHandler.standardError(label: "imgbake")
            handler.logLevel = reporting.verbose ? .debug : .error
            return handler
        }
        var options = BakeOptions(
            input: surroundings.absolute(site), worker: surroundings.worker,
            workerCount: images.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            fetching: fetching)
        options.displayName = site
        options.output = output.output.map(surroundings.absolute)
        options.imageDirectory = output.imageDir.split(separator: "/").joined(separator: "/")
        options.variants = VariantOptions(
            format: images.format, quality: images.quality, maximumWidth: images.maxWidth)
        options.limits.seconds = images.imageTimeout
        options.failureSeverity = reporting.onError == .fail ? .error : .warning
        options.mode =
            self.fetching.refresh ? .refresh : self.fetching.offline ? .offline : .normal
        return options
    }
}
