/// What is wrong with `imgbake.yml`, and where.
struct SettingsFault: Error, Hashable, CustomStringConvertible {
    /// The file as the user named it.
    var file: String
    /// 1-based; nil where the whole file is meant.
    var line: Int?
    /// 1-based, in characters.
    var column: Int?
    /// What is wrong and what to do, without a period.
    var reason: String

    /// The fault as one line: `imgbake.yml:3:5: unknown key 'max-widht'`.
    var description: String {
        let place = [file, line.map(String.init), column.map(String.init)]
        return place.compactMap(\.self).joined(separator: ":") + ": " + reason
    }
}
