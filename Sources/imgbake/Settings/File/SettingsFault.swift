/// What is wrong with a setting, and where it was given.
struct SettingsFault: Error, Hashable, CustomStringConvertible {
    /// The file as the user named it; nil for an option, which the reason names.
    var file: String?
    /// 1-based; nil where the whole file is meant.
    var line: Int?
    /// 1-based, in characters.
    var column: Int?
    /// What is wrong and what to do, without a period.
    var reason: String

    /// The fault as one line: `imgbake.yml:3:5: unknown key 'max-widht'`.
    var description: String {
        let place = [file, line.map(String.init), column.map(String.init)]
            .compactMap(\.self).joined(separator: ":")
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}
