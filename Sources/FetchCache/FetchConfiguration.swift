import Glibc
public import Logging
public import SystemPackage

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
        /// ``FetchRequest/memoryOnly`` requests; 64 MB by default, 0 keeps none.
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
        if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") {
            return FilePath("\(cache)/fetchcache")
        }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return "" }
        return FilePath("\(home)/.cache/fetchcache")
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
