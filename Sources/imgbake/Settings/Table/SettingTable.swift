/// All settings, in the order of the help texts.
enum SettingTable {
    /// The settings of `imgbake.yml`, with dotted keys.
    static let all =
        output + site + images + reporting + cache + fetching + [hosts]

    /// The settings by their keys.
    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// The sections of the file.
    static let sections = Set(all.map(\.section)).subtracting([""])

    /// The help texts of the sections.
    static let sectionHelp = [
        "cache": "The cache folder and what it keeps.",
        "fetch": "How images are fetched.",
    ]

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

/// The settings of the output.
enum OutputGroup: SettingGroup { static let settings = SettingTable.output }
/// The settings that select documents and images, and those of the image folder.
enum SiteGroup: SettingGroup { static let settings = SettingTable.site }
/// The settings of the image transformation.
enum ImageGroup: SettingGroup { static let settings = SettingTable.images }
/// The settings of requests.
enum FetchGroup: SettingGroup { static let settings = SettingTable.fetching }
/// The settings of the cache folder.
enum CacheGroup: SettingGroup { static let settings = SettingTable.cacheFolder }
/// The limits of the cache.
enum CacheLimitGroup: SettingGroup { static let settings = SettingTable.cacheLimits }
/// The settings of failures and their reports.
enum ReportGroup: SettingGroup { static let settings = SettingTable.reporting }
