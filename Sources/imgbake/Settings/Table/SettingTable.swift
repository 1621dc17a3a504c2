/// All settings, in the order of the help texts.
enum SettingTable {
    /// The settings of `imgbake.yml`, with dotted keys.
    static let all =
        output + site + images + [overrides] + reporting + policies + cache + fetching + [hosts]

    /// The settings by their keys.
    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// The sections of the file.
    static let sections = Set(all.map(\.section)).subtracting([""])

    /// The help texts of the sections.
    static let sectionHelp = [
        "budget": "The largest sizes of images; an image or a document over one is an error.",
        "cache": "The cache folder and what it keeps.",
        "fetch": "How images are fetched.",
    ]

    /// The settings of a mapping below a flag: `responsive: {lazy: false}` is `responsive: true` and
    /// `responsive-lazy: false`.
    ///
    /// - Returns: The settings with their values; only the flag if the value is no such mapping.
    /// - Throws: ``SettingsError`` for an unknown key.
    static func parts(
        of flag: Setting<Settings>, in value: ConfigurationNode
    ) throws -> [(setting: Setting<Settings>, value: ConfigurationNode)] {
        let known = flag.parts(among: all)
        guard !known.isEmpty, case .mapping(let entries) = value.content else {
            return [(flag, value)]
        }
        var yes = value
        yes.content = .text("true", isPlain: true)
        return [(flag, yes)]
            + (try entries.map { entry in
                guard let part = known[entry.name] else {
                    throw entry.unknownKey(known: known.keys.sorted())
                }
                return (part, entry.value)
            })
    }

    /// Where a setting belongs that is written in another section, or by the name of its option;
    /// nil if there is no such setting.
    static func place(of name: String) -> String? {
        let matches = all.filter { $0.name == name || $0.optionName == name || $0.key == name }
        guard let setting = matches.first, matches.count == 1 else { return nil }
        if setting.section.isEmpty, setting.key != name { return "it is '\(setting.key)'" }
        return setting.section.isEmpty
            ? "'\(setting.key)' belongs to the top level, without indentation"
            : "it is '\(setting.key)': write '\(setting.name)' indented below '\(setting.section):'"
    }

    /// The keys of the root or of a section, including the names of sections.
    static func names(in section: String) -> [String] {
        let own = all.filter { $0.section == section }.map(\.name)
        return section.isEmpty ? own + sections.sorted() : own
    }
}

/// A group of settings that several commands share.
protocol SettingGroup: Sendable {
    /// The settings of the group that have an option.
    static var settings: [Setting<Settings>] { get }
}

enum OutputGroup: SettingGroup { static let settings = SettingTable.output }
enum SiteGroup: SettingGroup { static let settings = SettingTable.site }
enum ImageGroup: SettingGroup { static let settings = SettingTable.images }
enum FetchGroup: SettingGroup { static let settings = SettingTable.fetching }
enum CacheGroup: SettingGroup { static let settings = SettingTable.cacheFolder }
enum OtherMachineGroup: SettingGroup { static let settings = SettingTable.otherMachines }
enum CacheLimitGroup: SettingGroup { static let settings = SettingTable.cacheLimits }
enum ReportGroup: SettingGroup { static let settings = SettingTable.reporting }
enum BaselineGroup: SettingGroup { static let settings = [SettingTable.baseline] }
