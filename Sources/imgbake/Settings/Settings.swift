import Baking
import FetchCache
import Foundation
import Pictures
import Records
import Sites

/// The values of all settings, initially with the defaults of the command.
///
/// The options of a bake are members too: `settings.output` is `settings.bake.output`.
@dynamicMemberLookup
struct Settings: Sendable {
    /// The options of a bake, without the folder of the site.
    var bake: BakeOptions
    /// The store that machines share; nil for none.
    var remote: RemoteAddress?
    var remoteMode = RemoteLevel.Mode.read
    /// The file with known failures; nil for none.
    var baseline: String?
    /// Hosts that are reached without the proxy.
    var proxyExceptions: [String] = []
    /// Whether credentials are read from a `.netrc`.
    var usesNetrc = false
    /// The path of the `.netrc`; nil for the one in the home folder.
    var netrcFile: String?
    /// The settings that were given, by their keys.
    var given: [String: GivenSetting] = [:]

    subscript<Value>(dynamicMember option: WritableKeyPath<BakeOptions, Value>) -> Value {
        get { bake[keyPath: option] }
        set { bake[keyPath: option] = newValue }
    }

    /// The defaults.
    init() {
        bake = BakeOptions(
            input: "", worker: "", workerCount: ProcessInfo.processInfo.activeProcessorCount,
            fetching: FetchConfiguration(folder: ""))
        // A site that is built each month needs its images from the last build.
        bake.fetching.policy.maximumAge = .seconds(90 * 86_400)
        bake.fetching.downloader.userAgent =
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
        bake.given.record(value, of: setting.key, deciding: setting.decides)
    }

    /// Applies a configuration file.
    ///
    /// - Throws: ``SettingsError``, also for an unknown key.
    mutating func apply(_ file: ConfigurationNode, section: String = "") throws {
        for entry in try file.entries() {
            let key = section.isEmpty ? entry.name : "\(section).\(entry.name)"
            if let setting = SettingTable.byKey[key] {
                for (part, value) in try SettingTable.parts(of: setting, in: entry.value) {
                    try apply(part, value)
                }
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

/// A setting with a value that is not the default.
struct GivenSetting: Hashable, Sendable {
    /// The value as it was written.
    var value: String
    /// The source of the value: `imgbake.yml:3`, `--jobs`, `IMGBAKE_CACHE_DIR`.
    var origin: String
}

extension GivenSetting {
    init(_ node: ConfigurationNode) {
        value = node.written
        origin =
            switch node.source.origin {
            case .file(let name): "\(name):\(node.line)"
            case .option(let name), .variable(let name): name
            }
    }
}

extension BakeOptions {
    /// The options of a bake with these settings.
    ///
    /// - Parameters:
    ///   - settings: The effective settings.
    ///   - site: The folder of the site in the form in which the user gave it.
    ///   - environment: The current folder and the paths of the programs.
    init(_ settings: Settings, site: String, in environment: ProcessEnvironment) {
        self = settings.bake
        input = environment.absolute(site)
        displayName = site
        worker = environment.worker
        remote = settings.store(in: environment)
    }
}

extension SiteInput {
    /// A site without the output folder and the caches.
    ///
    /// - Parameters:
    ///   - folder: Its path as the user gave it.
    ///   - settings: The settings.
    ///   - environment: The environment of the command.
    init(_ folder: String, _ settings: Settings, in environment: ProcessEnvironment) {
        let skipped = [settings.output] + settings.fetching.folder.all.map(\.string)
        self.init(
            folder: environment.absolute(folder), displayName: folder,
            skipped: skipped.compactMap(\.self), reading: settings.reading)
    }
}
