/// All settings, in the order in which they are shown.
enum SettingTable {
    /// Those of `imgbake.yml`, with dotted keys.
    static let all =
        output + site + images + reporting + cache + fetching + [hosts]

    /// Each setting by its key.
    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// The sections of the file.
    static let sections = Set(all.map(\.section)).subtracting([""])

    /// What the sections hold.
    static let sectionHelp = [
        "cache": "The cache folder and what it keeps.",
        "fetch": "How images are fetched.",
    ]

    /// The keys of the root or of a section, with those of sections among them.
    static func names(in section: String) -> [String] {
        let own = all.filter { $0.section == section }.map(\.name)
        return section.isEmpty ? own + sections.sorted() : own
    }
}

/// A group of settings that commands have in common.
protocol SettingGroup: Sendable {
    /// The settings of the group that have an option.
    static var settings: [Setting<Settings>] { get }
}

/// Where results go.
enum OutputGroup: SettingGroup { static let settings = SettingTable.output }
/// Which documents and images are read, and where images go.
enum SiteGroup: SettingGroup { static let settings = SettingTable.site }
/// How images are transformed.
enum ImageGroup: SettingGroup { static let settings = SettingTable.images }
/// How images are fetched.
enum FetchGroup: SettingGroup { static let settings = SettingTable.fetching }
/// Where the cache is.
enum CacheGroup: SettingGroup { static let settings = SettingTable.cacheFolder }
/// How much the cache keeps.
enum CacheLimitGroup: SettingGroup { static let settings = SettingTable.cacheLimits }
/// How failures are reported.
enum ReportGroup: SettingGroup { static let settings = SettingTable.reporting }
