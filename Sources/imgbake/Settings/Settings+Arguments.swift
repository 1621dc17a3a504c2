import Baking
import FetchCache
import Foundation
import Logging

extension Settings {
    /// The defaults, with what the configuration file says over them, and over that which cache is
    /// meant.
    ///
    /// - Parameters:
    ///   - configuration: Which file is meant.
    ///   - cache: Which cache is meant.
    ///   - site: The folder of the site as the user named it; nil if there is none.
    ///   - isQuiet: Whether to say nothing of a file that is not read.
    ///   - surroundings: Where paths start, and where variables are.
    ///   - makesRequests: Whether secrets are of use; without, their variables need not be set.
    /// - Throws: ``UsageFault``, ``SettingsFault``.
    init(
        _ configuration: ConfigurationArguments, _ cache: CacheArguments, site: String? = nil,
        isQuiet: Bool = false, in surroundings: Surroundings, makesRequests: Bool = true
    ) throws {
        self.init()
        let (file, ignored) = try SettingsFile.find(configuration, site: site, in: surroundings)
        if let file, let ignored, !isQuiet {
            Console.error.write(
                printable(
                    "imgbake: warning: \(ignored.name) is not read, since \(file.name) is") + "\n")
        }
        try file?.read(into: &self) {
            surroundings.environment($0) ?? (makesRequests ? nil : "not-set")
        }
        fetching.cacheDirectory = try surroundings.cacheDirectory(
            option: cache.cacheDir, configured: cacheDirectory)
        if let namespace = cache.namespace { fetching.namespace = namespace }
    }

    /// Takes over how images are fetched.
    ///
    /// - Parameters:
    ///   - arguments: Over what the configuration file says.
    ///   - surroundings: Where paths start, and where variables are.
    ///   - fallback: What holds for stale images where neither of the two says anything. A build is better off with
    ///     yesterday's image than with none.
    /// - Throws: ``UsageFault``.
    mutating func apply(
        _ arguments: FetchArguments, in surroundings: Surroundings,
        staleOnError fallback: FetchConfiguration.StaleOnError = .always
    ) throws {
        fetching.staleOnError = arguments.staleOnError?.choice ?? staleOnError ?? fallback
        if let limit = arguments.minSpeed { fetching.minimumSpeed = limit.value?.bytes }
        if let limit = arguments.totalTimeout { fetching.totalTimeout = limit.value?.duration }
        if let flag = arguments.allowPrivateNetwork { fetching.allowsPrivateNetwork = flag }
        if let span = arguments.connectTimeout { fetching.connectTimeout = span.duration }
        if let span = arguments.stallTimeout { fetching.stallTimeout = span.duration }
        if let size = arguments.maxBytes { fetching.maximumBodyBytes = size.bytes }
        if let text = arguments.userAgent { fetching.userAgent = text }
        if let span = arguments.ttl { fetching.timeToLive = span.duration }
        if let number = arguments.concurrency { fetching.maximumTransfers = number }
        if let number = arguments.perHost { fetching.maximumTransfersPerHost = number }
        if let number = arguments.retries { fetching.maximumRetries = number }
        if let proxy = arguments.proxy {
            fetching.proxy = proxy == "none" ? .none : .server(url: proxy, except: [])
        }
        if case .server(let url, _) = fetching.proxy {
            fetching.proxy = .server(url: url, except: proxyExceptions)
        }
        if let file = arguments.caFile {
            fetching.certificateAuthorityFile = surroundings.absolute(file)
        }
        try Self.checkFile(fetching.certificateAuthorityFile)
        if let flag = arguments.netrc { netrc = flag ? .inHomeFolder : nil }
        if let file = arguments.netrcFile { netrc = .file(surroundings.absolute(file)) }
        fetching.netrcFile = try netrcFile(in: surroundings)
    }

    /// Takes over what images become.
    mutating func apply(_ arguments: ImageArguments) {
        if let format = arguments.format { variants.format = format }
        if let quality = arguments.quality { variants.quality = quality }
        if let width = arguments.maxWidth { variants.maximumWidth = width.pixels }
        if let svg = arguments.svg { variants.svg = svg }
        if let number = arguments.maxPixels { maximumPixels = number }
        if let flag = arguments.dimensions { reading.addsDimensions = flag }
        if let flag = arguments.local { reading.includesLocal = flag }
        if let number = arguments.jobs { jobs = number }
        if let span = arguments.imageTimeout { imageTimeout = span.duration }
        if let flag = arguments.allowWeakSandbox { allowsWeakSandbox = flag }
    }

    /// Takes over where results go.
    mutating func apply(_ arguments: OutputArguments, in surroundings: Surroundings) {
        if let folder = arguments.output { output = surroundings.absolute(folder) }
        if let flag = arguments.sync { isSynced = flag }
        if let flag = arguments.copyHidden { copiesHidden = flag }
    }

    /// Takes over which images are meant, and where they go.
    mutating func apply(_ arguments: ReadingArguments) {
        if let choice = arguments.layout { reading.layoutOptions.choice = choice }
        if let folder = arguments.imageDir { reading.layoutOptions.imageDirectory = folder }
        if let path = arguments.publicPath { reading.layoutOptions.publicPath = path }
        if let address = arguments.siteURL { reading.address = address }
        if let flag = arguments.links { reading.includesLinks = flag }
        if !arguments.ignore.isEmpty { reading.documents.ignored = arguments.ignore.map(\.glob) }
        if !arguments.include.isEmpty { reading.documents.included = arguments.include.map(\.glob) }
        if !arguments.ignoreURL.isEmpty { reading.urls.ignored = arguments.ignoreURL.map(\.glob) }
        if !arguments.includeURL.isEmpty {
            reading.urls.included = arguments.includeURL.map(\.glob)
        }
    }

    /// Sends what the library has to say to standard error: all of it, or errors alone.
    mutating func log(verbose: Bool) {
        fetching.logger = Logger(label: "imgbake") { _ in
            guard verbose else { return ConsoleLogHandler() }
            var handler = StreamLogHandler.standardError(label: "imgbake")
            handler.logLevel = .debug
            return handler
        }
    }

    /// Leaves read-only caches out that are not there, and says so unless that is not wanted.
    mutating func dropMissingCaches(isQuiet: Bool = false) {
        fetching.readOnlyCaches.removeAll { path in
            if resolvedPath(path + "/.") != nil { return false }
            if !isQuiet {
                Console.error.write(
                    printable("imgbake: warning: the read-only cache \(path) is not there") + "\n")
            }
            return true
        }
    }

    private func netrcFile(in surroundings: Surroundings) throws -> String? {
        switch netrc {
        case nil: return nil
        case .file(let path):
            try Self.checkFile(path)
            return path
        case .inHomeFolder:
            guard let home = surroundings.environment("HOME") else {
                throw UsageFault("there is no home folder with a .netrc: give '--netrc-file'")
            }
            return surroundings.absolute(home) + "/.netrc"
        }
    }

    private static func checkFile(_ path: String?) throws {
        guard let path, access(path, R_OK) != 0 else { return }
        throw UsageFault("the file \(path) is not there or cannot be read")
    }
}
