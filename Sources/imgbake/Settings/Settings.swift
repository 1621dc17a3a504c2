import Baking
import FetchCache
import Recipes

/// The values of all settings, with the defaults of the command.
struct Settings: Sendable {
    /// The folder to write a complete copy to; nil bakes in place.
    var output: String?
    /// Whether documents that are baked in place are on disk before they replace the old ones.
    var isSynced = true
    /// Whether a copy gets all hidden files.
    var copiesHidden = false
    /// Whether references are rewritten.
    var rewrites = true
    /// The file to write a list of all images to; nil for none.
    var manifest: String?
    /// Which documents and images are read, and where images go.
    var reading = ReadingOptions()
    /// How images are transformed.
    var variants = VariantOptions()
    /// How many images are transformed at once; nil for one per processor.
    var jobs: Int?
    /// The longest time to spend on transforming one image.
    var imageTimeout: Duration = .seconds(20)
    /// The most pixels that one image, or one frame of an animation, may have.
    var maximumPixels = Limits().pixels
    /// Whether images are decoded where the system does not allow the sandbox of the workers.
    var allowsWeakSandbox = false
    /// What to do when an image cannot be fetched or decoded.
    var onError = ErrorPolicy.fail
    /// The cache and its limits on the network.
    var fetching: FetchConfiguration
    /// Which stale images are used when their server fails; nil for the default of the command.
    var staleOnError: FetchConfiguration.StaleOnError?
    /// Hosts that are reached without the proxy.
    var proxyExceptions: [String] = []
    /// Whether credentials are taken from a `.netrc`.
    var usesNetrc = false
    /// That `.netrc`; nil for the one in the home folder.
    var netrcFile: String?
    /// The settings that were given, by their keys.
    var given: [String: GivenSetting] = [:]

    /// The defaults.
    init() {
        fetching = FetchConfiguration(cacheDirectory: "")
        fetching.userAgent = "imgbake/\(ImgBake.version) (+https://github.com/imgbake/imgbake)"
    }

    /// Takes over a value, and remembers where it was given.
    mutating func apply(_ setting: Setting<Settings>, _ node: ConfigurationNode) throws {
        try setting.read(node, &self)
        given[setting.key] = GivenSetting(node)
    }

    /// Takes over a configuration file.
    ///
    /// - Throws: ``SettingsFault``, for an unknown key too.
    mutating func apply(_ file: ConfigurationNode, section: String = "") throws {
        for entry in try file.entries() {
            let key = section.isEmpty ? entry.name : "\(section).\(entry.name)"
            if let setting = SettingTable.byKey[key] {
                try apply(setting, entry.value)
            } else if SettingTable.sections.contains(key) {
                try apply(entry.value, section: key)
            } else {
                throw entry.unknownKey(known: SettingTable.names(in: section))
            }
        }
    }
}

/// What to do when an image cannot be fetched or decoded.
enum ErrorPolicy: Sendable {
    /// Exit code 1, after everything else is done.
    case fail
    /// Exit code 0.
    case warn
}

/// A setting that does not have its default.
struct GivenSetting: Hashable, Sendable {
    /// The value as it was written.
    var value: String
    /// Where it was given: `imgbake.yml:3`, `--jobs`, `IMGBAKE_CACHE_DIR`.
    var origin: String

    init(value: String, origin: String) {
        self.value = value
        self.origin = origin
    }

    init(_ node: ConfigurationNode) {
        value = node.written
        origin =
            switch node.source.origin {
            case .file(let name): "\(name):\(node.line)"
            case .option(let name), .variable(let name): name
            }
    }
}
