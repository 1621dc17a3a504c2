internal import Files
public import Logging
public import SystemPackage

// The paths in this library's interface are of the type FilePath, so a program that imports
// FetchCache can name it without swift-system among its dependencies. Swift has no attribute without
// an underscore for this.
@_exported public import struct SystemPackage.FilePath

/// The settings of a ``FetchManager``.
public struct FetchConfiguration: Sendable {
    /// Where a cache is.
    public struct Folder: Sendable, Hashable {
        /// The path of the cache's folder, which is created if it does not exist.
        ///
        /// A relative path starts at the current folder of the process at the time when the cache
        /// is opened.
        public var path: FilePath
        /// The name of a part of the cache folder with its own entries; empty, the default, for the
        /// folder itself.
        ///
        /// Letters, digits, `-`, `_` and `.` are allowed; the first character must not be a `.`.
        public var namespace = ""
        /// Cache folders that are only read, in the order of lookup; none by default.
        ///
        /// They are searched for responses that the cache's own folder lacks. Nothing in them is
        /// changed, and their file system may be read-only.
        public var readOnlyCaches: [FilePath] = []

        /// The cache's own folder and the read-only ones.
        package var all: [FilePath] { [path] + readOnlyCaches }

        /// Creates the settings of a folder.
        ///
        /// - Parameter path: As in ``path``.
        public init(_ path: FilePath) { self.path = path }

        init(_ path: FilePath, namespace: String) {
            self.path = path
            self.namespace = namespace
        }
    }

    /// The limits of what is kept in memory.
    public struct Memory: Sendable, Hashable {
        /// The maximum number of entries in memory, 4,096 by default; 0 keeps none.
        public var maximumCount = 4_096
        /// The maximum size of the entries in memory in bytes, including the bodies of
        /// ``FetchRequest/Storage-swift.enum/memory`` requests; 64 MB by default, 0 keeps none.
        public var maximumBytes = 64_000_000

        /// Creates the default limits.
        public init() {}
    }

    /// Where the cache is.
    public var folder: Folder
    /// The limits of what is kept in memory.
    public var memory = Memory()
    /// The use of stored responses, and what is kept of them.
    public var policy = CachePolicy()
    /// The settings of downloads.
    public var downloader = DownloaderConfiguration()

    /// The logger for diagnostics, which is that of the downloader.
    public var logger: Logger {
        get { downloader.logger }
        set { downloader.logger = newValue }
    }

    /// The wall clock, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 {
        get { downloader.now }
        set { downloader.now = newValue }
    }

    /// Creates a configuration with the defaults.
    ///
    /// - Parameter folder: The path of the cache's folder; by default the folder `fetchcache` in
    ///   `$XDG_CACHE_HOME`, or else in `.cache` in the home folder.
    public init(folder: FilePath = Self.defaultFolder) { self.folder = Folder(folder) }
}

extension FetchConfiguration {
    /// The folder of caches whose folder is not chosen: `fetchcache` in `$XDG_CACHE_HOME`, or else in
    /// `.cache` in the home folder; empty, which is an error on opening, if neither is known.
    public static var defaultFolder: FilePath {
        // A relative path in the variable is invalid (XDG Base Directory Specification).
        if let cache = environmentVariable("XDG_CACHE_HOME"), cache.hasPrefix("/") {
            return FilePath("\(cache)/fetchcache")
        }
        guard let home = environmentVariable("HOME"), home.hasPrefix("/") else { return "" }
        return FilePath("\(home)/.cache/fetchcache")
    }
}

extension FetchConfiguration {
    /// The configuration with absolute paths of its folders, so that a change of the process's
    /// current folder does not concern an open cache.
    ///
    /// - Throws: ``FetchError/Code/configuration``, ``FetchError/Code/forbidden`` or
    ///   ``FetchError/Code/storage`` if a setting is not valid.
    func validated() throws(FetchError) -> FetchConfiguration {
        var configuration = self
        configuration.folder.path = try folder.path.validatedFolder()
        configuration.folder.readOnlyCaches =
            folder.readOnlyCaches.map(\.startingAtCurrentFolder)
        try downloader.validate()
        return configuration
    }
}

extension DownloaderConfiguration {
    /// - Throws: ``FetchError/Code/configuration`` or ``FetchError/Code/forbidden`` if a setting is
    ///   not valid.
    func validate() throws(FetchError) {
        try checkHosts()
        try checkFiles()
    }

    private func checkHosts() throws(FetchError) {
        for pattern in Array(hosts.keys).sorted() + network.allowedHosts
            + network.deniedHosts
        {
            guard let error = HostPattern.error(in: pattern) else { continue }
            throw FetchError(
                .configuration, pattern, "the host pattern '\(pattern)' is not valid: \(error)")
        }
        let all = hosts.keys.sorted().first { pattern in
            !HostPattern(pattern).isName && hosts[pattern]?.allowsInvalidCertificate == true
        }
        guard let all else { return }
        throw FetchError(
            .forbidden, all, "invalid certificates can be allowed for named hosts only")
    }

    /// Checks that the files of certificates can be read.
    private func checkFiles() throws(FetchError) {
        for (pattern, options) in hosts.sorted(by: { $0.key < $1.key }) {
            guard let certificate = options.clientCertificate else { continue }
            for file in [certificate.file, certificate.keyFile].compactMap(\.self)
            where (try? readFile(file.string, ofAnyKind: true)) == nil {
                throw FetchError(
                    .configuration, pattern, "the certificate \(file) cannot be read")
            }
        }
    }
}

extension FilePath {
    /// The absolute path of a folder.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the path is empty.
    func validatedFolder() throws(FetchError) -> FilePath {
        let path = startingAtCurrentFolder
        guard path.isAbsolute else {
            throw FetchError(.storage, "", "the path of the folder is empty")
        }
        return path
    }

    /// The path, absolute; an empty path stays empty.
    var startingAtCurrentFolder: FilePath {
        guard isRelative, !isEmpty, let current = resolvedPath(".") else { return self }
        return FilePath(current).pushing(self)
    }
}
