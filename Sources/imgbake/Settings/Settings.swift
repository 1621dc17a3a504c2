import Baking
import FetchCache
import Pictures
import Recipes
import Records
import Sites

/// The values of all settings, initially with the defaults of the command.
struct Settings: Sendable {
    /// The folder for a complete copy of the site; nil bakes in place.
    var output: String?
    /// Whether documents that are baked in place are flushed to disk before they replace the old
    /// ones.
    var isSynced = true
    /// Whether a copy gets all hidden files.
    var copiesHidden = false
    /// Whether references are rewritten.
    var rewrites = true
    /// The file to write a list of all images to; nil for none.
    var manifest: String?
    /// Where the last bake is published; nil for nowhere.
    var publishedSite: SiteAddress?
    /// The store that machines share; nil for none.
    var remote: RemoteAddress?
    var remoteMode = RemoteLevel.Mode.read
    /// Options that select documents and images, and the image folder.
    var reading = ReadingOptions()
    /// Options for the transformation of images.
    var variants = VariantOptions()
    /// The number of images that are transformed at the same time; nil for one per processor.
    var jobs: Int?
    /// The memory of all workers together in bytes; nil for the default.
    var memory: Int?
    /// The time limit for the transformation of one image.
    var imageTimeout: Duration = .seconds(20)
    /// The maximum number of pixels of an image, or of one frame of an animation.
    var maximumPixels = Limits().pixels
    /// Whether images are decoded even if the system does not allow the workers' sandbox.
    var allowsWeakSandbox = false
    /// The reaction to an image that cannot be fetched or decoded.
    var onError = ErrorPolicy.fail
    /// What to do about some of these images instead.
    var failures: [FailurePolicy.Rule] = []
    /// The largest sizes of images.
    var budget = Budget()
    /// The file with known failures; nil for none.
    var baseline: String?
    /// The cache and its limits on the network.
    var fetching: FetchConfiguration
    /// The stale images that may be used when their server fails; nil for the default of the
    /// command.
    var staleOnError: CachePolicy.StaleOnError?
    /// The use of a stored image that its server no longer has; nil for the default of the
    /// command.
    var onGone: CachePolicy.OnGone?
    /// Hosts that are reached without the proxy.
    var proxyExceptions: [String] = []
    /// Whether credentials are read from a `.netrc`.
    var usesNetrc = false
    /// The path of the `.netrc`; nil for the one in the home folder.
    var netrcFile: String?
    /// The settings that were given, by their keys.
    var given: [String: GivenSetting] = [:]
    /// The settings that differ from their defaults, by what they decide.
    var deciding = GivenSettings()

    /// The limits for each image.
    var limits: Limits {
        var limits = Limits()
        limits.pixels = maximumPixels
        limits.seconds = imageTimeout / .seconds(1)
        return limits
    }

    /// The defaults.
    init() {
        fetching = FetchConfiguration(folder: "")
        // A site that is built each month needs its images from the last build.
        fetching.policy.maximumAge = .seconds(90 * 86_400)
        fetching.downloader.userAgent =
            "imgbake/\(ImgBake.version) (+https://github.com/imgbake/imgbake)"
    }

    /// Applies a value and records its source.
    mutating func apply(_ setting: Setting<Settings>, _ node: ConfigurationNode) throws {
        do {
            try setting.read(node, &self)
        } catch var error as SettingsError {
            var other = self
            guard (try? setting.read(node.unquoted, &other)) != nil else { throw error }
            error.reason += "; write it without quotes"
            throw error
        }
        given[setting.key] = GivenSetting(node)
        let value = node.written == setting.fallback ? nil : node.written
        deciding.record(value, of: setting.key, deciding: setting.decides)
    }

    /// Applies a configuration file.
    ///
    /// - Throws: ``SettingsError``, also for an unknown key.
    mutating func apply(_ file: ConfigurationNode, section: String = "") throws {
        for entry in try file.entries() {
            let key = section.isEmpty ? entry.name : "\(section).\(entry.name)"
            if let setting = SettingTable.byKey[key] {
                let parts = try SettingTable.parts(of: setting, in: entry.value)
                for (part, value) in parts ?? [(setting, entry.value)] { try apply(part, value) }
            } else if SettingTable.sections.contains(key) {
                try apply(entry.value, section: key)
            } else {
                throw entry.unknownKey(
                    known: SettingTable.names(in: section),
                    place: SettingTable.place(of: entry.name))
            }
        }
    }
}

/// The reaction to an image that cannot be fetched or decoded.
enum ErrorPolicy: Sendable {
    /// Exit code 1, after all other work is done.
    case fail
    /// Exit code 0.
    case warn
    /// Exit code 0, and a drawn placeholder instead of the image.
    case placeholder
}

/// A setting with a value that is not the default.
struct GivenSetting: Hashable, Sendable {
    /// The value as it was written.
    var value: String
    /// The source of the value: `imgbake.yml:3`, `--jobs`, `IMGBAKE_CACHE_DIR`.
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
